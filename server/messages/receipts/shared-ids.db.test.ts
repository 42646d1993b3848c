/** Tests of a message centre that restarts its numbering, or counts only to 65,535, and so assigns an id that another message still has. */
import { beforeAll, describe, expect, test } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import { joinLeftReceipts } from "@/server/messages/dispatch/join-left-receipts";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { getMessage } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { rejoin } from "@/server/messages/tasks";
import { referenceTo } from "@/server/providers/reference";
import { contradictions } from "@/test/database/account-truth";
import {
  accepted,
  type Claimed,
  claimed,
  prepareAttempts,
  record,
  recordAndAdvance,
  report,
  statusOf,
  UNKNOWN,
} from "@/test/database/attempts";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";

const LONG_TEXT = "x".repeat(400);
const [OLDER, NEWER] = ["+14155550111", "+14155550122"] as const;
const FORMS = [
  ["a part of a long message", "a part of a long message", true, true],
  ["a whole message", "a part of a long message", false, true],
  ["a part of a long message", "a whole message", true, false],
  ["a whole message", "a whole message", false, false],
] as const;

beforeAll(prepareAttempts);

/** A message that its provider took under `id`, as one of its three parts if it is long. */
async function taken(id: string, isLong: boolean, to: string): Promise<Claimed & { others: string[] }> {
  const message = await claimed(isLong ? LONG_TEXT : "Hello", to);
  const others = isLong ? [`${message.id}-2`, `${message.id}-3`] : [];
  await record(message.first, accepted(id, ...others));
  return { ...message, others };
}

const deliverOthers = ({ others }: { others: string[] }) =>
  applyReceipts(
    "vonage",
    others.map((id) => report(id, "delivered")),
  );

const from = (source: string, ...args: Parameters<typeof report>) => ({ ...report(...args), source });

const newId = async () => (await claimed()).id;

test("of two messages to one number that share an id, a receipt is about the one that has not ended", async () => {
  const id = await newId();
  const [older, newer] = [await taken(id, false, OLDER), await taken(id, false, OLDER)];
  await applyReceipts("vonage", [from(OLDER, id, "undelivered")]);
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "sent"]);
  await applyReceipts("vonage", [report(id, "delivered", referenceTo(older.id, 1))]);
  await applyReceipts("vonage", [from(OLDER, id, "undelivered")]);
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["delivered", "undelivered"]);
});

describe.each(FORMS)("an id of %s that %s gets before the first one is finished", (_, __, isOlderLong, isNewerLong) => {
  test("a receipt without a number or a reference is about neither", async () => {
    const id = await newId();
    const older = await taken(id, isOlderLong, OLDER);
    const newer = await taken(id, isNewerLong, NEWER);
    for (const message of [older, newer]) await deliverOthers(message);
    await applyReceipts("vonage", [report(id, "delivered")]);
    await rejoin({ provider: "vonage", providerMessageIds: [id], isLast: true });
    await joinLeftReceipts(3_600_000);
    expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "sent"]);
    expect((await getMessage(newer.account.actor, newer.id)).provider_message_id).toBe(id);
  });

  test("a receipt is about the one whose recipient it names, in any notation", async () => {
    const id = await newId();
    const older = await taken(id, isOlderLong, OLDER);
    const newer = await taken(id, isNewerLong, NEWER);
    await applyReceipts("vonage", [
      from(NEWER.slice(1), id, "delivered"),
      from(`00${OLDER.slice(1)}`, id, "undelivered"),
    ]);
    await deliverOthers(newer);
    expect([await statusOf(older), await statusOf(newer)]).toEqual(["undelivered", "delivered"]);
    // Nothing of the finished message is left that could be confused with the other one.
    await applyReceipts("vonage", [from(OLDER, id, "delivered"), from(NEWER, id, "failed")]);
    expect([await statusOf(older), await statusOf(newer)]).toEqual(["undelivered", "delivered"]);
  });

  test("a receipt with our reference is about the attempt that it names", async () => {
    const id = await newId();
    const older = await taken(id, isOlderLong, OLDER);
    const newer = await taken(id, isNewerLong, NEWER);
    await applyReceipts("vonage", [report(id, "delivered", referenceTo(newer.id, 1))]);
    await deliverOthers(newer);
    expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "delivered"]);
    await applyReceipts("vonage", [report(id, "undelivered", referenceTo(older.id, 1))]);
    expect(await statusOf(older)).toBe("undelivered");
  });
});

