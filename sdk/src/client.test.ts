import { describe, expect, test } from "vitest";
import { json, listed, META, type Responder, refusal, type Seen, startStub, success } from "../stub-service";
import { ApiError, type ClientOptions, MessagingClient } from "./client";
import { OPERATIONS } from "./operations";

/** Time limit of a try that is to pass it. The next try must not: it is given as much, on a machine that others keep busy. */
const SHORT_MS = 4_000;

const created = success({ id: "msg_1", status: "pending" }, 201);
const unavailable = refusal(503);
const dropped: Responder = (response) => response.destroy();
/** The connection is lost within the body. */
const cut: Responder = (response) => {
  response.writeHead(201, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"success":', () => response.destroy());
};
const hanging: Responder = () => undefined;

/** A service that gives these responses in turn, and repeats the last. */
async function serve(answers: Responder[], options: Partial<ClientOptions> = {}) {
  const { baseUrl, seen } = await startStub((_request, index) => answers[Math.min(index, answers.length - 1)]);
  return { seen, client: new MessagingClient({ baseUrl, apiKey: "ds_live_test", backoffMs: 1, ...options }) };
}

const body = { to: "+14155550123", from: "DEMO", body: "Hello" };
const keysOf = (seen: Seen[]) => seen.map(({ headers }) => headers["idempotency-key"]);
/** Calls a method with an id or a body, whichever it takes: the stub accepts both. */
const invoke = (resource: object, name: string): Promise<unknown> =>
  (resource as Record<string, (id: string, body: object) => Promise<unknown>>)[name]?.("some_id", {}) ??
  Promise.resolve();
const failure = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => null,
    (thrown: unknown) => thrown,
  );

