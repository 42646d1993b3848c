import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { json, listed, META, type Responder, refusal, type Seen, startStub, success } from "../../stub-service";
import { verifyWebhook } from "../webhooks";
import { COMMANDS } from "./commands";
import { run } from "./run";

/** Requests as lines of text. */
const linesOf = (seen: Seen[]) => seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
const message = (id: string, status: string) => ({
  id,
  status,
  to: "+14155550123",
  from: "DEMO",
  created_at: "2026-01-31T12:00:00.000Z",
  cost: 0.01,
  currency: "EUR",
  error: null,
});

async function terminal(argv: string[], baseUrl = "", signal = new AbortController().signal) {
  const output: string[] = [];
  const errors: string[] = [];
  const code = await run(argv, {
    environment: { BASE_URL: baseUrl, API_KEY: "ds_live_test" },
    print: (line) => output.push(line),
    printError: (line) => errors.push(line),
    signal,
  });
  return { code, output, errors };
}

test("send prints the message, and waits for its final status if asked", async () => {
  const statuses = ["sent", "delivered"];
  const { baseUrl, seen } = await startStub(({ url }) =>
    success(message("msg_1", url.endsWith("/send") ? "pending" : (statuses.shift() ?? "delivered"))),
  );
  const words = ["send", "--to", "+14155550123", "--from", "DEMO", "--body", "Hello"];
  expect(await terminal(words, baseUrl)).toEqual({
    code: 0,
    output: ["2026-01-31T12:00:00.000Z  msg_1  pending      DEMO -> +14155550123  0.01 EUR"],
    errors: [],
  });
  expect(linesOf(seen)).toEqual(['POST /api/v1/messages/send {"to":"+14155550123","from":"DEMO","body":"Hello"}']);
  const waited = await terminal([...words, "--wait", "--json"], baseUrl);
  expect(JSON.parse(waited.output[0] ?? "")).toMatchObject({ id: "msg_1", status: "delivered" });
});

test("send --wait that is interrupted is exit code 1: the message may not be delivered", async () => {
  const stop = new AbortController();
  const { baseUrl, seen } = await startStub(({ url }) =>
    success(message("msg_1", url.endsWith("/send") ? "pending" : "sent")),
  );
  const words = ["send", "--to", "+14155550123", "--from", "DEMO", "--body", "Hello", "--wait"];
  const waiting = terminal(words, baseUrl, stop.signal);
  await expect.poll(() => seen.length).toBeGreaterThan(1);
  stop.abort();
  const errors = ["Interrupted. The message msg_1 was accepted, and is not canceled."];
  expect(await waiting).toEqual({ code: 1, output: [], errors });
});

test("send --wait names the message that was accepted when its status cannot be read", async () => {
  const { baseUrl } = await startStub(({ url }) =>
    url.endsWith("/send") ? success(message("msg_1", "pending")) : refusal(403),
  );
  const words = ["send", "--to", "+14155550123", "--from", "DEMO", "--body", "Hello", "--wait"];
  const errors = [
    "The message msg_1 was accepted, but its status could not be read: 403 No. (some_code, param to, req_1)",
  ];
  expect(await terminal(words, baseUrl)).toEqual({ code: 1, output: [], errors });
});

describe("a command that creates something", () => {
  const SEND = ["send", "--to", "+14155550123", "--from", "DEMO", "--body", "Hello"];
  const CREATE = ["keys", "create", "--name", "Shop"];

  test.each([
    ["send", SEND, () => (response: ServerResponse) => response.destroy(), "does not respond: "],
    ["send", SEND, () => refusal(500), "500 No."],
    ["keys create", CREATE, () => refusal(503), "503 No."],
    ["trigger", ["trigger", "message.failed", "--from", "DEMO"], () => refusal(503), "503 No."],
  ])("%s says how to repeat it if it may have been carried out", async (_, words, fail, problem) => {
    let answer: () => Responder = fail;
    const { baseUrl, seen } = await startStub(() => answer());
    const { code, errors } = await terminal(words, baseUrl);
    expect(code).toBe(1);
    expect(errors[0]).toContain(problem);
    const [, key = ""] = /--idempotency-key (\S+)/.exec(errors[0] ?? "") ?? [];
    expect(key).toBe(seen[0]?.headers["idempotency-key"]);
    answer = () => success({ ...message("msg_1", "pending"), plain_key: "ds_live_x", name: "Shop" });
    expect(await terminal([...words, "--idempotency-key", key], baseUrl)).toMatchObject({ code: 0, errors: [] });
    expect(new Set(seen.map(({ headers }) => headers["idempotency-key"]))).toEqual(new Set([key]));
  });

  test.each([
    ["refused", () => refusal(400)],
    ["not carried out for certain", () => refusal(503, { carried_out: false })],
  ])("does not say so where it was %s", async (_, fail) => {
    const { baseUrl } = await startStub(fail);
    const { errors } = await terminal(SEND, baseUrl);
    expect(errors).toEqual([expect.stringMatching(/^\d+ No\. \(some_code, param to, req_1\)$/)]);
  });
});

