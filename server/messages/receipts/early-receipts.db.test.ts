/** Tests of a message centre that reports on a message before it responds to the submission, under an id that it reuses. */
import { beforeAll, describe, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { applyReceipts, rejoinReceipts } from "@/server/messages/receipts/apply-receipts";
import { contradictions } from "@/test/database/account-truth";
import { accepted, type Claimed, claimed, prepareAttempts, record, report, statusOf } from "@/test/database/attempts";

beforeAll(prepareAttempts);

let count = 0;
/** Numbers that no other test sends to. */
const newNumbers = (): [string, string] => {
  count += 2;
  return [`+1415556${1000 + count}`, `+1415556${1001 + count}`];
};

/** A message that has an id at the centre, and one to another number that is under way. */
async function twoMessages(): Promise<{ id: string; older: Claimed; newer: Claimed; to: string }> {
  const [former, to] = newNumbers();
  const older = await claimed("Hello", former);
  await record(older.first, accepted(older.id));
  return { id: older.id, older, newer: await claimed("Hello", to), to };
}

const statuses = (...messages: Claimed[]) => Promise.all(messages.map(statusOf));

describe("a receipt under an older message's id, from the number to which another message is under way", () => {
  test("is about the one under way", async () => {
    const { id, older, newer, to } = await twoMessages();
    await applyReceipts("vonage", [{ ...report(id, "delivered"), source: to.slice(1) }]);
    expect(await statuses(older, newer)).toEqual(["sent", "delivered"]);
    await record(newer.first, accepted(id));
    await applyReceipts("vonage", [{ ...report(id, "undelivered"), source: `0${older.first.message.to.slice(2)}` }]);
    expect(await statuses(older, newer)).toEqual(["undelivered", "delivered"]);
    for (const { account } of [older, newer]) expect(await contradictions(account.accountId)).toEqual([]);
  });

  test("waits for the response if anybody could have sent it, and takes no id away", async () => {
    const { id, older, newer, to } = await twoMessages();
    const unverified = { ...report(id, "delivered"), recipient: to.slice(1) };
    await applyReceipts("vonage", [unverified]);
    expect(await statuses(older, newer)).toEqual(["sent", "pending"]);
    const { rows } = await pool().query("SELECT shared_id FROM attempt_parts WHERE shared_id = $1", [id]);
    expect(rows).toEqual([]);
    await record(newer.first, accepted(id));
    await applyReceipts("vonage", [{ ...unverified, isLastTry: true }]);
    expect(await statuses(older, newer)).toEqual(["sent", "delivered"]);
  });

  test("is about the one under way even if the older message has ended", async () => {
    const { id, older, newer, to } = await twoMessages();
    await applyReceipts("vonage", [report(id, "failed")]);
    await applyReceipts("vonage", [{ ...report(id, "delivered"), source: to }]);
    await record(newer.first, accepted(id));
    expect(await statuses(older, newer)).toEqual(["failed", "delivered"]);
  });
});

test("a receipt from a number to which an attempt is only claimed is about the message that has its id", async () => {
  const { id, older, newer, to } = await twoMessages();
  await pool().query("UPDATE message_attempts SET begun_at = NULL WHERE message_id = $1", [newer.id]);
  await applyReceipts("vonage", [{ ...report(id, "delivered"), source: to }]);
  expect(await statuses(older, newer)).toEqual(["delivered", "pending"]);
});

test("a receipt under an id of two messages is about a third one that is under way to its number", async () => {
  const { id, older, newer, to } = await twoMessages();
  const [, former] = newNumbers();
  const second = await claimed("Hello", former);
  await record(second.first, accepted(id));
  await applyReceipts("vonage", [{ ...report(id, "delivered"), source: to }]);
  await record(newer.first, accepted(id));
  expect(await statuses(older, second, newer)).toEqual(["sent", "sent", "delivered"]);
});

test("a receipt from a number to which two messages are under way waits for the response with its id", async () => {
  const { id, older, newer, to } = await twoMessages();
  const other = await claimed("Hello", to);
  await applyReceipts("vonage", [{ ...report(id, "delivered"), source: to }]);
  expect(await statuses(older, newer, other)).toEqual(["sent", "pending", "pending"]);
  await applyReceipts("vonage", [report(id, "failed")]);
  await record(other.first, accepted(id));
  expect(await statuses(older, newer, other)).toEqual(["failed", "pending", "delivered"]);
});

describe("the id decides", () => {
  test("for a receipt from a number to which nothing is under way", async () => {
    const { id, older, newer } = await twoMessages();
    await applyReceipts("vonage", [{ ...report(id, "delivered"), source: "14155570000" }]);
    expect(await statuses(older, newer)).toEqual(["delivered", "pending"]);
  });

  test("where the message under way is at another provider", async () => {
    const { id, older, newer, to } = await twoMessages();
    const next = await record(newer.first, { kind: "retryable", code: "503", detail: "Busy.", fault: "provider" });
    expect(next?.provider).toBe("twilio");
    await applyReceipts("vonage", [{ ...report(id, "delivered"), source: to }]);
    expect(await statuses(older, newer)).toEqual(["delivered", "pending"]);
  });
});

test.each([
  ["was scheduled", "now()"],
  ["had to wait", "NULL"],
])("a receipt that was parked before a message was sent, which %s, is not about it", async (_, scheduledAt) => {
  const [message, other] = [await claimed(), await claimed()];
  const ids = [message.id, other.id];
  await pool().query(
    `UPDATE messages SET created_at = created_at - interval '2 days', scheduled_at = ${scheduledAt} WHERE id = ANY($1)`,
    [ids],
  );
  for (const id of ids) await applyReceipts("vonage", [report(id, "undelivered")]);
  await pool().query(
    "UPDATE receipts SET received_at = received_at - interval '1 day' WHERE provider_message_id = $1",
    [message.id],
  );
  for (const { id, first } of [message, other]) await record(first, accepted(id));
  await rejoinReceipts("vonage", ids);
  expect(await statuses(message, other)).toEqual(["sent", "undelivered"]);
});