describe("calls", () => {
  test("are authenticated JSON and resolve to the data", async () => {
    const { client, seen } = await serve([created]);
    expect(await client.messages.send(body)).toEqual({ id: "msg_1", status: "pending" });
    expect(seen).toMatchObject([
      {
        method: "POST",
        url: "/api/v1/messages/send",
        headers: {
          authorization: "Bearer ds_live_test",
          "content-type": "application/json",
          prefer: "handling=strict",
        },
      },
    ]);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual(body);
  });

  test("ask for strict handling of unknown fields unless the client is lenient", async () => {
    const { client, seen } = await serve([created], { handling: "lenient" });
    await client.messages.send(body);
    expect(seen[0]?.headers.prefer).toBe("handling=lenient");
  });

  test("by operation id resolve to the envelope with the raw response", async () => {
    const { client } = await serve([created]);
    const reply = await client.request("sendMessage", { body });
    expect(reply).toMatchObject({ success: true, data: { id: "msg_1" }, meta: META });
    expect(reply.response.status).toBe(201);
    expect(await reply.response.json()).toMatchObject({ data: { id: "msg_1" } });
  });

  test("put parameters where they belong", async () => {
    const { client, seen } = await serve([listed([], null), success({})]);
    await client.messages.list({ to: "+14155550123", limit: 5 });
    await client.apiKeys.revoke("key/1");
    await client.apiKeys.revoke("key_2", { cascade: true });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /api/v1/messages?to=%2B14155550123&limit=5&page=1",
      "DELETE /api/v1/api-keys/key%2F1",
      "DELETE /api/v1/api-keys/key_2?cascade=true",
    ]);
  });

  test("that cancel post to the message, without a body, and resolve to it as it ended", async () => {
    const canceled = { id: "msg_1", status: "failed", error: { code: "canceled" }, cost: 0 };
    const { client, seen } = await serve([success(canceled)]);
    expect(await client.messages.cancel("msg_1")).toEqual(canceled);
    expect(seen).toMatchObject([{ method: "POST", url: "/api/v1/messages/msg_1/cancel", body: "" }]);
    expect(keysOf(seen)).toEqual([undefined]);
  });

  test("that reschedule post the new time to the message, and resolve to it", async () => {
    const { client, seen } = await serve([success({ id: "msg_1" })]);
    const asked = { send_at: "2026-02-01T20:00:00+01:00", quiet_hours: "ignore" } as const;
    expect(await client.messages.reschedule("msg_1", asked)).toEqual({ id: "msg_1" });
    const sent = seen.map(({ url, body }) => [url, JSON.parse(body), ...keysOf(seen)]);
    expect(sent).toEqual([["/api/v1/messages/msg_1/reschedule", asked, undefined]]);
  });

  test("that redact post to the message, without a body, and resolve to it without its text", async () => {
    const redacted = { id: "msg_1", status: "delivered", body: "" };
    const { client, seen } = await serve([success(redacted)]);
    expect(await client.messages.redact("msg_1")).toEqual(redacted);
    expect(seen).toMatchObject([{ method: "POST", url: "/api/v1/messages/msg_1/redact", body: "" }]);
    expect(keysOf(seen)).toEqual([undefined]);
  });

  test("that cancel too late throw the refusal with its reason", async () => {
    const { client } = await serve([refusal(400, { reason: "not_cancelable", status: "sent" })]);
    expect(await failure(client.messages.cancel("msg_1"))).toMatchObject({
      status: 400,
      details: { reason: "not_cancelable", status: "sent" },
    });
  });

  test.each([
    ["", "The parameter id is empty."],
    [".", "The parameter id is a step within a path."],
    ["..", "The parameter id is a step within a path."],
  ])("with the id %j are refused before they address another operation", async (id, message) => {
    const { client, seen } = await serve([created]);
    expect(await failure(client.messages.get(id))).toMatchObject({ name: "TypeError", message });
    expect(seen).toEqual([]);
  });

  test("are typed by the document", async () => {
    const { client } = await serve([created]);
    const { status } = await client.messages.send(body);
    const known: "pending" | "sent" | "delivered" | "failed" | "undelivered" = status;
    expect(known).toBe("pending");
    // @ts-expect-error a field that does not exist
    await client.messages.send({ ...body, unknown: 1 });
    // @ts-expect-error an operation that does not exist
    await expect(client.request("sendFax")).rejects.toThrow(TypeError);
  });

  test("exist as a method for every operation of the document", async () => {
    const { client, seen } = await serve([
      json(200, { success: true, data: [], meta: META, pagination: { has_more: false } }),
    ]);
    const resources = Object.values(client).filter((value) => typeof value === "object");
    for (const resource of resources) {
      const names = Object.getOwnPropertyNames(Object.getPrototypeOf(resource));
      for (const name of names) if (name !== "constructor" && name !== "verify") await invoke(resource, name);
    }
    const called = new Set(
      seen.map(({ method, url }) => `${method} ${url.replace(/\?.*/, "").replace("/api/v1", "")}`),
    );
    const documented = Object.values(OPERATIONS).map(
      ({ method, path }) => `${method} ${path.replace("{id}", "some_id")}`,
    );
    expect([...called].sort()).toEqual(documented.sort());
  });
});