test("keys create takes a list of permissions with spaces, as listen takes one of event types", async () => {
  const { baseUrl, seen } = await startStub(() => success({ id: "key_1", plain_key: "ds_live_x", name: "Shop" }));
  await terminal(["keys", "create", "--name", "Shop", "--permissions", "sms:send, sms:read"], baseUrl);
  expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ name: "Shop", permissions: ["sms:send", "sms:read"] });
});

test("messages tail ends with exit code 0 when it is interrupted", async () => {
  const stop = new AbortController();
  const { baseUrl, seen } = await startStub(() => listed([message("msg_1", "sent")]));
  const following = terminal(["messages", "tail"], baseUrl, stop.signal);
  await expect.poll(() => seen.length).toBeGreaterThan(1);
  stop.abort();
  expect(await following).toEqual({ code: 0, output: [], errors: [] });
});

test("--json prints one object per line", async () => {
  const { baseUrl } = await startStub(() => success(message("msg_1", "sent")));
  const { output } = await terminal(["messages", "get", "msg_1", "--json"], baseUrl);
  expect(output).toEqual([JSON.stringify(message("msg_1", "sent"))]);
});

test("without --json people read lines, not JSON", async () => {
  const { baseUrl } = await startStub(({ url }) =>
    success(
      url.endsWith("/balance")
        ? { object: "balance", livemode: !url.includes("test"), balance: 12.5, currency: "EUR" }
        : { id: "msg_1", body: "two\nlines\u001b[31m", error: null, metadata: { order: "1" }, attempts: 0 },
    ),
  );
  expect((await terminal(["messages", "get", "msg_1"], baseUrl)).output).toEqual([
    ["id        msg_1", "body      two\\nlines\\u001b[31m", 'metadata  {"order":"1"}', "attempts  0"].join("\n"),
  ]);
  expect((await terminal(["balance"], baseUrl)).output).toEqual(["12.5 EUR"]);
  expect((await terminal(["balance"], `${baseUrl}/test`)).output).toEqual(["12.5 EUR  (test mode)"]);
});

test("what a list shows of a recipient cannot steer the terminal", async () => {
  const { baseUrl } = await startStub(() => listed([{ ...message("msg_1", "failed"), to: "a\u001b[2J\u009b1A\nb" }]));
  const { output } = await terminal(["messages", "list"], baseUrl);
  expect(output[0]).toContain("DEMO -> a\\u001b[2J\\u009b1A\\nb");
});

test("a service that does not respond is named with the cause, also where the name has two addresses", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  for (const host of ["localhost", "127.0.0.1"]) {
    const { errors, code } = await terminal(["balance"], `http://${host}:${port}`);
    expect(errors).toEqual([expect.stringMatching(`^http://${host}:${port} does not respond: .*ECONNREFUSED`)]);
    expect(code).toBe(1);
  }
});

test("keys list says of a key that was revoked or has expired that it no longer works", async () => {
  const keys = [
    { id: "key_2", key_hint: "ds_live_AbCd…wXyZ", name: "Shop", is_active: true },
    { id: "key_1", key_hint: "ds_live_EfGh…uVwX", name: "Old shop", is_active: false },
  ];
  const { baseUrl } = await startStub(() => success({ object: "list", data: keys }));
  const { output } = await terminal(["keys", "list"], baseUrl);
  expect(output).toEqual(["key_2  ds_live_AbCd…wXyZ  Shop", "key_1  ds_live_EfGh…uVwX  Old shop  (no longer works)"]);
});