describe("an id that two unfinished messages have", () => {
  test("can be assigned normally once both are finished", async () => {
    const id = await newId();
    const older = await taken(id, true, OLDER);
    const newer = await taken(id, true, NEWER);
    await applyReceipts("vonage", [from(OLDER, id, "failed"), from(NEWER, id, "failed")]);
    expect([await statusOf(older), await statusOf(newer)]).toEqual(["failed", "failed"]);
    const third = await taken(id, true, OLDER);
    await deliverOthers(third);
    await applyReceipts("vonage", [report(id, "delivered")]);
    expect(await statusOf(third)).toBe("delivered");
  });

  test("may be assigned to a third one, and each gets its own receipt", async () => {
    const id = await newId();
    const [first, second, third] = [
      await taken(id, true, OLDER),
      await taken(id, false, NEWER),
      await taken(id, true, "+14155550133"),
    ];
    for (const message of [first, third]) await deliverOthers(message);
    await applyReceipts("vonage", [from("+14155550133", id, "undelivered")]);
    await applyReceipts("vonage", [from(NEWER, id, "delivered")]);
    expect(await Promise.all([first, second, third].map(statusOf))).toEqual(["sent", "delivered", "undelivered"]);
    await applyReceipts("vonage", [from(OLDER, id, "delivered")]);
    expect(await statusOf(first)).toBe("delivered");
  });

  test("is ambiguous if both go to one number", async () => {
    const id = await newId();
    const [older, newer] = [await taken(id, false, OLDER), await taken(id, false, OLDER)];
    await applyReceipts("vonage", [from(OLDER, id, "undelivered")]);
    expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "sent"]);
  });

  test("is handled in one batch: both are sent, billed and distinguished", async () => {
    const id = await newId();
    const [older, newer] = [await claimed(LONG_TEXT, OLDER), await claimed(LONG_TEXT, NEWER)];
    await Promise.all([older, newer].map(({ first }) => record(first, accepted(id, `${first.message.id}-2`))));
    await applyReceipts("vonage", [from(NEWER, id, "undelivered")]);
    expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "undelivered"]);
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("keeps the status of its part, and parts taken before a failed response are distinguished too", async () => {
    const id = await newId();
    const older = await taken(id, true, OLDER);
    await applyReceipts("vonage", [report(id, "delivered")]);
    const newer = await claimed(LONG_TEXT, NEWER);
    await record(newer.first, { ...UNKNOWN, taken: [id] });
    await applyReceipts("vonage", [from(NEWER, id, "sent")]);
    expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "sent"]);
    await deliverOthers(older);
    expect(await statusOf(older)).toBe("delivered");
  });
});

test("a superseded receipt under a shared id fails its message when the later attempt comes to nothing", async () => {
  const id = await newId();
  const older = await taken(id, false, OLDER);
  const newer = await claimed(LONG_TEXT, NEWER);
  const second = await recordAndAdvance(newer.first, { ...UNKNOWN, taken: [id] });
  await applyReceipts("vonage", [from(NEWER, id, "sent")]);
  await applyReceipts("vonage", [from(NEWER, id, "failed")]);
  expect(await statusOf(newer)).toBe("sent");
  await record(second, { kind: "refused", code: "21211", detail: "Not a number." });
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "failed"]);
});

test.each([
  ["Hello", OLDER],
  [LONG_TEXT, NEWER],
])("an id that a late response assigns again, for %j, is shared from then on", async (text, to) => {
  const id = await newId();
  const older = await taken(id, false, "+14155550144");
  const newer = await claimed(text, to);
  // As the centre's response is processed after the timeout.
  await applyReceipts("vonage", [{ ...report(id, "sent", referenceTo(newer.id, 1)), isOfWhole: true }]);
  await applyReceipts("vonage", [report(id, "undelivered")]);
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "sent"]);
  await applyReceipts("vonage", [from(to, id, "delivered")]);
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "delivered"]);
  expect((await getMessage(newer.account.actor, newer.id)).provider_message_id).toBe(id);
});

test("a receipt whose id and reference name different messages is about the referenced one, even before its response", async () => {
  const id = await newId();
  const older = await taken(id, true, OLDER);
  const newer = await claimed(LONG_TEXT, NEWER);
  await applyReceipts("vonage", [report(id, "delivered", referenceTo(newer.id, 1))]);
  await deliverOthers(older);
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "sent"]);
  await record(newer.first, accepted(id, `${newer.id}-2`, `${newer.id}-3`));
  await applyReceipts("vonage", [report(`${newer.id}-2`, "delivered"), report(`${newer.id}-3`, "delivered")]);
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "delivered"]);
  await applyReceipts("vonage", [from(OLDER, id, "delivered")]);
  expect(await statusOf(older)).toBe("delivered");
  const { rows } = await pool().query("SELECT 1 FROM attempt_parts WHERE message_id = $1", [newer.id]);
  expect(rows).toHaveLength(3);
});

