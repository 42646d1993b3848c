import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { balanceOf } from "../support/follow";

const UNKNOWN_KEY = `ds_live_${"0".repeat(32)}`;
const ELSEWHERE = ["203.0.113.7"];
const BODY_MAX_BYTES = 1_048_576;

const BROKEN = '{"to": ';
const CREATING = ["/messages/send", "/messages/bulk", "/senders/create", "/api-keys/create", "/webhooks/create"];
const POSTS = [...CREATING, "/messages/estimate", "/webhooks/whe_1/recover"];

/** Makes a request with a text as its body, with or without a content type. */
const post = (rest: CheckedApi, path: string, text: string, type: string | null = "application/json") =>
  rest.refusal(400, { method: "POST", path, text, headers: type === null ? {} : { "content-type": type } });

test.describe("the order of checks", () => {
  const nowhere = { method: "POST", path: "/nowhere", text: BROKEN };
  const send = { method: "POST", path: "/messages/send", text: BROKEN };

  test("first the key: without a valid one everything is a 401", async ({ rest }) => {
    for (const request of [nowhere, send, { ...send, method: "PUT" }, { method: "GET", path: "" }]) {
      expect((await rest.withKey(null).refusal(401, request)).details.reason).toBe("key_missing");
      expect((await rest.withKey(UNKNOWN_KEY).refusal(401, request)).details.reason).toBe("key_invalid");
    }
  });

  test("then the address, and a request from a forbidden one does not count", async ({ keyed }) => {
    const elsewhere = await keyed({ permissions: ["sms:read"], allowed_ips: ELSEWHERE, rate_limit: 1 });
    for (const request of [nowhere, send, nowhere]) {
      expect((await elsewhere.refusal(403, request)).details.reason).toBe("ip_not_allowed");
    }
  });

  test("then the rate, then the path", async ({ keyed }) => {
    const limited = await keyed({ permissions: ["sms:read"], rate_limit: 1 });
    // A minute may end in between; it does not end twice.
    await expect.poll(async () => (await limited.ask(nowhere)).status, { intervals: [0] }).toBe(429);
    const other = await keyed({ permissions: ["sms:read"] });
    expect((await other.refusal(404, nowhere)).details.reason).toBe("unknown_path");
  });

  test("then the permission, then the input", async ({ keyed }) => {
    const reader = await keyed({ permissions: ["sms:read"] });
    expect((await reader.refusal(403, send)).details.reason).toBe("missing_scope");
    const sender = await keyed({ permissions: ["sms:send"] });
    expect((await sender.refusal(400, send)).details.reason).toBe("malformed_json");
  });

  test("and last the operation's own refusals", async ({ rest, operator }) => {
    const poor = await operator.makeAccount(0);
    const theirs = rest.withKey(poor.apiKey);
    const message = { to: "+14155550123", from: poor.sender, body: "Hello" };
    await theirs.refusal(400, { method: "POST", path: "/messages/send", body: { ...message, to: "nobody" } });
    await theirs.refusal(400, { method: "POST", path: "/messages/send", body: { ...message, from: "NOBODY" } });
    await theirs.refusal(402, { method: "POST", path: "/messages/send", body: message });
  });
});

test("all other paths and methods are a 404", async ({ rest }) => {
  const requests = [
    ...[
      "",
      "/",
      "/nowhere",
      "/account//",
      "//account",
      "/Account",
      "/messages/a/b",
      "/messages/%E0%A4%A",
      "/senders/a/b",
    ],
  ].map((path) => ({ method: "GET", path }));
  requests.push({ method: "OPTIONS", path: "/nowhere" });
  for (const request of requests) {
    const error = await rest.refusal(404, request);
    expect(error, `${request.method} ${request.path}`).toMatchObject({
      param: null,
      details: { reason: "unknown_path" },
    });
  }
});

test("a path without an operation for the method names the methods that it has", async ({ rest }) => {
  const LIST = "GET, HEAD, OPTIONS";
  const cases: [methods: string, path: string, allow: string][] = [
    ["PUT PATCH DELETE POST", "/messages", LIST],
    ["PUT PATCH DELETE POST", "/account/", LIST],
    ["PUT POST DELETE", "/messages/msg_1", LIST],
    ["GET HEAD PUT", "/webhooks/whe_1/test", "POST, OPTIONS"],
    ["GET HEAD DELETE", "/messages/send", "POST, OPTIONS"],
    ["GET PATCH DELETE", "/api-keys/create", "POST, OPTIONS"],
    ["PUT POST", "/webhooks/whe_1", "GET, HEAD, PATCH, DELETE, OPTIONS"],
    ["GET POST", "/api-keys/key_1", "PATCH, DELETE, OPTIONS"],
    ["POST DELETE", "/openapi.json", LIST],
    ["PUT", "/openapi.yaml", LIST],
  ];
  for (const [methods, path, allow] of cases) {
    for (const method of methods
      .split(" ")
      .filter((one) => one !== "HEAD" && !(one === "GET" && allow.startsWith("G")))) {
      const answer = await rest.ask({ method, path });
      expect([answer.status, answer.headers.get("allow")], `${method} ${path}`).toEqual([404, allow]);
    }
  }
  const error = await rest.refusal(404, { method: "PUT", path: "/messages" });
  expect(error).toMatchObject({ param: null, details: { reason: "method_not_allowed" } });
});

