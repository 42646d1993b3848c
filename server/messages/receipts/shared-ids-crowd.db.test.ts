/** Tests many unfinished messages under a few ids, with outcomes and receipts written concurrently by several workers. */
import { beforeAll, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { referenceTo } from "@/server/providers/reference";
import { contradictions } from "@/test/database/account-truth";
import { accepted, claimMany, prepareAttempts, record, report } from "@/test/database/attempts";
import { asWorker, startWorker, tellWorkersApart } from "@/test/database/simulated-workers";

const MESSAGES = 120;
const IDS = 4;
const LONG_TEXT = "x".repeat(400);
/** All outcomes and receipts arrive within this time. */
const WITHIN_MS = 300;

beforeAll(async () => {
  await prepareAttempts();
  tellWorkersApart();
});

const below = (end: number): number => Math.floor(Math.random() * end);
const pause = () => new Promise((resolve) => setTimeout(resolve, below(WITHIN_MS)));

/** Repeats work that lost against another transaction, as the queue does. */
async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (let run = 1; ; run += 1) {
    const isDone = await work().then(
      () => true,
      (thrown) => {
        if (run === 20) throw thrown;
        return false;
      },
    );
    if (isDone) return;
    await pause();
  }
}

test("each message has the parts of its response, once, and the end that its receipts report", async () => {
  const workers = Array.from({ length: 5 }, startWorker);
  const byAnyone = (work: () => Promise<unknown>) =>
    untilDone(() => asWorker(workers[below(workers.length)] ?? startWorker(), work));
  const { owner, attempts } = await claimMany(MESSAGES, LONG_TEXT);
  const ends = new Map<string, string>();
  await Promise.all(
    attempts.map(async (attempt) => {
      const { id } = attempt.message;
      const parts = [`${id}-1`, `${id}-2`, `${id}-3`].with(below(3), `shared-${below(IDS)}`);
      const lost = below(8) === 0 ? parts[below(3)] : null;
      ends.set(id, lost ? "undelivered" : "delivered");
      const outcome = async () => {
        await pause();
        await byAnyone(() => record(attempt, accepted(...parts)));
      };
      const receipt = async (part: string) => {
        await pause();
        const status = part === lost ? "undelivered" : "delivered";
        await byAnyone(() => applyReceipts("vonage", [report(part, status, referenceTo(id, 1))]));
      };
      await Promise.all([outcome(), ...parts.map(receipt)]);
    }),
  );
  const { rows } = await pool().query<{ id: string; status: string; parts: number }>(
    `SELECT id, status, (SELECT count(*)::int FROM attempt_parts p WHERE p.message_id = m.id) AS parts
     FROM messages m WHERE account_id = $1`,
    [owner.accountId],
  );
  // The next message with the id takes the part over from one that has ended.
  expect(rows.filter(({ id, status, parts }) => status !== ends.get(id) || parts > 3)).toEqual([]);
  expect(rows).toHaveLength(MESSAGES);
  expect(await contradictions(owner.accountId)).toEqual([]);
});