describe("a list", () => {
  const ids = (...names: string[]) => names.map((id) => ({ id }));
  test("is its first page when awaited", async () => {
    const { client, seen } = await serve([listed(ids("msg_2"), "c1"), listed(ids("msg_1"), null)]);
    const page = await client.messages.list({ status: "failed" });
    expect(page).toMatchObject({ data: ids("msg_2"), pagination: { has_more: true }, meta: { next_cursor: "c1" } });
    const next = await page.nextPage();
    expect(next?.data).toEqual(ids("msg_1"));
    expect(next?.nextPage()).toBeNull();
    expect(seen.map(({ url }) => url)).toEqual([
      "/api/v1/messages?status=failed&page=1",
      "/api/v1/messages?status=failed&cursor=c1",
    ]);
  });

  test("is every item when iterated, page after page by cursors, with the same filters", async () => {
    const { client, seen } = await serve([listed(ids("evt_3", "evt_2"), "c1"), listed(ids("evt_1"), null)]);
    const all: string[] = [];
    for await (const { id } of client.events.list({ type: "message.received" })) all.push(id);
    expect(all).toEqual(["evt_3", "evt_2", "evt_1"]);
    expect(seen.map(({ url }) => url)).toEqual([
      "/api/v1/events?type=message.received&page=1",
      "/api/v1/events?type=message.received&cursor=c1",
    ]);
  });

  test("begins at the cursor or the page that is given", async () => {
    const { client, seen } = await serve([listed(ids("msg_1"), null)]);
    await client.messages.list({ cursor: "c7" });
    await client.messages.list({ page: 3 });
    expect(seen.map(({ url }) => url)).toEqual(["/api/v1/messages?cursor=c7", "/api/v1/messages?page=3"]);
  });

  test("takes the pairs of metadata as a filter", async () => {
    const { client, seen } = await serve([listed(ids("msg_1"), null)]);
    await client.messages.list({ metadata: { order: "4711", "a b": "c&d" } });
    const query = new URL(seen[0]?.url ?? "", "http://localhost").searchParams;
    expect([query.get("metadata[order]"), query.get("metadata[a b]")]).toEqual(["4711", "c&d"]);
  });

  test("takes a Date as a filter by time", async () => {
    const { client, seen } = await serve([listed(ids("msg_1"), null)]);
    await client.messages.list({ created_after: new Date(0), created_before: "2026-01-31T12:00:00Z" });
    const query = new URL(seen[0]?.url ?? "", "http://localhost").searchParams;
    expect(query.get("created_after")).toBe("1970-01-01T00:00:00.000Z");
    expect(query.get("created_before")).toBe("2026-01-31T12:00:00Z");
  });

  test.each([
    ["created_after", new Date("yesterday"), "is not a valid date"],
    ["status", ["failed"], "has no form as text"],
    ["to", new URL("tel:+14155550123"), "has no form as text"],
    ["metadata", { order: { id: 4711 } }, "has no form as text"],
    ["reference", () => "order-4711", "has no form as text"],
  ])("refuses a filter that it cannot express: %s", async (name, value, reason) => {
    const { client, seen } = await serve([listed(ids("msg_1"), null)]);
    const message = expect.stringMatching(`^The parameter ${name}.* ${reason}`);
    expect(await failure(client.messages.list({ [name]: value }))).toMatchObject({ name: "TypeError", message });
    expect(seen).toEqual([]);
  });

  test("that fails throws from the loop", async () => {
    const { client } = await serve([refusal(403)]);
    const loop = async () => {
      for await (const item of client.messages.list()) throw new Error(`unexpected ${item.id}`);
    };
    expect(await failure(loop())).toMatchObject({ name: "ApiError", status: 403 });
  });

  test("that fails before it is read throws when it is read, and not out of the process", async () => {
    const { client } = await serve([refusal(403)]);
    const list = client.messages.list();
    // Answered after the list, over the same connection.
    for (let time = 0; time < 3; time += 1) await failure(client.account.get());
    expect(await failure(list[Symbol.asyncIterator]().next())).toMatchObject({ name: "ApiError", status: 403 });
    expect(await failure(list)).toMatchObject({ status: 403 });
  });
});

describe("a creating request", () => {
  test("gets an Idempotency-Key, each its own", async () => {
    const { client, seen } = await serve([created]);
    await client.messages.send(body);
    await client.messages.send(body);
    const [first, second] = keysOf(seen);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
  });

  test("keeps the key that the caller gave", async () => {
    const { client, seen } = await serve([unavailable, created]);
    await client.messages.send(body, { idempotencyKey: "order-4711" });
    expect(keysOf(seen)).toEqual(["order-4711", "order-4711"]);
  });

  test("nothing else gets one", async () => {
    const { client, seen } = await serve([success({})]);
    await client.account.get();
    await client.messages.estimate(body);
    expect(keysOf(seen)).toEqual([undefined, undefined]);
  });
});