test("keys revoke --cascade revokes the keys that were created with it too", async () => {
  const { baseUrl, seen } = await startStub(() => success({ id: "key_1", object: "api_key", deleted: true }));
  const { output } = await terminal(["keys", "revoke", "key_1", "--cascade"], baseUrl);
  expect(output).toEqual(["key_1 is revoked"]);
  expect(linesOf(seen)).toEqual(["DELETE /api/v1/api-keys/key_1?cascade=true"]);
});

test("a message that failed is exit code 1 with its reason", async () => {
  const error = { code: "no_route", message: "There is no route for this number." };
  const { baseUrl } = await startStub(() => success({ ...message("msg_1", "failed"), error }));
  const words = ["send", "--to", "+999", "--from", "DEMO", "--body", "Hello"];
  expect(await terminal(words, baseUrl)).toMatchObject({ code: 1, errors: ["There is no route for this number."] });
});

test("a refusal names status, reason, parameter and request", async () => {
  const error = { type: "invalid_request_error", code: "invalid_request", message: "No.", param: "to", details: {} };
  const { baseUrl } = await startStub(() => json(400, { success: false, error, meta: META }));
  expect(await terminal(["balance"], baseUrl)).toMatchObject({
    code: 1,
    errors: ["400 No. (invalid_request, param to, req_1)"],
  });
});

const BASE = ["--base-url", "http://localhost:1"];
const literally = (text: string) => new RegExp(`^${text.replace(/[.*]/g, "\\$&")}$`);
test.each<[string[], string | RegExp]>([
  [["fax"], "There is no command fax. `messaging-service help` lists them."],
  [["send", "--to", "+14155550123"], "--from <sender> is missing."],
  [["messages", "get"], "Give <id>."],
  [["balance", "now"], "Unexpected argument now."],
  [["balance"], "Set BASE_URL, or give --base-url."],
  [["messages"], "There is no command messages: messages list, messages get, messages tail."],
  [["keys", "delete", "key_1"], "There is no command keys delete: keys list, keys create, keys revoke."],
  [["balance", "--fast"], "There is no option --fast. `messaging-service balance --help` lists them."],
  [["messages", "list", "-x"], "There is no option -x. `messaging-service messages list --help` lists them."],
  [["balance", "--base-url", "nowhere"], "nowhere is not a URL that begins with http:// or https://."],
  [["balance", "--base-url", "localhost:3000"], "localhost:3000 is not a URL that begins with http:// or https://."],
  [["messages", "list", "--limit", "0", ...BASE], "--limit must be a whole number from 1."],
  [
    ["trigger", "message.lost", "--from", "DEMO", ...BASE],
    /^There is no scenario for message.lost: message.delivered, /,
  ],
  [["listen", "--forward-to", "ftp://a", ...BASE], "ftp://a is not a URL that begins with http:// or https://."],
  [["listen", "--forward-to", "localhost:1", "--secret", "abc", ...BASE], "--secret must be whsec_ and base64."],
  [
    ["listen", "--forward-to", "http://localhost:1", "--events", "message.sent,message.recieved", ...BASE],
    "There is no event type message.recieved: message.sent, message.delivered, message.failed, message.received, or * for all but message.received.",
  ],
])("%j is refused with exit code 2", async (argv, reason) => {
  const { code, output, errors } = await terminal(argv);
  expect({ code, output }).toEqual({ code: 2, output: [] });
  expect(errors).toEqual([expect.stringMatching(reason instanceof RegExp ? reason : literally(reason))]);
});

test("help lists every command, and a command's options", async () => {
  expect((await terminal([])).output[0]).toContain("messages tail");
  expect((await terminal(["listen", "--help"])).output[0]).toContain("--forward-to <url>");
  expect(await terminal(["listen", "-h"])).toEqual(await terminal(["listen", "--help"]));
  const { output } = await terminal(["keys", "--help"]);
  expect(output[0]).toContain("keys revoke");
  expect(output[0]).not.toContain("balance");
});

test("requests name the command line before the client that it uses", async () => {
  const { version } = JSON.parse(readFileSync("sdk/package.json", "utf8"));
  const { baseUrl, seen } = await startStub(() => success(message("msg_1", "sent")));
  await terminal(["messages", "get", "msg_1"], baseUrl);
  expect(seen[0]?.headers["user-agent"]).toBe(
    `messaging-service-cli/${version} messaging-service-typescript/${version} node/${process.versions.node}`,
  );
});

