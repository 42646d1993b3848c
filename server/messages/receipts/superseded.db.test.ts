import { beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { workerId } from "@/server/core/worker-id";
import { cancelMessage } from "@/server/messages/changes/cancel";
import { begin, giveBack } from "@/server/messages/dispatch/claims";
import { failExpired } from "@/server/messages/dispatch/expire";
import { recoverAttempts, takeBackClaims } from "@/server/messages/dispatch/recover";
import { applyLeftReceipts, expireUnconfirmed, failUnresolved } from "@/server/messages/dispatch/sweeps";
import { getMessage } from "@/server/messages/read";
import { referenceTo } from "@/server/providers/reference";
import { contradictions } from "@/test/database/account-truth";
import {
  accepted,
  BUSY,
  type Claimed,
  claimed,
  prepareAttempts,
  record,
  recordAndAdvance,
  report,
  statusOf,
  UNKNOWN,
} from "@/test/database/attempts";
import { applyReceipts } from "./apply-receipts";

const REFUSED = { kind: "refused", code: "21211", detail: "Not a number." } as const;

/** Negative, so that even a new receipt is old enough. */
const ANY_AGE = -60_000;

beforeAll(async () => {
  await prepareAttempts();
  process.env.ON_UNKNOWN_OUTCOME = "fallback";
});
beforeEach(async () => {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
});

/** A message whose first attempt is reported as failed while the second is claimed. */
async function failedBehind() {
  const message = await claimed();
  const second = await recordAndAdvance(message.first, UNKNOWN);
  await applyReceipts("vonage", [report(`v-${message.id}`, "failed", referenceTo(message.id, 1))]);
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "pending" });
  return { ...message, second };
}

/** Checks that the message is billed, and failed with the code of the receipt. */
async function expectFailedByReceipt({ account, id }: Pick<Claimed, "account" | "id">): Promise<void> {
  const message = await getMessage(account.actor, id);
  expect(message).toMatchObject({ status: "failed", cost: 0.01, provider: "vonage", error: { code: "7" } });
  expect(message.sent_at).not.toBeNull();
  const { rows } = await pool().query("SELECT applied FROM receipts WHERE message_id = $1", [id]);
  expect(rows).toEqual([{ applied: true }]);
  expect(await contradictions(account.accountId)).toEqual([]);
}

test("a superseded receipt decides when the later attempt is refused", async () => {
  const message = await failedBehind();
  await record(message.second, REFUSED);
  await expectFailedByReceipt(message);
});

test("a superseded receipt decides when the later attempt was never made and the validity period ends", async () => {
  const message = await failedBehind();
  await giveBack([message.second]);
  await pool().query("UPDATE messages SET expires_at = now() - interval '1 second' WHERE id = $1", [message.id]);
  await failExpired(0);
  await expectFailedByReceipt(message);
});

test("a superseded receipt decides when the outcome of the later attempt stays unknown", async () => {
  const message = await failedBehind();
  await begin(message.second);
  await record(message.second, UNKNOWN);
  await failUnresolved(ANY_AGE);
  await expectFailedByReceipt(message);
});

test("a message that a provider took according to a superseded receipt can no longer be canceled", async () => {
  const message = await failedBehind();
  await giveBack([message.second]);
  await expect(cancelMessage(message.account.actor, message.id)).rejects.toThrow(/only a pending one can be canceled/);
  await expectFailedByReceipt(message);
});

test("the later attempt continues, and its acceptance decides", async () => {
  const message = await failedBehind();
  await record(message.second, { kind: "accepted", providerMessageIds: [`t-${message.id}`] });
  await applyReceipts("twilio", [report(`t-${message.id}`, "delivered")]);
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({
    status: "delivered",
    provider: "twilio",
  });
  expect(await contradictions(message.account.accountId)).toEqual([]);
});

/** A message that its first provider has `sent` while the second attempt is claimed. */
async function sentBehind() {
  const message = await claimed();
  const second = await recordAndAdvance(message.first, UNKNOWN);
  const reference = referenceTo(message.id, 1);
  await begin(second);
  await applyReceipts("vonage", [report(`v-${message.id}`, "sent", reference)]);
  await applyReceipts("vonage", [report(`v-${message.id}`, "failed", reference)]);
  expect(await statusOf(message)).toBe("sent");
  return { ...message, second };
}

/** Checks that a sent message failed by its only receipt, which had been superseded. */
async function expectFailedAfterAll({ account, id }: Pick<Claimed, "account" | "id">): Promise<void> {
  expect(await getMessage(account.actor, id)).toMatchObject({ status: "failed", cost: 0.01, error: { code: "7" } });
  const { rows } = await pool().query("SELECT status FROM receipts WHERE message_id = $1 AND applied", [id]);
  expect(rows.map((row) => row.status).sort()).toEqual(["failed", "sent"]);
  expect(await contradictions(account.accountId)).toEqual([]);
}

test.each([
  ["refused", REFUSED],
  ["retryable", BUSY],
])("a sent message fails by its superseded receipt when the later attempt is %s", async (_, outcome) => {
  const message = await sentBehind();
  expect(await record(message.second, outcome)).toBeNull();
  await expectFailedAfterAll(message);
});

