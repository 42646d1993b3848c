import type { BulkResult, Message } from "@/server/messages/schema";
import { requiresKey, requiresPermission } from "../support/access";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { messageIn } from "../support/follow";

const SILENT = "+15550100008";

const sendTo = async (rest: CheckedApi, from: string, ...recipients: string[]): Promise<Message[]> =>
  (await rest.post<BulkResult>("/messages/bulk", { recipients, from, body: "Hello" })).messages;

const idsOf = (messages: Message[]) => messages.map((message) => message.id);

test.describe("GET /messages/{id}", () => {
  test("returns the message as it was accepted, with its current status", async ({ rest, account }) => {
    const input = { to: SILENT, from: account.sender, body: "Grüße" };
    const accepted = await rest.post<Message>("/messages/send", input);
    const sent = await messageIn(rest, accepted.id, "sent");
    const { status, attempts, provider_message_id, sent_at, ...unchanged } = sent;
    expect(accepted).toMatchObject(unchanged);
    expect([status, attempts]).toEqual(["sent", 1]);
    expect(provider_message_id).not.toBe("");
    expect(Date.parse(String(sent_at))).toBeGreaterThanOrEqual(Date.parse(accepted.created_at));
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    for (const id of ["msg_01k9x7t4m2e8v5q3r6w1y0z8ab", "msg_", "none", "1", "%F0%9F%98%80", "x".repeat(2_000)]) {
      const error = await rest.refusal(404, { method: "GET", path: `/messages/${id}` });
      expect(error).toMatchObject({ param: "id", details: {} });
    }
    expect(await rest.refusal(400, { method: "GET", path: "/messages/a%00b" })).toMatchObject({ param: "id" });
  });

  requiresPermission("sms:read", async (rest, { sender }) => {
    const [message] = await sendTo(rest, sender, SILENT);
    return { method: "GET", path: `/messages/${message?.id}` };
  });

  requiresKey("GET", "/messages/msg_01k9x7t4m2e8v5q3r6w1y0z8ab");

  test("cannot see another account", async ({ rest, account, stranger }) => {
    const [message] = await sendTo(rest, account.sender, SILENT);
    const request = { method: "GET", path: `/messages/${message?.id}` };
    expect((await rest.ask(request)).status).toBe(200);
    const foreign = await stranger.rest.refusal(404, request);
    const unknown = await stranger.rest.refusal(404, { ...request, path: "/messages/msg_01k9x7t4m2e8v5q3r6w1y0z8ab" });
    expect(foreign).toEqual(unknown);
  });
});

