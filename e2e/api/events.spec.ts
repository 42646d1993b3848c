import type { BulkResult, Message } from "@/server/messages/schema";
import type { Event } from "@/server/webhooks/schema";
import { requiresKey, requiresPermission } from "../support/access";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { ISO, messageIn } from "../support/follow";

const DELIVERED_AT_ONCE = "+15550100001";
const REFUSED = "+15550100003";
const LOST = "+15550100009";

async function sendTo(rest: CheckedApi, from: string, ...recipients: string[]): Promise<string[]> {
  const { messages } = await rest.post<BulkResult>("/messages/bulk", { recipients, from, body: "Hello" });
  return messages.map((message) => message.id);
}

const eventsOf = (rest: CheckedApi, query = "") => rest.page<Event>(`/events${query}`);

test.describe("GET /events", () => {
  test("lists every change of a message, newest first, each with the message as it was then", async ({
    rest,
    account,
  }) => {
    const input = { to: LOST, from: account.sender, body: "Hello", reference: "order-4711" };
    const { id } = await rest.post<Message>("/messages/send", input);
    const undelivered = await messageIn(rest, id, "undelivered");
    const sent = { ...undelivered, status: "sent", error: null, failed_at: null };
    const event = { id: expect.stringMatching(/^evt_[0-9a-z]{26}$/), object: "event", livemode: true, created_at: ISO };
    const { items, pagination } = await eventsOf(rest);
    expect(items).toEqual([
      { ...event, type: "message.failed", data: { ...undelivered, reference: "order-4711" } },
      { ...event, type: "message.sent", data: { ...sent, reference: "order-4711" } },
    ]);
    expect(items.map(({ created_at }) => created_at)).toEqual([undelivered.failed_at, undelivered.sent_at]);
    expect(pagination).toEqual({ page: 1, limit: 50, total: 2, pages: 1, has_more: false });
  });

  test("a message without a reference has null for it", async ({ rest, account }) => {
    const { id } = await rest.post<Message>("/messages/send", { to: REFUSED, from: account.sender, body: "Hello" });
    await messageIn(rest, id, "failed");
    expect((await eventsOf(rest)).items[0]?.data.reference).toBeNull();
  });

  test("filters by type, and pages", async ({ rest, account }) => {
    const [one, two, refused] = await sendTo(rest, account.sender, DELIVERED_AT_ONCE, DELIVERED_AT_ONCE, REFUSED);
    for (const id of [one, two]) await messageIn(rest, id ?? "", "delivered");
    await messageIn(rest, refused ?? "", "failed");
    const all = await eventsOf(rest);
    expect(all.pagination.total).toBe(5);
    const created = all.items.map((event) => event.created_at);
    expect(created).toEqual(created.toSorted().reverse());
    for (const type of ["message.sent", "message.delivered", "message.failed"]) {
      const { items, pagination } = await eventsOf(rest, `?type=${type}`);
      expect(items).toEqual(all.items.filter((event) => event.type === type));
      expect(pagination.total).toBe(type === "message.failed" ? 1 : 2);
    }
    const paged: Event[] = [];
    for (const page of [1, 2, 3]) {
      const { items, pagination } = await eventsOf(rest, `?limit=2&page=${page}`);
      expect(pagination).toEqual({ page, limit: 2, total: 5, pages: 3, has_more: page < 3 });
      paged.push(...items);
    }
    expect(paged).toEqual(all.items);
  });

  test("filters by message and by time", async ({ rest, account }) => {
    const [one, other] = await sendTo(rest, account.sender, DELIVERED_AT_ONCE, REFUSED);
    await messageIn(rest, one ?? "", "delivered");
    await messageIn(rest, other ?? "", "failed");
    const all = (await eventsOf(rest)).items;
    const ofOne = await eventsOf(rest, `?message_id=${one}`);
    expect(ofOne.items).toEqual(all.filter(({ data }) => data.id === one));
    expect(ofOne.pagination.total).toBe(2);
    expect((await eventsOf(rest, `?message_id=${one}&type=message.failed`)).items).toEqual([]);
    const at = all.map(({ created_at }) => created_at).sort()[1] ?? "";
    const idsOf = (events: Event[]) => events.map(({ id }) => id).sort();
    const after = await eventsOf(rest, `?created_after=${at}`);
    expect(idsOf(after.items)).toEqual(idsOf(all.filter(({ created_at }) => created_at >= at)));
    const before = await eventsOf(rest, `?created_before=${at}`);
    expect(idsOf(before.items)).toEqual(idsOf(all.filter(({ created_at }) => created_at < at)));
    expect(after.pagination.total + before.pagination.total).toBe(all.length);
  });

  test("refuses each wrong parameter with a 400 that names it", async ({ rest }) => {
    for (const query of [
      "created_after=yesterday",
      "created_before=5",
      "message_id=",
      "type=message.opened",
      "type=*",
      "type=",
      "page=0",
      "limit=101",
      "limit=x",
    ]) {
      const error = await rest.refusal(400, { method: "GET", path: `/events?${query}` });
      expect(error, query).toMatchObject({ param: query.split("=")[0] });
    }
  });

  requiresPermission("dlr:read", () => ({ method: "GET", path: "/events" }));

  requiresKey("GET", "/events");

  test("cannot see another account", async ({ rest, account, stranger }) => {
    const [id] = await sendTo(rest, account.sender, "nobody");
    expect((await eventsOf(rest)).items.map((event) => event.data.id)).toEqual([id]);
    expect(await eventsOf(stranger.rest)).toMatchObject({ items: [], pagination: { total: 0 } });
    expect(await eventsOf(stranger.rest, "?type=message.failed")).toMatchObject({
      items: [],
      pagination: { total: 0 },
    });
  });
});