test("a sent message fails by its superseded receipt when the later attempt is given back", async () => {
  const message = await sentBehind();
  await giveBack([message.second]);
  await expectFailedAfterAll(message);
});

test("a sent message fails by its superseded receipt when the later attempt is taken back from a dead worker", async () => {
  const message = await sentBehind();
  await pool().query(
    "UPDATE message_attempts SET begun_at = NULL, worker_id = 'dead' WHERE message_id = $1 AND seq = 2",
    [message.id],
  );
  expect(await takeBackClaims(["dead"])).toBe(1);
  await expectFailedAfterAll(message);
});

test("a sent message fails by its superseded receipt when the later attempt stays unknown", async () => {
  const message = await sentBehind();
  expect(await record(message.second, UNKNOWN)).toBeNull();
  expect(await statusOf(message)).toBe("sent");
  await applyLeftReceipts(60_000);
  expect(await statusOf(message)).toBe("sent");
  await applyLeftReceipts(ANY_AGE);
  await expectFailedAfterAll(message);
});

test("a sent message fails by its superseded receipt when the worker of the later attempt died", async () => {
  const message = await sentBehind();
  await pool().query("UPDATE message_attempts SET worker_id = 'dead' WHERE message_id = $1 AND seq = 2", [message.id]);
  await recoverAttempts(["dead"]);
  await applyLeftReceipts(60_000);
  expect(await statusOf(message)).toBe("sent");
  await applyLeftReceipts(ANY_AGE);
  await expectFailedAfterAll(message);
});

test("a sent message without a final receipt fails by its superseded one rather than for the lack of one", async () => {
  const message = await sentBehind();
  await record(message.second, UNKNOWN);
  await expireUnconfirmed(ANY_AGE);
  await expectFailedAfterAll(message);
});

test("a later attempt that a provider took decides, even if the one after it comes to nothing", async () => {
  const message = await claimed();
  await pool().query("UPDATE messages SET chain = '{vonage,twilio,vonage}' WHERE id = $1", [message.id]);
  const second = await recordAndAdvance(message.first, UNKNOWN);
  const third = await recordAndAdvance(second, UNKNOWN);
  await record(second, accepted(`t-${message.id}`));
  await applyReceipts("vonage", [report(`v-${message.id}`, "failed", referenceTo(message.id, 1))]);
  await record(third, REFUSED);
  await applyLeftReceipts(ANY_AGE);
  expect(await statusOf(message)).toBe("sent");
  await expireUnconfirmed(ANY_AGE);
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({
    status: "undelivered",
    provider: "twilio",
    error: { code: "no_final_receipt" },
  });
});

test("a superseded receipt waits for an open attempt of a living worker, however old", async () => {
  const message = await claimed();
  await pool().query("UPDATE messages SET chain = '{vonage,twilio,vonage}' WHERE id = $1", [message.id]);
  const second = await recordAndAdvance(message.first, UNKNOWN);
  const third = await recordAndAdvance(second, UNKNOWN);
  const reference = referenceTo(message.id, 1);
  await applyReceipts("vonage", [report(`v-${message.id}`, "sent", reference)]);
  await applyReceipts("vonage", [report(`v-${message.id}`, "failed", reference)]);
  await pool().query(
    "UPDATE message_attempts SET started_at = started_at - interval '20 minutes' WHERE message_id = $1",
    [message.id],
  );
  await pool().query("INSERT INTO workers (id, pools) VALUES ($1, '{}')", [workerId()]);
  await applyLeftReceipts(15 * MINUTE_MS);
  await pool().query("DELETE FROM workers WHERE id = $1", [workerId()]);
  expect(await statusOf(message)).toBe("sent");
  await record(third, REFUSED);
  await applyLeftReceipts(15 * MINUTE_MS);
  await expectFailedAfterAll(message);
});

test("a part that was delivered and then reported as failed does not fail a sent message", async () => {
  const message = await claimed("x".repeat(200));
  const second = await recordAndAdvance(message.first, UNKNOWN);
  const reference = referenceTo(message.id, 1);
  await applyReceipts("vonage", [report(`v-${message.id}`, "delivered", reference)]);
  await applyReceipts("vonage", [report(`v-${message.id}`, "failed", reference)]);
  await record(second, REFUSED);
  expect(await statusOf(message)).toBe("sent");
});

test("a failure in the same batch does not let a parked receipt move its message twice", async () => {
  const [ahead, taken, refused] = [await claimed(), await claimed(), await claimed()];
  await applyReceipts("vonage", [report(`early-${taken.id}`, "delivered")]);
  // The first is recorded alone, and the others together after it.
  await Promise.all([
    record(ahead.first, accepted(`ahead-${ahead.id}`)),
    record(taken.first, accepted(`early-${taken.id}`)),
    record(refused.first, REFUSED),
  ]);
  expect(await statusOf(taken)).toBe("delivered");
  expect(await contradictions(taken.account.accountId)).toEqual([]);
});

test("a failure receipt of the last attempt counts, whatever happened to earlier ones", async () => {
  for (const former of [UNKNOWN, BUSY]) {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, former);
    await record(second, accepted(`t-${message.id}`));
    await applyReceipts("twilio", [report(`t-${message.id}`, "undelivered")]);
    expect(await statusOf(message)).toBe("undelivered");
  }
});