test.describe("GET /messages", () => {
  test("lists newest first, 50 a page unless asked otherwise, each message once", async ({ rest, account }) => {
    const bad = Array.from({ length: 57 }, (_, at) => `bad ${at}`);
    const failed = await sendTo(rest, account.sender, ...bad);
    const later = await sendTo(rest, account.sender, "bad again");
    const all = [...later, ...failed.reverse()];

    const first = await rest.page<Message>("/messages");
    expect(first.pagination).toEqual({ page: 1, limit: 50, total: 58, pages: 2, has_more: true });
    const second = await rest.page<Message>("/messages?page=2");
    expect(second.pagination).toEqual({ page: 2, limit: 50, total: 58, pages: 2, has_more: false });
    expect([...first.items, ...second.items]).toEqual(all);

    const middle = await rest.page<Message>("/messages?limit=10&page=3");
    expect(middle.pagination).toEqual({ page: 3, limit: 10, total: 58, pages: 6, has_more: true });
    expect(middle.items).toEqual(all.slice(20, 30));
    expect((await rest.page<Message>("/messages?limit=1")).items).toEqual(later);
    expect((await rest.page<Message>("/messages?limit=100")).pagination).toMatchObject({ pages: 1, has_more: false });
    for (const page of [3, 1_000, 2_147_483_647]) {
      const beyond = await rest.page<Message>(`/messages?page=${page}`);
      expect(beyond).toEqual({ items: [], pagination: { page, limit: 50, total: 58, pages: 2, has_more: false } });
    }
  });

  test("an account without messages has an empty list and no pages", async ({ rest }) => {
    const empty = { items: [], pagination: { page: 1, limit: 50, total: 0, pages: 0, has_more: false } };
    expect(await rest.page("/messages")).toEqual(empty);
  });

  test("filters by status, by recipient and by both", async ({ rest, account }) => {
    const [delivered, other, sent, failed] = await sendTo(
      rest,
      account.sender,
      ...["+15550100001", "+15550100001", SILENT, "nobody"],
    );
    if (!delivered || !other || !sent || !failed) throw new Error("Four messages were sent.");
    for (const { id } of [delivered, other]) await messageIn(rest, id, "delivered");
    await messageIn(rest, sent.id, "sent");
    const found = async (query: string) => {
      const { items, pagination } = await rest.page<Message>(`/messages?${query}`);
      expect(pagination.total).toBe(items.length);
      return idsOf(items);
    };
    const to = (number: string) => `to=${encodeURIComponent(number)}`;
    expect(await found("status=delivered")).toEqual([other.id, delivered.id]);
    expect(await found("status=sent")).toEqual([sent.id]);
    expect(await found("status=failed")).toEqual([failed.id]);
    expect(await found("status=pending")).toEqual([]);
    expect(await found("status=undelivered")).toEqual([]);
    expect(await found(to(SILENT))).toEqual([sent.id]);
    expect(await found(`to=${SILENT}`), "its plus arrives as a space").toEqual([sent.id]);
    expect(await found(to("+1555010000"))).toEqual([]);
    expect(await found(`status=delivered&${to(SILENT)}`)).toEqual([]);
    expect(await found(`status=sent&${to(SILENT)}`)).toEqual([sent.id]);
    const { items, pagination } = await rest.page<Message>("/messages?status=delivered&limit=1&page=2");
    expect(idsOf(items)).toEqual([delivered.id]);
    expect(pagination).toEqual({ page: 2, limit: 1, total: 2, pages: 2, has_more: false });
  });

  test("filters by reference, by sender and by key, and finds nothing for others", async ({ rest, account, keyed }) => {
    const bulk = await keyed({ permissions: ["sms:send", "sms:read"] });
    const send = (api: CheckedApi, reference?: string) =>
      api.post<Message>("/messages/send", { to: SILENT, from: account.sender, body: "Hello", reference });
    const first = await send(rest, "order-1");
    const second = await send(bulk, "order-1");
    const third = await send(bulk);
    expect([first.reference, third.reference]).toEqual(["order-1", null]);
    const found = async (query: string) => {
      const { items, pagination } = await rest.page<Message>(`/messages?${query}`);
      expect(pagination.total).toBe(items.length);
      return idsOf(items);
    };
    const { data: keys } = await rest.get<{ data: { id: string; name: string }[] }>("/api-keys");
    const keyId = keys.find(({ name }) => name === "Test")?.id;
    expect(await found("reference=order-1")).toEqual([second.id, first.id]);
    expect(await found("reference=order")).toEqual([]);
    expect(await found(`from=${account.sender}`)).toEqual([third.id, second.id, first.id]);
    expect(await found("from=NOBODY")).toEqual([]);
    expect(await found(`api_key_id=${keyId}`)).toEqual([third.id, second.id]);
    expect(await found(`api_key_id=${keyId}&reference=order-1`)).toEqual([second.id]);
    expect(await found("reference=")).toEqual([]);
    const empty = await send(rest, "");
    expect(empty.reference).toBe("");
    expect(await found("reference=")).toEqual([empty.id]);
    for (const query of [`reference=${"x".repeat(256)}`, "from=", "api_key_id="]) {
      const error = await rest.refusal(400, { method: "GET", path: `/messages?${query}` });
      expect(error.param, query).toBe(query.split("=")[0]);
    }
  });

  test("created_after is inclusive and created_before exclusive, in any time zone", async ({ rest, account }) => {
    const [first] = await sendTo(rest, account.sender, "first");
    if (!first) throw new Error("A message was sent.");
    const created = Date.parse(first.created_at);
    await expect.poll(() => Date.now()).toBeGreaterThan(created + 5);
    const [second] = await sendTo(rest, account.sender, "second");
    if (!second) throw new Error("A message was sent.");
    const found = async (query: Record<string, string>) =>
      idsOf((await rest.page<Message>(`/messages?${new URLSearchParams(query)}`)).items);
    expect(await found({ created_after: first.created_at })).toEqual([second.id, first.id]);
    expect(await found({ created_after: new Date(created + 1).toISOString() })).toEqual([second.id]);
    expect(await found({ created_before: first.created_at })).toEqual([]);
    expect(await found({ created_before: second.created_at })).toEqual([first.id]);
    expect(await found({ created_after: first.created_at, created_before: second.created_at })).toEqual([first.id]);
    const inParis = new Date(created + 1 + 7_200_000).toISOString().replace("Z", "+02:00");
    expect(await found({ created_after: inParis })).toEqual([second.id]);
    expect(await found({ created_after: "2999-01-01T00:00:00Z" })).toEqual([]);
  });

  test("refuses each wrong parameter with a 400 that names it", async ({ rest }) => {
    const wrong: Record<string, string[]> = {
      page: ["0", "-1", "1.5", "one", "", "1e9", "0x1", "%201"],
      limit: ["0", "101", "-5", "ten", "", "5.5", "1e1", "0x10", "+5", "5%20"],
      status: ["queued", "", "DELIVERED", "sent,failed"],
      created_after: ["yesterday", "2026-13-01T00:00:00Z", "2026-01-01", "1700000000", ""],
      created_before: ["tomorrow", "2026-02-30T00:00:00Z"],
      to: ["x".repeat(33), "%00", "", "%20", "14155550123", "%2B1415", "++14155550123", "nobody"],
    };
    for (const [param, values] of Object.entries(wrong)) {
      for (const value of values) {
        const error = await rest.refusal(400, { method: "GET", path: `/messages?${param}=${value}` });
        expect(error, `${param}=${value}`).toMatchObject({ param });
      }
      const twice = { method: "GET", path: `/messages?${param}=1&${param}=1` };
      expect(await rest.refusal(400, twice)).toMatchObject({ param });
    }
  });

  requiresPermission("sms:read", () => ({ method: "GET", path: "/messages" }));

  requiresKey("GET", "/messages");

  test("cannot see another account", async ({ rest, account, stranger }) => {
    const mine = await sendTo(rest, account.sender, SILENT);
    const theirs = await sendTo(stranger.rest, stranger.account.sender, SILENT);
    for (const path of ["/messages", `/messages?to=${encodeURIComponent(SILENT)}`]) {
      const seen = await stranger.rest.page<Message>(path);
      expect([idsOf(seen.items), seen.pagination.total]).toEqual([idsOf(theirs), 1]);
      expect(idsOf((await rest.page<Message>(path)).items)).toEqual(idsOf(mine));
    }
  });
});

