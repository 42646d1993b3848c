import { randomInt } from "node:crypto";
import type { BulkResult, Message } from "@/server/messages/schema";
import type { Sender } from "@/server/senders/schema";
import type { Suppression } from "@/server/suppressions/schema";
import { requiresKey, requiresPermission } from "../support/access";
import { replyFromHandset } from "../support/behind-the-api";
import { expect, test } from "../support/contract-test";
import { balanceOf, ISO } from "../support/follow";

const UNKNOWN = "/suppressions/sup_01k9x7t4m2e8v5q3r6w1y0z8ab";
const NUMBER = "+15550100008";
const OTHER = "+15550100001";

const create = (body: unknown) => ({ method: "POST", path: "/suppressions", body });
const queryOf = (name: string, value: string) => `/suppressions?${name}=${encodeURIComponent(value)}`;

test.describe("GET /suppressions", () => {
  test("lists newest first, by number, by sender and page by page", async ({ rest, account }) => {
    const numbers = [0, 1, 2, 3].map((at) => `+1415555010${at}`);
    for (const number of numbers) await rest.post("/suppressions", { number });
    await rest.post("/suppressions", { number: numbers[0], sender_id: account.sender });
    const pairsOf = (items: Suppression[]) => items.map(({ number, sender_id }) => [number, sender_id]);
    const all = await rest.page<Suppression>("/suppressions");
    expect(pairsOf(all.items)).toEqual([
      [numbers[0], account.sender],
      ...numbers.toReversed().map((number) => [number, null]),
    ]);
    expect(all.pagination).toEqual({ page: 1, limit: 50, total: 5, pages: 1, has_more: false });
    const second = await rest.page<Suppression>("/suppressions?limit=2&page=2");
    expect(second.items.map(({ number }) => number)).toEqual([numbers[2], numbers[1]]);
    expect(second.pagination).toEqual({ page: 2, limit: 2, total: 5, pages: 3, has_more: true });
    const ofNumber = await rest.page<Suppression>(queryOf("number", numbers[0] ?? ""));
    expect(pairsOf(ofNumber.items)).toEqual([
      [numbers[0], account.sender],
      [numbers[0], null],
    ]);
    const ofSender = await rest.page<Suppression>(queryOf("sender_id", account.sender));
    expect(pairsOf(ofSender.items)).toEqual([[numbers[0], account.sender]]);
    const unescaped = await rest.page<Suppression>(`/suppressions?number=${numbers[0]}`);
    expect(unescaped, "its plus arrives as a space").toEqual(ofNumber);
    expect((await rest.page(queryOf("number", "+1415555"))).items).toEqual([]);
  });

  test("refuses each wrong parameter with a 400 that names it", async ({ rest }) => {
    const wrong: Record<string, string[]> = {
      number: ["1".repeat(33), "", "15550100008", "+1555", "nobody"],
      sender_id: ["x".repeat(17), ""],
      page: ["0", "1e1"],
      limit: ["101", "0x10"],
    };
    for (const [param, values] of Object.entries(wrong)) {
      for (const value of values) {
        const error = await rest.refusal(400, { method: "GET", path: queryOf(param, value) });
        expect(error, `${param}=${value}`).toMatchObject({ param });
      }
    }
  });

  requiresPermission("sms:read", () => ({ method: "GET", path: "/suppressions" }));

  requiresKey("GET", "/suppressions");

  test("cannot see another account", async ({ rest, stranger }) => {
    await rest.post("/suppressions", { number: NUMBER });
    expect((await stranger.rest.page("/suppressions")).items).toEqual([]);
    expect((await stranger.rest.page(queryOf("number", NUMBER))).pagination.total).toBe(0);
  });
});

