import { expect, test } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { createSuppression, deleteSuppression, importSuppressions, listSuppressions } from "./service";

const NUMBER = "+14155550123";
const PAGE = { page: 1, limit: 50 };

const keyed = (key: string, requestHash: string) => ({
  idempotency: () => ({ key, requestHash }),
  responseHeaders: {} as Record<string, string>,
});

test("a number is suppressed once per sender, even under concurrent calls, and keeps its first note", async () => {
  const { actor, accountId, senderId } = await makeAccount();
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      createSuppression(actor, { number: NUMBER, sender_id: senderId, note: `note ${at}` }),
    ),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(new Set(made.map(({ note }) => note)).size).toBe(1);
  expect(made[0]).toMatchObject({ object: "suppression", number: NUMBER, sender_id: senderId, reason: "manual" });
  const general = await createSuppression(actor, { number: NUMBER });
  expect(general).toMatchObject({ sender_id: null, note: null });
  const { items, pagination } = await listSuppressions(actor, PAGE);
  expect(items.map(({ id }) => id)).toEqual([general.id, made[0]?.id]);
  expect(pagination.total).toBe(2);
  const { rowCount } = await pool().query("SELECT 1 FROM suppressions WHERE account_id = $1", [accountId]);
  expect(rowCount).toBe(2);
});

test("the list can be filtered by number and by sender", async () => {
  const { actor, senderId } = await makeAccount();
  await createSuppression(actor, { number: NUMBER });
  await createSuppression(actor, { number: "+442071838750", sender_id: senderId });
  expect((await listSuppressions(actor, { ...PAGE, number: NUMBER })).items).toMatchObject([{ number: NUMBER }]);
  expect((await listSuppressions(actor, { ...PAGE, sender_id: senderId })).items).toMatchObject([
    { number: "+442071838750" },
  ]);
  expect((await listSuppressions(actor, { ...PAGE, number: "+1415" })).items).toEqual([]);
});

test("a sender ID that the account does not have is refused: it would suppress nothing", async () => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  await expect(createSuppression(mine.actor, { number: NUMBER, sender_id: other.senderId })).rejects.toMatchObject({
    status: 400,
    wire: { param: "sender_id", details: { reason: "unknown_sender" } },
  });
});

test.each([
  { registered: "+14155550199", written: "14155550199" },
  { registered: "14155550199", written: "+14155550199" },
])("a number is the sender that is registered as $registered, written as $written too", async (spelling) => {
  const { registered: sender_id, written } = spelling;
  const { actor, accountId, senderId } = await makeAccount();
  await pool().query("UPDATE senders SET sender_id = $3 WHERE account_id = $1 AND sender_id = $2", [
    accountId,
    senderId,
    sender_id,
  ]);
  const made = await createSuppression(actor, { number: NUMBER, sender_id: written });
  expect(made.sender_id).toBe(sender_id);
  expect(await createSuppression(actor, { number: NUMBER, sender_id })).toEqual(made);
  const list = { numbers: [NUMBER, "+442071838750"], sender_id: written };
  expect(await importSuppressions(actor, list)).toMatchObject({ added: 1, existing: 1 });
  const { items } = await listSuppressions(actor, { ...PAGE, sender_id });
  expect(items.map(({ number }) => number)).toEqual(["+442071838750", NUMBER]);
});

test("an Idempotency-Key repeats the first response, even after the suppression was deleted", async () => {
  const { actor } = await makeAccount();
  const first = await createSuppression(actor, { number: NUMBER }, keyed("one", "hash"));
  await deleteSuppression(actor, first.id);
  expect(await createSuppression(actor, { number: NUMBER }, keyed("one", "hash"))).toEqual(first);
  expect((await listSuppressions(actor, PAGE)).items).toEqual([]);
  await expect(createSuppression(actor, { number: NUMBER }, keyed("one", "other"))).rejects.toMatchObject({
    status: 400,
    wire: { details: { reason: "idempotency_key_reused" } },
  });
});

test("totals are exact under concurrent changes, and a page past the end is empty", async () => {
  const { actor, senderId } = await makeAccount();
  const numbers = Array.from({ length: 12 }, (_, at) => `+1415555${1_000 + at}`);
  const made = await Promise.all(
    [...numbers, ...numbers].map((number, at) =>
      createSuppression(actor, { number, sender_id: at % 3 === 0 ? senderId : null }),
    ),
  );
  const ids = [...new Set(made.map(({ id }) => id))];
  const attempts = [...ids.slice(0, 3), ...ids.slice(0, 3)].map((id) => deleteSuppression(actor, id));
  expect((await Promise.allSettled(attempts)).filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  const listed = await listSuppressions(actor, PAGE);
  const ofSender = await listSuppressions(actor, { ...PAGE, sender_id: senderId });
  expect(listed.items).toHaveLength(ids.length - 3);
  expect([listed.pagination.total, ofSender.pagination.total]).toEqual([listed.items.length, ofSender.items.length]);
  const beyond = await listSuppressions(actor, { page: 1_000_000, limit: 100 });
  expect([beyond.items, beyond.pagination.total]).toEqual([[], listed.items.length]);
});

test("another account neither sees nor deletes a suppression", async () => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  const { id } = await createSuppression(mine.actor, { number: NUMBER });
  expect((await listSuppressions(other.actor, PAGE)).items).toEqual([]);
  await expect(deleteSuppression(other.actor, id)).rejects.toMatchObject({ status: 404, wire: { param: "id" } });
  expect(await deleteSuppression(mine.actor, id)).toEqual({ id, object: "suppression", deleted: true });
  await expect(deleteSuppression(mine.actor, id)).rejects.toMatchObject({ status: 404 });
});