test("--version prints the version of the package", async () => {
  const { version } = JSON.parse(readFileSync("sdk/package.json", "utf8"));
  expect(await terminal(["--version"])).toEqual({ code: 0, output: [version], errors: [] });
});

test("help begins every explanation in one column, however long the command is", async () => {
  const lines = ((await terminal(["help"])).output[0] ?? "").split("\n");
  const starts = COMMANDS.map(({ help }) => lines.find((line) => line.endsWith(help))?.lastIndexOf(help));
  expect([...new Set(starts)]).toEqual([26]);
});

/** Event types that `listen` posts, when each poll finds a new status change and a new inbound message. */
async function forwardedTypes(options: string[], count: number) {
  const lists: { statuses: object[]; inbound: object[] } = { statuses: [], inbound: [] };
  const { baseUrl, seen } = await startStub(({ url }) => {
    const isReceived = url.includes("type=message.received");
    const items = isReceived ? lists.inbound : lists.statuses;
    const types = isReceived ? ["message.received"] : ["message.sent", "message.failed"];
    // The newest come first. The first reading of a list shows events from before.
    for (const type of types)
      items.unshift({ id: `${type}-${items.length}`, type, created_at: "now", data: { id: "x" } });
    return listed(items.slice(0, 100));
  });
  const { baseUrl: url, seen: received } = await startStub(() => (response) => response.end());
  const stop = new AbortController();
  const listening = terminal(["listen", "--forward-to", url, ...options], baseUrl, stop.signal);
  await expect.poll(() => received.length).toBeGreaterThanOrEqual(count);
  stop.abort();
  expect(await listening).toMatchObject({ code: 0, errors: [] });
  const types = received.map(({ body }) => JSON.parse(body).type as string);
  return { types: [...new Set(types)].sort(), urls: [...new Set(seen.map((request) => request.url))].sort() };
}

const STATUSES = "/api/v1/events?limit=100&page=1";
const INBOUND = "/api/v1/events?type=message.received&limit=100&page=1";
test.each([
  { options: [], types: ["message.failed", "message.sent"], urls: [STATUSES] },
  { options: ["--events", "message.failed"], types: ["message.failed"], urls: [STATUSES] },
  { options: ["--events", "message.received"], types: ["message.received"], urls: [INBOUND] },
  {
    options: ["--events", "*, message.received"],
    types: ["message.failed", "message.received", "message.sent"],
    urls: [STATUSES, INBOUND],
  },
])("listen $options forwards $types", async ({ options, types, urls }) => {
  expect(await forwardedTypes(options, types.length + 1)).toEqual({ types, urls });
});

test("listen forwards new events in order, signed, and not those from before", async () => {
  const event = (id: string) => ({
    id,
    object: "event",
    type: "message.sent",
    created_at: "2026-01-31T12:00:00.000Z",
    data: message("msg_1", "sent"),
  });
  const events = [event("evt_0")];
  const { baseUrl } = await startStub(() => listed(events));
  const { baseUrl: url, seen: received } = await startStub(() => (response) => response.end());
  const stop = new AbortController();
  const secret = "whsec_bG9jYWw=";
  const words = ["listen", "--forward-to", url.replace("http://", ""), "--secret", secret, "--json"];
  const listening = terminal(words, baseUrl, stop.signal);
  // The stub shows new events once the list was read for the first time.
  await expect.poll(() => events.unshift(event(`evt_${events.length}`)) && received.length).toBeGreaterThan(2);
  stop.abort();
  const { code, output, errors } = await listening;
  expect({ code, errors }).toEqual({ code: 0, errors: [] });
  const [first, ...printed] = output.map((line) => JSON.parse(line));
  expect(first).toEqual({ forward_to: url, signing_secret: secret });
  const { id } = JSON.parse(received[0]?.body ?? "");
  expect(printed[0]).toEqual({ event: event(id), status_code: 200, latency_ms: expect.any(Number) });
  const verified = await Promise.all(
    received.map(({ body, headers }) =>
      verifyWebhook({ rawBody: body, header: String(headers["service-signature"]), secret }),
    ),
  );
  const numbers = verified.map(({ id }) => Number(id.slice(4)));
  expect(numbers).not.toContain(0);
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
});