test.describe("POST /suppressions", () => {
  test("responds 201 with the suppression, and with the same one to a repeat", async ({ rest, account }) => {
    const general = await rest.post<Suppression>("/suppressions", { number: NUMBER });
    expect(general).toEqual({
      id: expect.stringMatching(/^sup_[0-9a-z]{26}$/),
      object: "suppression",
      number: NUMBER,
      sender_id: null,
      reason: "manual",
      note: null,
      created_at: ISO,
    });
    const input = { number: NUMBER, sender_id: account.sender, note: "Asked on the phone." };
    const ofSender = await rest.post<Suppression>("/suppressions", input);
    expect(ofSender).toEqual({ ...general, ...input, id: ofSender.id, created_at: ISO });
    for (const again of [{ number: NUMBER }, { number: NUMBER, sender_id: null, note: "Other" }]) {
      expect(await rest.post<Suppression>("/suppressions", again)).toEqual(general);
    }
    expect(await rest.post<Suppression>("/suppressions", { ...input, note: null })).toEqual(ofSender);
    expect((await rest.page("/suppressions")).pagination.total).toBe(2);
  });

  test("refuses each wrong field with a 400 that names it", async ({ rest, stranger }) => {
    const wrong: [change: object, param: string, reason?: string][] = [
      [{ number: undefined }, "number"],
      [{ number: "" }, "number"],
      [{ number: "15550100008" }, "number"],
      [{ number: "+1 555 010 0008" }, "number"],
      [{ number: 15550100008 }, "number"],
      [{ sender_id: "" }, "sender_id"],
      [{ sender_id: 5 }, "sender_id"],
      [{ sender_id: "x".repeat(17) }, "sender_id"],
      [{ sender_id: "NOBODY" }, "sender_id", "unknown_sender"],
      [{ sender_id: stranger.account.sender }, "sender_id", "unknown_sender"],
      [{ note: 5 }, "note"],
      [{ note: "x".repeat(256) }, "note"],
    ];
    for (const [change, param, reason] of wrong) {
      const error = await rest.refusal(400, create({ number: NUMBER, ...change }));
      expect(error, JSON.stringify(change)).toMatchObject({ param, details: reason ? { reason } : {} });
    }
    expect((await rest.page("/suppressions")).pagination.total).toBe(0);
  });

  requiresPermission("senders:write", () => create({ number: NUMBER }));

  requiresKey("POST", "/suppressions");

  test("cannot see another account", async ({ rest, stranger }) => {
    const mine = await rest.post<Suppression>("/suppressions", { number: NUMBER });
    const theirs = await stranger.rest.post<Suppression>("/suppressions", { number: NUMBER });
    expect(theirs.id).not.toBe(mine.id);
  });
});

test.describe("POST /suppressions/import", () => {
  const PATH = "/suppressions/import";
  const importOf = (body: unknown) => ({ method: "POST", path: PATH, body });

  test("suppresses every number of a list, and a repeated call changes nothing", async ({ rest, account }) => {
    await rest.post("/suppressions", { number: NUMBER, note: "Asked on the phone." });
    const body = { numbers: [NUMBER, "00 1 (555) 010-0001", OTHER, "nobody"], note: "Old system" };
    const counts = { existing: 1, duplicates: 1, refused: 1 };
    expect(await rest.post(PATH, body)).toEqual({
      object: "suppression_import",
      added: 1,
      ...counts,
      refusals: [{ line: 4, number: "nobody", reason: "invalid_recipient" }],
    });
    expect(await rest.post(PATH, body)).toMatchObject({ added: 0, ...counts, existing: 2 });
    expect((await rest.page<Suppression>("/suppressions")).items).toMatchObject([
      { number: OTHER, sender_id: null, reason: "manual", note: "Old system" },
      { number: NUMBER, sender_id: null, reason: "manual", note: "Asked on the phone." },
    ]);
    const message = { to: OTHER, from: account.sender, body: "Hello" };
    expect(await rest.post<Message>("/messages/send", message)).toMatchObject({ error: { code: "blocklisted" } });
  });

  test("refuses each wrong field with a 400 that names it, and stores nothing", async ({ rest, stranger }) => {
    const wrong: [change: object, param: string, reason?: string][] = [
      [{ numbers: undefined }, "numbers"],
      [{ numbers: [] }, "numbers"],
      [{ numbers: NUMBER }, "numbers"],
      [{ numbers: [NUMBER, 5] }, "numbers[1]"],
      [{ numbers: Array(10_001).fill(NUMBER) }, "numbers"],
      [{ sender_id: stranger.account.sender }, "sender_id", "unknown_sender"],
      [{ note: "x".repeat(256) }, "note"],
    ];
    for (const [change, param, reason] of wrong) {
      const error = await rest.refusal(400, importOf({ numbers: [NUMBER], ...change }));
      expect(error, JSON.stringify(change).slice(0, 80)).toMatchObject({ param, details: reason ? { reason } : {} });
    }
    expect((await rest.page("/suppressions")).pagination.total).toBe(0);
  });

  test("takes 10,000 numbers at once", async ({ rest }) => {
    const numbers = Array.from({ length: 10_000 }, (_, at) => `+1415${5_550_000 + at}`);
    expect(await rest.post(PATH, { numbers })).toMatchObject({ added: 10_000, refused: 0 });
    expect((await rest.page("/suppressions")).pagination.total).toBe(10_000);
  });

  requiresPermission("senders:write", () => importOf({ numbers: [NUMBER] }));

  requiresKey("POST", PATH);
});

