import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { MINUTE_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { workerId } from "@/server/core/worker-id";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import { giveBack } from "@/server/messages/dispatch/claims";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { failStranded, failUnresolved, requeueOrphans } from "@/server/messages/dispatch/sweeps";
import { getMessage } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { referenceTo } from "@/server/providers/reference";
import {
  accepted,
  BUSY,
  claimAttempts,
  claimed,
  prepareAttempts,
  record,
  recordAndAdvance,
  report,
  statusOf,
  UNKNOWN,
} from "@/test/database/attempts";

const ANY_AGE = -60_000;

beforeAll(prepareAttempts);

/** Ids of messages that a sweep has found orphaned. */
async function orphans(): Promise<string[]> {
  const { rows } = await pool().query<{ ids: string[] }>(
    "SELECT payload -> 'messageIds' AS ids FROM graphile_worker._private_jobs WHERE key LIKE 'dispatch_orphans%'",
  );
  return rows.flatMap(({ ids }) => ids);
}

describe("more than one attempt", () => {
  async function sentBySecond() {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, UNKNOWN);
    return { ...message, second };
  }

  test("a failure receipt of the first provider does not fail a message that the second one took", async () => {
    const message = await sentBySecond();
    const failed = report(`${message.id}-1`, "failed", referenceTo(message.id, 1));
    await applyReceipts("vonage", [failed]);
    expect(await statusOf(message)).toBe("pending");
    await record(message.second, accepted(`${message.id}-2`));
    await applyReceipts("vonage", [failed]);
    expect(await statusOf(message)).toBe("sent");
    await applyReceipts("twilio", [report(`${message.id}-2`, "delivered")]);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("a delivery receipt of the first provider ends the message, billed once", async () => {
    const message = await sentBySecond();
    await record(message.second, accepted(`${message.id}-2`));
    await applyReceipts("vonage", [report(`${message.id}-1`, "delivered", referenceTo(message.id, 1))]);
    expect(await statusOf(message)).toBe("delivered");
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("a chain that ends after an unknown outcome waits for a receipt, and is refunded when none comes", async () => {
    const message = await sentBySecond();
    expect(await record(message.second, BUSY)).toBeNull();
    expect(await statusOf(message)).toBe("pending");
    await failUnresolved(ANY_AGE);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      attempts: 2,
      cost: 0,
      error: { code: "provider_outcome_unknown" },
    });
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("a refusal after an unknown outcome stops the chain, and a receipt decides", async () => {
    const refused = { kind: "refused", code: "21610", detail: "The recipient has opted out." } as const;
    const [reported, silent] = [await sentBySecond(), await sentBySecond()];
    for (const message of [reported, silent]) {
      expect(await record(message.second, refused)).toBeNull();
      expect(await statusOf(message)).toBe("pending");
      expect(await claimAttempts([message.id])).toEqual([]);
    }
    await applyReceipts("vonage", [report(`${reported.id}-1`, "delivered", referenceTo(reported.id, 1))]);
    expect(await getMessage(reported.account.actor, reported.id)).toMatchObject({ status: "delivered", cost: 0.01 });
    await failUnresolved(ANY_AGE);
    expect(await getMessage(silent.account.actor, silent.id)).toMatchObject({
      status: "failed",
      attempts: 2,
      cost: 0,
      error: { code: "provider_outcome_unknown" },
    });
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("a failure receipt of the first provider fails a message that the second one refused", async () => {
    const message = await sentBySecond();
    await record(message.second, { kind: "refused", code: "21610", detail: "The recipient has opted out." });
    await applyReceipts("vonage", [report(`${message.id}-1`, "failed", referenceTo(message.id, 1))]);
    expect(await statusOf(message)).toBe("failed");
  });

  test("after a failure receipt of the first provider, the end of the chain fails the message with the receipt's error", async () => {
    const message = await sentBySecond();
    await applyReceipts("vonage", [report(`${message.id}-1`, "failed", referenceTo(message.id, 1))]);
    expect(await statusOf(message)).toBe("pending");
    await record(message.second, BUSY);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      cost: 0.01,
      provider: "vonage",
      error: { code: "7" },
    });
  });
});

test.each(["itself", "a worker whose claim is not the stored one"])(
  "an acceptance reported by %s overrides any earlier outcome, and its receipts are matched",
  async (who) => {
    const message = await claimed();
    // As a look-up may have reported.
    await recordAndAdvance(message.first, BUSY);
    const by = who === "itself" ? message.first : { ...message.first, claim: randomUUID() };
    await record(by, accepted(`${message.id}-late`));
    expect(await statusOf(message)).toBe("sent");
    await applyReceipts("vonage", [report(`${message.id}-late`, "delivered")]);
    expect(await statusOf(message)).toBe("delivered");
  },
);

/** Backdates the claim and begin of a message's attempts. */
const age = ({ id }: { id: string }, interval: string) =>
  pool().query(
    "UPDATE message_attempts SET started_at = now() - $2::interval, begun_at = now() WHERE message_id = $1",
    [id, interval],
  );

test("sweeps wait for an outcome that a living worker still has to write, but not forever", async () => {
  const message = await claimed();
  await pool().query("INSERT INTO workers (id, pools) VALUES ($1, '{}') ON CONFLICT DO NOTHING", [workerId()]);
  await age(message, "20 minutes");
  await failUnresolved(ANY_AGE);
  expect(await statusOf(message)).toBe("pending");
  await age(message, "61 minutes");
  await failUnresolved(ANY_AGE);
  expect(await statusOf(message)).toBe("failed");
  await pool().query("DELETE FROM workers WHERE id = $1", [workerId()]);
});

test("they wait for the outcome of a later attempt too, and the message is not refunded meanwhile", async () => {
  const message = await claimed();
  const second = await recordAndAdvance(message.first, UNKNOWN);
  await pool().query("INSERT INTO workers (id, pools) VALUES ($1, '{}') ON CONFLICT DO NOTHING", [workerId()]);
  await age(message, "20 minutes");
  await failUnresolved(15 * MINUTE_MS);
  expect(await statusOf(message)).toBe("pending");
  // The provider took it during an outage of the database.
  await record(second, accepted(`${message.id}-2`));
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "sent", cost: 0.01 });
  const silent = await claimed();
  await recordAndAdvance(silent.first, UNKNOWN);
  for (const [interval, status] of [
    ["20 minutes", "pending"],
    ["61 minutes", "failed"],
  ] as const) {
    await age(silent, interval);
    await failUnresolved(15 * MINUTE_MS);
    expect(await statusOf(silent)).toBe(status);
  }
  await pool().query("DELETE FROM workers WHERE id = $1", [workerId()]);
  expect((await checkLedger()).drifted).toEqual([]);
});

describe("a worker whose claim was taken back", () => {
  /** The same attempt, claimed again by the worker that took over. */
  async function claimedAgain() {
    const message = await claimed();
    await giveBack([message.first]);
    const [again] = await claimAttempts([message.id]);
    again?.slot?.release();
    if (!again) throw new Error("not claimed again");
    return { ...message, again };
  }

  const outcomesOf = async (id: string) => {
    const { rows } = await pool().query<{ outcome: string | null }>(
      "SELECT outcome FROM message_attempts WHERE message_id = $1 ORDER BY seq",
      [id],
    );
    return rows.map(({ outcome }) => outcome);
  };

  test("does not end the attempt of the other worker", async () => {
    const message = await claimedAgain();
    expect(await record(message.first, BUSY)).toBeNull();
    expect(await outcomesOf(message.id)).toEqual([null]);
    expect(await claimAttempts([message.id])).toEqual([]);
    await record(message.again, { kind: "refused", code: "21610", detail: "The recipient has opted out." });
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      error: { code: "21610" },
    });
  });

  test("does not make an unknown outcome of the other worker known", async () => {
    const message = await claimedAgain();
    const second = await recordAndAdvance(message.again, UNKNOWN);
    expect(await record(message.first, BUSY)).toBeNull();
    expect(await outcomesOf(message.id)).toEqual(["unknown", null]);
    expect(await record(second, BUSY)).toBeNull();
    expect(await statusOf(message)).toBe("pending");
  });
});

