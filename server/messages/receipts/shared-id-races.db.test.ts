/** Tests of ids that a message centre reuses, in concurrent transactions of several workers. */
import { beforeAll, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { referenceTo } from "@/server/providers/reference";
import { contradictions } from "@/test/database/account-truth";
import { accepted, type Claimed, claimed, prepareAttempts, record, report, statusOf } from "@/test/database/attempts";
import { holdAfter } from "@/test/database/intercepted-statements";
import { asWorker, startWorker, tellWorkersApart } from "@/test/database/simulated-workers";

const LONG_TEXT = "x".repeat(400);
const [OLDER, NEWER, THIRD, FOURTH] = ["+14155551111", "+14155551122", "+14155551133", "+14155551144"] as const;

beforeAll(async () => {
  await prepareAttempts();
  tellWorkersApart();
});

const newId = async () => (await claimed()).id;
const othersOf = ({ id }: Claimed) => [`${id}-2`, `${id}-3`];
/** Records that the provider took the long message. The id is its last part's; the first part's is the attempt's as well. */
const take = (message: Claimed, id: string) => record(message.first, accepted(...othersOf(message), id));
const elsewhere = <Result>(work: () => Promise<Result>) => asWorker(startWorker(), work);
const named = (message: Claimed, id: string, status: Parameters<typeof report>[1] = "delivered") =>
  report(id, status, referenceTo(message.id, 1));
const apply = (...reports: Parameters<typeof applyReceipts>[1]) => applyReceipts("vonage", reports);
const deliverOthers = (message: Claimed) => apply(...othersOf(message).map((id) => named(message, id)));

/** A long message that its provider took, with the id on one of its parts. */
async function taken(id: string, to: string): Promise<Claimed> {
  const message = await claimed(LONG_TEXT, to);
  await take(message, id);
  return message;
}

const statuses = (...messages: Claimed[]) => Promise.all(messages.map(statusOf));

async function partsOf({ id }: Claimed): Promise<number> {
  const { rows } = await pool().query("SELECT 1 FROM attempt_parts WHERE message_id = $1", [id]);
  return rows.length;
}

async function expectTruth(...messages: Claimed[]): Promise<void> {
  for (const { account } of messages) expect(await contradictions(account.accountId)).toEqual([]);
}

test.each(["in one batch", "in two transactions"])(
  "receipts whose references assign one new id to two messages, %s, count for both",
  async (how) => {
    const id = await newId();
    const [one, other] = [await claimed(LONG_TEXT, OLDER), await claimed(LONG_TEXT, NEWER)];
    if (how === "in one batch") await apply(named(one, id), named(other, id));
    else {
      const hold = holdAfter("receipts.find_attempts", one.id);
      const first = elsewhere(() => apply(named(one, id)));
      await hold.reached;
      await elsewhere(() => apply(named(other, id)));
      hold.release();
      await first;
    }
    for (const message of [one, other]) {
      await take(message, id);
      expect(await partsOf(message)).toBe(3);
      await deliverOthers(message);
    }
    expect(await statuses(one, other)).toEqual(["delivered", "delivered"]);
    await expectTruth(one, other);
  },
);

test("a receipt with a reference counts for one part of its message even if two messages get its id before it is stored", async () => {
  const id = await newId();
  const message = await claimed(LONG_TEXT, THIRD);
  const hold = holdAfter("receipts.find_attempts", message.id);
  const receipt = elsewhere(() => apply(named(message, id)));
  await hold.reached;
  await taken(id, OLDER);
  await taken(id, NEWER);
  hold.release();
  await receipt;
  await take(message, id);
  expect(await partsOf(message)).toBe(3);
  await deliverOthers(message);
  expect(await statusOf(message)).toBe("delivered");
});

test("a receipt that is matched again together with one of a shared id counts for one part of its message", async () => {
  const [sharedId, id] = [await newId(), await newId()];
  await taken(sharedId, OLDER);
  const [one, other] = [await claimed(LONG_TEXT, NEWER), await claimed(LONG_TEXT, THIRD)];
  const hold = holdAfter("receipts.find_attempts", other.id);
  const receipts = elsewhere(() => apply(named(one, sharedId), named(other, id)));
  await hold.reached;
  const fourth = await taken(id, FOURTH);
  hold.release();
  await receipts;
  await apply({ ...report(id, "undelivered"), source: FOURTH });
  expect(await statusOf(fourth)).toBe("undelivered");
  await take(other, id);
  expect(await partsOf(other)).toBe(3);
  await deliverOthers(other);
  expect(await statusOf(other)).toBe("delivered");
});

test("an outcome that shares its id does not touch a message that got the id after the look for others", async () => {
  const id = await newId();
  const older = await taken(id, OLDER);
  const newer = await claimed(LONG_TEXT, NEWER);
  // The first look belongs to the try that fails because another message has the id.
  const refusal = holdAfter("shared_ids.holders", newer.id);
  const outcome = elsewhere(() => take(newer, id));
  await refusal.reached;
  const look = holdAfter("shared_ids.holders", newer.id);
  refusal.release();
  await look.reached;
  await elsewhere(() => apply(named(older, id, "undelivered")));
  const third = await claimed(LONG_TEXT, THIRD);
  await elsewhere(() => take(third, id));
  const own = holdAfter("shared_ids.own_parts", third.id);
  const receipt = elsewhere(() => apply(named(third, id)));
  await own.reached;
  look.release();
  await new Promise((resolve) => setTimeout(resolve, 300));
  own.release();
  await Promise.all([outcome, receipt]);
  expect(await partsOf(third)).toBe(3);
  for (const message of [newer, third]) await deliverOthers(message);
  await apply(named(newer, id));
  expect(await statuses(older, newer, third)).toEqual(["undelivered", "delivered", "delivered"]);
});

test("two outcomes of one batch share an id that its former message loses meanwhile", async () => {
  const id = await newId();
  const older = await taken(id, OLDER);
  const pair = [await claimed(LONG_TEXT, NEWER), await claimed(LONG_TEXT, THIRD)] as const;
  const look = holdAfter("shared_ids.holders", pair[0].id);
  const outcomes = elsewhere(() =>
    Promise.all(
      pair.map(({ first, ...message }) => {
        const outcome = accepted(...othersOf({ first, ...message }), id);
        return recordOutcome({ ...attemptResult(first, outcome, 1), isRepeated: true });
      }),
    ),
  );
  await look.reached;
  await elsewhere(() => apply(named(older, id, "undelivered")));
  look.release();
  await outcomes;
  for (const message of pair) {
    expect(await partsOf(message)).toBe(3);
    await deliverOthers(message);
    await apply(named(message, id));
  }
  expect(await statuses(...pair)).toEqual(["delivered", "delivered"]);
});

test("when one message gets an id as a whole and another one as a part at the same moment, their numbers distinguish them", async () => {
  const id = await newId();
  const [whole, long] = [await claimed("Hello", OLDER), await claimed(LONG_TEXT, NEWER)];
  const holds = [whole, long].map((message) => holdAfter("shared_ids.holders", message.id));
  const outcomes = [elsewhere(() => record(whole.first, accepted(id))), elsewhere(() => take(long, id))];
  await Promise.all(holds.map(({ reached }) => reached));
  for (const { release } of holds) release();
  await Promise.all(outcomes);
  await apply({ ...report(id, "delivered"), source: OLDER });
  expect(await statuses(whole, long)).toEqual(["delivered", "sent"]);
  await deliverOthers(long);
  await apply({ ...report(id, "delivered"), source: NEWER });
  expect(await statuses(whole, long)).toEqual(["delivered", "delivered"]);
});

test("a receipt is about the message that is recorded with its id while the receipt is being matched", async () => {
  const id = await newId();
  const [older, newer] = [await claimed("Hello", OLDER), await claimed("Hello", NEWER)];
  await record(older.first, accepted(id));
  const hold = holdAfter("receipts.find_attempts", id);
  const receipt = elsewhere(() => apply({ ...report(id, "delivered"), source: NEWER }));
  await hold.reached;
  await elsewhere(() => record(newer.first, accepted(id)));
  hold.release();
  await receipt;
  expect(await statuses(older, newer)).toEqual(["sent", "delivered"]);
});

test("a late receipt of a finished message does not take its id back from the message that gets it meanwhile", async () => {
  const id = await newId();
  const [older, newer] = [await taken(id, OLDER), await claimed("Hello", NEWER)];
  await apply(named(older, id, "undelivered"));
  const hold = holdAfter("receipts.find_attempts", id);
  const late = elsewhere(() => apply({ ...report(id, "undelivered"), source: OLDER }));
  await hold.reached;
  await elsewhere(() => record(newer.first, accepted(id)));
  hold.release();
  await late;
  await apply(report(id, "delivered"));
  expect(await statuses(older, newer)).toEqual(["undelivered", "delivered"]);
});

test("a repeated receipt whose reference names a finished message leaves the id to the message that has it now", async () => {
  const id = await newId();
  const [older, newer] = [await taken(id, OLDER), await claimed("Hello", NEWER)];
  await apply(named(older, id, "undelivered"));
  await record(newer.first, accepted(id));
  await apply(named(older, id, "undelivered"));
  await apply(report(id, "delivered"));
  expect(await statuses(older, newer)).toEqual(["undelivered", "delivered"]);
});

test("so does one in a batch with the receipt that assigns the id to another message", async () => {
  const id = await newId();
  const [older, newer] = [await taken(id, OLDER), await claimed(LONG_TEXT, NEWER)];
  await apply(named(older, id, "undelivered"));
  await apply(named(older, id, "undelivered"), named(newer, id));
  await take(newer, id);
  await deliverOthers(newer);
  expect(await statuses(older, newer)).toEqual(["undelivered", "delivered"]);
});

test("a receipt that anybody could have sent is not kept when its id becomes shared, in the same batch, with a message to its number", async () => {
  const id = await newId();
  const [older, newer] = [await taken(id, OLDER), await claimed(LONG_TEXT, OLDER)];
  await apply({ ...report(id, "delivered"), recipient: OLDER }, named(newer, id));
  const { rows } = await pool().query("SELECT 1 FROM receipts WHERE provider_message_id = $1 AND message_id IS NULL", [
    id,
  ]);
  expect(rows).toEqual([]);
  expect(await statuses(older, newer)).toEqual(["sent", "sent"]);
});