test("metadata is returned, and each pair finds its messages", async ({ rest, account }) => {
  const send = (metadata?: Record<string, string>) =>
    rest.post<Message>("/messages/send", { to: "+15550100008", from: account.sender, body: "Hello", metadata });
  const north = await send({ order: "1", shop: "north" });
  const south = await send({ order: "2", shop: "south" });
  const plain = await send();
  expect([north, south, plain].map(({ metadata }) => metadata)).toEqual([
    { order: "1", shop: "north" },
    { order: "2", shop: "south" },
    null,
  ]);
  expect((await rest.get<Message>(`/messages/${north.id}`)).metadata).toEqual(north.metadata);
  const found = async (query: string) => (await rest.page<Message>(`/messages?${query}`)).items.map(({ id }) => id);
  expect(await found("metadata[shop]=north")).toEqual([north.id]);
  expect(await found("metadata%5Bshop%5D=south&metadata%5Border%5D=2")).toEqual([south.id]);
  expect(await found("metadata[shop]=south&metadata[order]=1")).toEqual([]);
});

test("metadata beyond its limits is refused with a 400 that names them", async ({ rest, account }) => {
  const pairs = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`key${at}`, ""]));
  const wrong: [metadata: unknown, problem: RegExp][] = [
    [pairs, /at most 20 pairs/],
    [{ "": "a" }, /1 to 40 characters/],
    [{ ["k".repeat(41)]: "a" }, /1 to 40 characters/],
    [{ key: "v".repeat(501) }, /at most 500 characters/],
    [{ key: 1 }, /metadata/],
    ["text", /metadata/],
  ];
  for (const [metadata, problem] of wrong) {
    const body = { to: "+15550100008", from: account.sender, body: "Hello", metadata };
    const error = await rest.refusal(400, { method: "POST", path: "/messages/send", body });
    expect(error.param).toMatch(/^metadata/);
    expect(error.message).toMatch(problem);
  }
  await rest.refusal(400, { method: "GET", path: `/messages?metadata[${"k".repeat(41)}]=a` });
  await rest.refusal(400, { method: "GET", path: "/messages?metadata[a]=1&metadata[a]=2" });
});

test("following cursors returns each message once, while new ones are sent", async ({ rest, account }) => {
  const send = () => rest.post<Message>("/messages/send", { to: "+15550100008", from: account.sender, body: "Hello" });
  const sent: string[] = [];
  for (let count = 0; count < 5; count += 1) sent.unshift((await send()).id);
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path: string = `/messages?limit=2${cursor && `&cursor=${cursor}`}`;
    const { body } = await rest.ask({ method: "GET", path });
    found.push(...(body.data as Message[]).map(({ id }) => id));
    await send();
    cursor = body.meta.next_cursor ?? null;
  }
  expect(found).toEqual(sent);
  for (const cursor of [
    "x",
    "msg_01k9x7t4m2e8v5q3r6w1y0z8ab",
    Buffer.from("evt_01k9x7t4m2e8v5q3r6w1y0z8ab 2 9").toString("base64url"),
  ]) {
    expect(await rest.refusal(400, { method: "GET", path: `/messages?cursor=${cursor}` })).toMatchObject({
      param: "cursor",
      details: { reason: "invalid_cursor" },
    });
  }
});
