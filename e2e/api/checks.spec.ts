/** Tests of the checks that every response of this suite passes: they must catch every kind of wrong response. */
import type { Exchange } from "../support/contract";
import { expect, test } from "../support/contract-test";

const PATH = "/account";

type Change = Partial<Omit<Exchange, "headers">> & { headers?: Record<string, string | null>; body?: object };

test("a response that differs from the contract in anything is caught", async ({ service, account, contract }) => {
  const served = await fetch(`${service.url}/api/v1${PATH}`, {
    headers: { authorization: `Bearer ${account.apiKey}` },
  });
  const right = (await served.json()) as { success: boolean; data: object; meta: { api_version: string } };
  let count = 0;

  /** Checks the response with this change and a unique request id. */
  const check = ({ headers = {}, body = {}, ...change }: Change) => {
    count += 1;
    const meta = { ...right.meta, request_id: `req_${String(count).padStart(26, "0")}` };
    const changed = new Headers(served.headers);
    changed.set("request-id", meta.request_id);
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) changed.delete(name);
      else changed.set(name, value);
    }
    const answer = { method: "GET", path: PATH, sent: undefined, status: 200, text: "" };
    const text = JSON.stringify({ ...right, meta, ...body });
    return contract.check({ ...answer, text, ...change, headers: changed });
  };

  const { data, meta } = right;
  const { balance: _, ...incomplete } = data as { balance: number };
  const error = { type: "authorization_error", code: "forbidden", message: "No.", param: null, details: {} };
  const refused = { success: false, data: undefined };
  const wrong: [what: string, change: Change][] = [
    ["a field too many", { body: { data: { ...data, segments: 1 } } }],
    ["a field too few", { body: { data: incomplete } }],
    ["a field of another type", { body: { data: { ...data, balance: "100" } } }],
    ["a value that is not among the documented ones", { body: { data: { ...data, status: "closed" } } }],
    ["an invalid time", { body: { data: { ...data, created_at: "yesterday" } } }],
    ["a field outside the envelope", { body: { warnings: [] } }],
    [
      "pagination of something without pages",
      { body: { pagination: { page: 1, limit: 1, total: 1, pages: 1, has_more: false } } },
    ],
    ["an unknown version", { body: { meta: { ...meta, api_version: "v2" } } }],
    ["a request id that was given before", { body: { meta: { ...meta, request_id: `req_${"0".repeat(25)}1` } } }],
    ["a status that is not documented", { status: 201 }],
    ["another content type", { headers: { "content-type": "text/plain" } }],
    ["permission to cache", { headers: { "cache-control": null } }],
    ["no rate limit header", { headers: { "ratelimit-remaining": null } }],
    ["more requests left than the limit", { headers: { "ratelimit-remaining": "6001" } }],
    ["a failure of the service", { status: 500, body: { ...refused, error: { ...error, type: "api_error" } } }],
    ["an error of another status", { status: 404, body: { ...refused, error } }],
    ["an error with a field too many", { status: 403, body: { ...refused, error: { ...error, hint: "" } } }],
    ["no JSON", { text: "<html>" }],
  ];
  expect(check({})).toMatchObject({ success: true, data });
  expect(check({ status: 403, body: { ...refused, error } })).toMatchObject({ error });
  for (const [what, change] of wrong) expect(() => check(change), what).toThrow(`GET ${PATH} answered`);
});