describe("retries", () => {
  test.each([
    ["a 5xx", unavailable],
    ["a lost connection", dropped],
    ["a connection lost within the answer", cut],
    ["a 429 that says when to come back", refusal(429, {}, { "retry-after": "0" })],
  ])("%s is tried again with the same body and key", async (_name, answer) => {
    const { client, seen } = await serve([answer, answer, created]);
    expect((await client.messages.send(body)).id).toBe("msg_1");
    expect(seen).toHaveLength(3);
    expect(new Set(keysOf(seen)).size).toBe(1);
    expect(new Set(seen.map((request) => request.body)).size).toBe(1);
  });

  test("a try that takes too long is ended and repeated", async () => {
    const { client, seen } = await serve([hanging, created], { timeoutMs: SHORT_MS });
    await client.messages.send(body);
    expect(seen).toHaveLength(2);
  });

  test("end with what the last try gave", async () => {
    const { client, seen } = await serve([unavailable], { retries: 2 });
    expect(await failure(client.account.get())).toMatchObject({ name: "ApiError", status: 503 });
    expect(seen).toHaveLength(3);
    const lost = await serve([dropped], { retries: 1 });
    expect(await failure(lost.client.account.get())).toBeInstanceOf(TypeError);
    expect(lost.seen).toHaveLength(2);
  });

  test.each([
    ["a refusal", refusal(400)],
    ["a 429 that does not say when to come back", refusal(429, {})],
    ["a limit of the day", refusal(429, { reason: "daily_limit" }, { "retry-after": "43200" })],
    ["a wait that is too long to be ours", refusal(429, {}, { "retry-after": "3600" })],
  ])("%s is not tried again", async (_name, answer) => {
    const { client, seen } = await serve([answer, created]);
    expect(await failure(client.messages.send(body))).toBeInstanceOf(ApiError);
    expect(seen).toHaveLength(1);
  });

  test("a POST that does more when it is carried out twice is repeated after a 429 only, because nothing was done", async () => {
    const lost = await serve([unavailable, success({})]);
    expect(await failure(lost.client.webhooks.test("whe_1"))).toBeInstanceOf(ApiError);
    expect(lost.seen).toHaveLength(1);
    const limited = await serve([refusal(429, {}, { "retry-after": "0" }), success({})]);
    await limited.client.webhooks.test("whe_1");
    expect(limited.seen).toHaveLength(2);
  });

  test("a POST without a key that does no more when it is repeated is tried again", async () => {
    const calls: ((client: MessagingClient) => Promise<unknown>)[] = [
      ({ messages }) => messages.estimate(body),
      ({ messages }) => messages.cancel("msg_1"),
      ({ messages }) => messages.redact("msg_1"),
      ({ messages }) => messages.reschedule("msg_1", { send_at: null }),
      ({ suppressions }) => suppressions.import({ numbers: ["+14155550123"] }),
      ({ webhooks }) => webhooks.enable("whe_1"),
      ({ webhooks }) => webhooks.pause("whe_1"),
      ({ webhooks }) => webhooks.resume("whe_1"),
      ({ webhooks }) => webhooks.recover("whe_1", { since: "2026-01-31T12:00:00Z" }),
    ];
    for (const call of calls) {
      for (const answer of [unavailable, dropped, cut]) {
        const { client, seen } = await serve([answer, success({})]);
        await call(client);
        expect(keysOf(seen)).toEqual([undefined, undefined]);
      }
    }
  });

  test("a key for an operation that ignores it makes nothing repeatable", async () => {
    for (const answer of [unavailable, dropped, cut]) {
      const { client, seen } = await serve([answer, success({})]);
      expect(await failure(client.webhooks.test("whe_1", { idempotencyKey: "mine" }))).toBeInstanceOf(Error);
      expect(keysOf(seen)).toEqual([undefined]);
    }
  });

  test("a body that takes too long is ended and repeated", async () => {
    const slow: Responder = (response) => void response.writeHead(201).write("{");
    const { client, seen } = await serve([slow, created], { timeoutMs: SHORT_MS });
    expect((await client.messages.send(body)).id).toBe("msg_1");
    expect(seen).toHaveLength(2);
  });

  test("the caller's signal ends them", async () => {
    const abort = new AbortController();
    const { client, seen } = await serve([unavailable], { retries: 1_000, backoffMs: 60_000 });
    const failed = failure(client.account.get({ signal: abort.signal }));
    await expect.poll(() => seen.length).toBe(1);
    abort.abort(new Error("enough"));
    expect(await failed).toMatchObject({ message: "enough" });
    expect(seen).toHaveLength(1);
  });
});