test("an orphaned message is dispatched again, and fails when all its providers were tried", async () => {
  const message = await claimed();
  const endAll = () =>
    pool().query("UPDATE message_attempts SET outcome = 'retryable' WHERE message_id = $1", [message.id]);
  await requeueOrphans(ANY_AGE);
  expect(await orphans()).not.toContain(message.id);
  await endAll();
  await failUnresolved(ANY_AGE);
  await failStranded(ANY_AGE);
  expect(await statusOf(message)).toBe("pending");
  await requeueOrphans(60_000);
  expect(await orphans()).not.toContain(message.id);
  await requeueOrphans(ANY_AGE);
  expect(await orphans()).toContain(message.id);

  expect(await claimAttempts([message.id])).toMatchObject([{ seq: 2, provider: "twilio" }]);
  await endAll();
  await failStranded(60_000);
  expect(await statusOf(message)).toBe("pending");
  await failStranded(ANY_AGE);
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({
    status: "failed",
    attempts: 2,
    cost: 0,
    error: { code: "no_provider_available" },
  });
});

describe("an outcome that is recorded more than once", () => {
  const attemptsOf = async (id: string) =>
    (
      await pool().query<{ provider: string; outcome: string | null }>(
        "SELECT provider, outcome FROM message_attempts WHERE message_id = $1 ORDER BY seq",
        [id],
      )
    ).rows;

  test("continues once if several workers record it at once", async () => {
    const message = await claimed();
    const nexts = await Promise.all([record(message.first, BUSY), record(message.first, BUSY)]);
    expect(nexts.map((next) => next?.seq ?? null).sort()).toEqual([2, null]);
    expect(await record(message.first, BUSY)).toBeNull();
    expect(await record(message.first, UNKNOWN)).toBeNull();
    expect(await attemptsOf(message.id)).toEqual([
      { provider: "vonage", outcome: "retryable" },
      { provider: "twilio", outcome: null },
    ]);
  });

  test("concurrently with a dispatch: one attempt", async () => {
    const message = await claimed();
    await record(message.first, UNKNOWN);
    await pool().query("DELETE FROM message_attempts WHERE message_id = $1 AND seq = 2", [message.id]);
    const outcomes = await Promise.all([claimAttempts([message.id]), record(message.first, BUSY)]);
    expect(outcomes.flat().filter(Boolean)).toHaveLength(1);
    expect(await attemptsOf(message.id)).toHaveLength(2);
  });

  test("a late refusal does not fail a message that another attempt may have sent", async () => {
    const message = await claimed();
    await record(message.first, UNKNOWN);
    await record(message.first, { kind: "refused", code: "x", detail: "Late." });
    expect(await statusOf(message)).toBe("pending");
  });

  test("a late refusal fails the message if the following attempt is never made", async () => {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, UNKNOWN);
    await record(message.first, { kind: "refused", code: "x", detail: "Late." });
    await giveBack([second]);
    expect(await claimAttempts([message.id])).toEqual([]);
    await failStranded(60_000);
    expect(await statusOf(message)).toBe("pending");
    await requeueOrphans(ANY_AGE);
    expect(await orphans()).not.toContain(message.id);
    await failStranded(ANY_AGE);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "failed", cost: 0 });
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("again by the same worker, because the reply to COMMIT was lost: it keeps the following attempt", async () => {
    const message = await claimed();
    const ending = attemptResult(message.first, BUSY, 1);
    const next = await recordOutcome(ending);
    expect(next?.provider).toBe("twilio");
    expect(await recordOutcome(ending)).toMatchObject({
      seq: 2,
      provider: "twilio",
      claim: next?.claim,
      tried: ["vonage"],
    });
    expect(await recordOutcome(attemptResult(message.first, BUSY, 1))).toBeNull();
    expect(await attemptsOf(message.id)).toHaveLength(2);
  });

  test("an accepted outcome counts, even when another worker has continued", async () => {
    const message = await claimed();
    await record(message.first, BUSY);
    await record(message.first, accepted(`${message.id}-1`));
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "sent", provider: "vonage" });
  });
});