test.describe("DELETE /suppressions/{id}", () => {
  test("deletes the suppression, and the number may be sent to again", async ({ rest, account }) => {
    const { id } = await rest.post<Suppression>("/suppressions", { number: NUMBER });
    const message = { to: NUMBER, from: account.sender, body: "Hello" };
    expect(await rest.post<Message>("/messages/send", message)).toMatchObject({ error: { code: "blocklisted" } });
    expect(await rest.delete(`/suppressions/${id}`)).toEqual({ id, object: "suppression", deleted: true });
    expect(await rest.post<Message>("/messages/send", message)).toMatchObject({ status: "pending", error: null });
    await rest.refusal(404, { method: "DELETE", path: `/suppressions/${id}` });
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    for (const path of [UNKNOWN, "/suppressions/none", `/suppressions/${encodeURIComponent(NUMBER)}`]) {
      expect(await rest.refusal(404, { method: "DELETE", path })).toMatchObject({ param: "id" });
    }
    expect(await rest.refusal(400, { method: "DELETE", path: "/suppressions/%00" })).toMatchObject({ param: "id" });
  });

  requiresPermission("senders:write", async (rest) => {
    const { id } = await rest.post<Suppression>("/suppressions", { number: NUMBER });
    return { method: "DELETE", path: `/suppressions/${id}` };
  });

  requiresKey("DELETE", UNKNOWN);

  test("cannot see another account", async ({ rest, stranger }) => {
    const { id } = await rest.post<Suppression>("/suppressions", { number: NUMBER });
    const foreign = await stranger.rest.refusal(404, { method: "DELETE", path: `/suppressions/${id}` });
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "DELETE", path: UNKNOWN }));
    expect((await rest.page("/suppressions")).pagination.total).toBe(1);
  });
});

test("a message to a suppressed number fails at once, unbilled, with a webhook; the rest of a bulk is sent", async ({
  rest,
  account,
  receiver,
}) => {
  await rest.post("/webhooks/create", { url: receiver.url, events: ["message.failed"] });
  await rest.post("/suppressions", { number: NUMBER, sender_id: account.sender });
  const single = await rest.post<Message>("/messages/send", { to: NUMBER, from: account.sender, body: "Hello" });
  expect(single).toMatchObject({ status: "failed", cost: 0, attempts: 0, provider: "", failed_at: single.created_at });
  const bulk = { recipients: [OTHER, NUMBER], from: account.sender, body: "Hello" };
  const sent = await rest.post<BulkResult>("/messages/bulk", bulk);
  expect(sent).toMatchObject({ total: 2, sent: 1, failed: 1 });
  expect(sent.messages.map(({ error }) => error?.code)).toEqual([undefined, "blocklisted"]);
  expect(await balanceOf(rest)).toBe(99.99);
  await expect.poll(() => receiver.received.length).toBe(2);
  for (const { body } of receiver.received) {
    const event = JSON.parse(String(body)) as { data: Message };
    expect(event.data).toMatchObject({ to: NUMBER, status: "failed", error: { code: "blocklisted" } });
  }
});

test("a person who replies STOP gets no more messages from that sender until they reply START", async ({
  rest,
  operator,
}) => {
  const line = `+1646${randomInt(1_000_000, 9_999_999)}`;
  const { id } = await rest.post<Sender>("/senders/create", { sender_id: line });
  await operator.approveSender(id);
  const statusFrom = async (from: string) =>
    (await rest.post<Message>("/messages/send", { to: NUMBER, from, body: "Hello" })).error?.code ?? "goes";
  expect(await statusFrom(line)).toBe("goes");

  await replyFromHandset(NUMBER.slice(1), line.slice(1), " Stop. ");
  const listed = async () => (await rest.page<Suppression>("/suppressions")).items;
  await expect.poll(listed).toMatchObject([{ number: NUMBER, sender_id: line, reason: "stop", note: null }]);
  expect(await statusFrom(line)).toBe("blocklisted");

  await rest.post("/suppressions", { number: OTHER, sender_id: line });
  for (const from of [NUMBER, OTHER]) await replyFromHandset(from, line, "START");
  await expect.poll(listed).toMatchObject([{ number: OTHER, reason: "manual" }]);
  expect(await statusFrom(line)).toBe("goes");
});