test("HEAD is GET without its body, OPTIONS names the methods, and a trailing slash makes no difference", async ({
  service,
  account,
  rest,
}) => {
  const ask = (method: string, path: string, key = account.apiKey) =>
    fetch(`${service.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  for (const [path, status] of [
    ["/account", 200],
    ["/messages/none", 404],
  ] as const) {
    const head = await ask("HEAD", path);
    expect([head.status, await head.text()]).toEqual([status, ""]);
    expect(Number(head.headers.get("content-length"))).toBe((await (await ask("GET", path)).text()).length);
  }
  const options = await ask("OPTIONS", "/webhooks/whe_1");
  expect([options.status, options.headers.get("allow"), await options.text()]).toEqual([
    204,
    "GET, HEAD, PATCH, DELETE, OPTIONS",
    "",
  ]);
  const ofDocument = await fetch(`${service.url}/api/v1/openapi.json`, { method: "OPTIONS" });
  expect([ofDocument.status, ofDocument.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  for (const method of ["OPTIONS", "HEAD"]) expect((await ask(method, "/account", UNKNOWN_KEY)).status).toBe(401);
  expect(await (await ask("GET", "/api-keys/")).json()).toMatchObject({ data: { object: "list" } });
  const message = { to: "+15550100008", from: account.sender, body: "Hello" };
  const headers = { "idempotency-key": "slash" };
  const { id } = await rest.post<{ id: string }>("/messages/send", message, headers);
  const again = await ask("GET", "/messages/");
  expect(await again.json()).toMatchObject({ data: [{ id }] });
});

test("a caller's own X-Request-Id is returned, unless it could do harm", async ({ rest }) => {
  const idFor = async (id: string) => {
    const answer = await rest.ask({ method: "GET", path: "/account", headers: { "x-request-id": id } });
    return answer.headers.get("x-request-id");
  };
  expect(await idFor("checkout-4711")).toBe("checkout-4711");
  for (const id of ["", "a b", "x".repeat(129), '"quoted"']) expect(await idFor(id), id).toBeNull();
});

test("large responses are compressed for callers that can read it, small ones for nobody", async ({
  service,
  account,
  rest,
}) => {
  const recipients = Array.from({ length: 60 }, (_, at) => `nobody ${at}`);
  const sent = await rest.post("/messages/bulk", { recipients, from: account.sender, body: "Hello" });
  expect(sent).toMatchObject({ failed: 60 });
  const ask = async (path: string, coding: string) => {
    const headers = { authorization: `Bearer ${account.apiKey}`, "accept-encoding": coding };
    const answer = await fetch(`${service.url}/api/v1${path}`, { headers });
    const { data } = (await answer.json()) as { data: unknown };
    return { data, coding: answer.headers.get("content-encoding"), vary: answer.headers.get("vary") };
  };
  const plain = await ask("/messages", "identity");
  expect([plain.coding, plain.vary]).toEqual([null, "accept-encoding"]);
  for (const [asked, coding] of [
    ["gzip", "gzip"],
    ["gzip, deflate, br", "br"],
    ["br;q=0, gzip;q=0.5", "gzip"],
  ] as const) {
    const found = await ask("/messages", asked);
    expect(found.coding).toBe(coding);
    expect(found.data).toEqual(plain.data);
  }
  expect((await ask("/account", "gzip, br")).coding).toBeNull();
});

test("a body that is not a JSON object is a 400, whatever the operation", async ({ rest }) => {
  for (const path of POSTS) {
    for (const text of ["{", BROKEN, "[]", "null", '"text"', "5", '{"a":1}x', "{'a':1}", "to=%2B14155550123"]) {
      const error = await post(rest, path, text);
      expect(error, `${path}: ${text}`).toMatchObject({ param: null, details: { reason: "malformed_json" } });
    }
  }
  for (const path of CREATING) expect((await post(rest, path, "")).details.reason, path).toBe("malformed_json");
  // These operations use nothing of the body, but it must be readable all the same.
  for (const operation of ["test", "enable", "rotate-secret"]) {
    const error = await post(rest, `/webhooks/whe_1/${operation}`, BROKEN);
    expect(error, operation).toMatchObject({ details: { reason: "malformed_json" } });
  }
});

test("a body of another content type is a 400, whatever it contains", async ({ rest }) => {
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json"];
  for (const path of POSTS) {
    for (const type of [...types, "application/jsonp", "application/json-patch+json", "", null]) {
      const error = await post(rest, path, "{}", type ?? "text/plain;charset=UTF-8");
      expect(error, `${path}: ${type}`).toMatchObject({ param: null, details: { reason: "wrong_content_type" } });
    }
  }
});

test("JSON is JSON in any spelling of its content type", async ({ rest, account }) => {
  const text = JSON.stringify({ to: "+15550100008", from: account.sender, body: "Grüße 😀" });
  for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/json ;charset=UTF-8"]) {
    const headers = { "content-type": type };
    const answer = await rest.ask({ method: "POST", path: "/messages/send", text, headers });
    expect(answer.status, type).toBe(201);
    expect(answer.body.data).toMatchObject({ body: "Grüße 😀" });
  }
});

test("a body may have 1 MiB and not a byte more, whatever the operation", async ({ rest, account }) => {
  const message = JSON.stringify({ to: "+15550100008", from: account.sender, body: "Hello" });
  const largest = { method: "POST", path: "/messages/send", text: message.padEnd(BODY_MAX_BYTES) };
  expect((await rest.ask(largest)).status).toBe(201);
  for (const path of POSTS) {
    for (const size of [BODY_MAX_BYTES + 1, BODY_MAX_BYTES * 4]) {
      const error = await post(rest, path, message.padEnd(size));
      expect(error, `${path}: ${size}`).toMatchObject({ param: null, details: { reason: "body_too_large" } });
    }
  }
  expect(await balanceOf(rest)).toBe(99.99);
});

test("unknown fields are ignored, even with malicious names, but reported", async ({ rest, account }) => {
  const message = { to: "+15550100008", from: account.sender, body: "Hello", campaign: "spring", id: "msg_1" };
  const evil = JSON.stringify(message).replace("{", '{"__proto__":{"status":"delivered"},"constructor":null,');
  const answer = await rest.ask({ method: "POST", path: "/messages/send?send_at=tomorrow", text: evil });
  expect(answer.body.data).toMatchObject({ status: "pending", id: expect.stringMatching(/^msg_[0-9a-z]{26}$/) });
  const unknown = ["__proto__", "constructor", "campaign", "id", "send_at"];
  expect(answer.body.meta.warnings?.map(({ code, param }) => [code, param])).toEqual(
    unknown.map((param) => ["unknown_parameter", param]),
  );
  const list = await rest.ask({ method: "GET", path: "/messages?unknown=1&__proto__=1" });
  expect(list.body.data).toHaveLength(1);
  expect(list.body.meta.warnings?.map(({ param }) => param)).toEqual(["unknown", "__proto__"]);
  expect((await rest.ask({ method: "GET", path: "/messages?limit=1" })).body.meta.warnings).toBeUndefined();
});

test("with strict handling a name that an operation does not know is a 400, and nothing is done", async ({
  rest,
  account,
}) => {
  const strict = { prefer: "handling=strict" };
  const body = { to: "+15550100008", from: account.sender, body: "Hello", flash: true };
  const send = { method: "POST", path: "/messages/send", headers: strict };
  const refused = await rest.ask({ ...send, body });
  expect([refused.status, refused.headers.get("preference-applied")]).toEqual([400, "handling=strict"]);
  expect(refused.body.error).toMatchObject({ param: "flash", details: { reason: "unknown_parameter" } });
  for (const path of ["messages?refrence=order-1", "account?x=1", "balance?x=1", "api-keys?x=1", "webhooks?page=2"].map(
    (path) => `/${path}`,
  )) {
    const error = await rest.refusal(400, { method: "GET", path, headers: strict });
    expect(error.param, path).toBe(path.split(/[?=]/)[1]);
  }
  expect((await rest.page("/messages")).items).toEqual([]);
  const { flash: _, ...known } = body;
  const sent = await rest.ask({ ...send, body: known });
  expect([sent.status, sent.headers.get("preference-applied")]).toEqual([201, "handling=strict"]);
});

test("several wrong fields are all named, the first one as param", async ({ rest }) => {
  const error = await rest.refusal(400, {
    method: "POST",
    path: "/messages/send",
    body: { to: 5, body: "", from: "" },
  });
  expect(error.param).toBe("to");
  const issues = error.details.issues as { param: string; message: string }[];
  expect(issues.map((issue) => issue.param).sort()).toEqual(["body", "from", "to"]);
});

test("a thousand wrong recipients do not get a thousand reasons in the response", async ({ rest, account }) => {
  const recipients = Array<number>(1_000).fill(5);
  const body = { recipients, from: account.sender, body: "Hello" };
  const error = await rest.refusal(400, { method: "POST", path: "/messages/bulk", body });
  expect(error.param).toBe("recipients[0]");
  expect((error.details.issues as unknown[]).length).toBeLessThanOrEqual(20);
});