test("an id of a finished message that a receipt's reference assigns again belongs only to the newer message", async () => {
  const id = await newId();
  const older = await taken(id, true, OLDER);
  await applyReceipts("vonage", [report(id, "undelivered")]);
  expect(await statusOf(older)).toBe("undelivered");
  const newer = await claimed(LONG_TEXT, NEWER);
  await applyReceipts("vonage", [report(id, "delivered", referenceTo(newer.id, 1))]);
  await record(newer.first, accepted(id, `${newer.id}-2`, `${newer.id}-3`));
  await applyReceipts("vonage", [report(`${newer.id}-2`, "delivered"), report(`${newer.id}-3`, "delivered")]);
  expect(await statusOf(newer)).toBe("delivered");
});

test("an outcome with a shared id that is recorded again, because the reply to COMMIT was lost, keeps the following attempt", async () => {
  const id = await newId();
  await taken(id, false, OLDER);
  const newer = await claimed(LONG_TEXT, NEWER);
  const result = attemptResult(newer.first, { ...UNKNOWN, taken: [id] }, 1);
  const next = await recordOutcome(result);
  expect(next).toMatchObject({ provider: "twilio", seq: 2 });
  expect((await recordOutcome(result))?.claim).toBe(next?.claim);
});

test("a batch in which an id turns out to be shared leaves nothing of its first try, even with earlier receipts", async () => {
  const [, id = ""] = (await taken(await newId(), true, OLDER)).others;
  const [newer, other] = [await claimed("Hello", NEWER), await claimed()];
  await applyReceipts("vonage", [report(other.id, "delivered")]);
  await Promise.all([record(newer.first, accepted(id)), record(other.first, accepted(other.id))]);
  expect([await statusOf(newer), await statusOf(other)]).toEqual(["sent", "delivered"]);
  for (const { account } of [newer, other]) expect(await contradictions(account.accountId)).toEqual([]);
});

test("a receipt in a batch with the one that assigns its id again counts for the part that its message had under that id", async () => {
  const id = await newId();
  const older = await taken(id, true, OLDER);
  const newer = await claimed("Hello", NEWER);
  // The id in the older message's receipt is not shared yet when both are matched.
  const late = { ...report(id, "sent", referenceTo(newer.id, 1)), isOfWhole: true };
  await applyReceipts("vonage", [from(OLDER, id, "delivered"), late]);
  await deliverOthers(older);
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["delivered", "sent"]);
});

test("a receipt that waits for the outcome that assigns its id again counts for the part that its message had under that id", async () => {
  const id = await newId();
  const older = await taken(id, true, OLDER);
  const newer = await claimed("Hello", NEWER);
  const blocker = await openTransaction(async (tx) => {
    await tx.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    return tx.query("SELECT 1 FROM messages WHERE id = $1 FOR UPDATE", [older.id]);
  });
  const outcome = record(newer.first, accepted(id));
  await untilWaiting("FOR", 1);
  const receipt = applyReceipts("vonage", [report(id, "delivered")]);
  await untilWaiting("FOR", 2);
  await blocker.commit();
  await Promise.all([outcome, receipt]);
  await deliverOthers(older);
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["delivered", "sent"]);
});

test.each(["finished", "forgotten"])(
  "a part that shared its id with another message has it alone once that one is %s, with the status reported before",
  async (end) => {
    const id = await newId();
    const older = await taken(id, true, OLDER);
    const newer = await claimed(LONG_TEXT, NEWER);
    await applyReceipts("vonage", [report(id, "delivered", referenceTo(newer.id, 1))]);
    await applyReceipts("vonage", [from(OLDER, id, "undelivered")]);
    if (end === "forgotten") await pool().query("DELETE FROM attempt_parts WHERE message_id = $1", [older.id]);
    const others = [`${newer.id}-2`, `${newer.id}-3`];
    await record(newer.first, accepted(id, ...others));
    await deliverOthers({ others });
    expect([await statusOf(older), await statusOf(newer)]).toEqual(["undelivered", "delivered"]);
  },
);

test("an id that a message has twice, as the provider's and as ours, can be assigned again", async () => {
  const id = await newId();
  const older = await taken(id, true, OLDER);
  await pool().query(
    `INSERT INTO attempt_parts (provider, provider_message_id, message_id, seq, shared_id)
     SELECT provider, provider_message_id || '~' || message_id, message_id, seq, provider_message_id
     FROM attempt_parts WHERE provider_message_id = $1`,
    [id],
  );
  const newer = await claimed("Hello", NEWER);
  await applyReceipts("vonage", [report(id, "delivered", referenceTo(newer.id, 1))]);
  expect([await statusOf(older), await statusOf(newer)]).toEqual(["sent", "delivered"]);
});
