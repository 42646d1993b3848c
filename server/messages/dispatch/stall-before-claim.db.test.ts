/** Tests of a process that stalls between its look at a message and the claim of an attempt, while the permission to send ends. */

import pg from "pg";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { pool, transaction } from "@/server/core/db";
import { ALLOWED_FRESH_MS, giveBack } from "@/server/messages/dispatch/claims";
import { dispatch } from "@/server/messages/dispatch/dispatch";
import { settleAttempts, startAttempts } from "@/server/messages/dispatch/run-attempt";
import { claimFromThrottleQueue, enqueueThrottled } from "@/server/messages/dispatch/throttle-queue";
import { getMessage } from "@/server/messages/read";
import { deleteSender } from "@/server/senders/service";
import { createSuppression } from "@/server/suppressions/service";
import { moveClockAhead } from "@/test/clock";
import { claimAttempts, claimed, pending, prepareAttempts } from "@/test/database/attempts";

beforeAll(prepareAttempts);
afterEach(() => vi.restoreAllMocks());

type Pending = Awaited<ReturnType<typeof pending>>;

/** Stalls this process before the next claim, while `work` is done. */
function stallBeforeClaim(work: () => Promise<unknown>): void {
  const query = pg.Client.prototype.query as unknown as (...args: unknown[]) => unknown;
  let hasStalled = false;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    if (hasStalled || (args[0] as { name?: string }).name !== "attempts.claim") return query.apply(this, args);
    hasStalled = true;
    moveClockAhead(ALLOWED_FRESH_MS);
    return work().then(() => query.apply(this, args));
  } as never);
}

const revocations: { what: string; code: string; revoke: (message: Pending) => Promise<unknown> }[] = [
  {
    what: "its number is suppressed",
    code: "blocklisted",
    revoke: ({ account }) => createSuppression(account.actor, { number: "+14155550123" }),
  },
  {
    what: "its account is suspended",
    code: "account_not_active",
    revoke: ({ account }) =>
      pool().query("UPDATE accounts SET status = 'suspended' WHERE id = $1", [account.accountId]),
  },
  {
    what: "its sender ID is deleted",
    code: "sender_not_approved",
    revoke: async ({ account }) => {
      const { rows } = await pool().query("SELECT id FROM senders WHERE account_id = $1", [account.accountId]);
      await deleteSender(account.actor, rows[0].id);
    },
  },
];

/** Expects that no provider was called for a message, and that its next dispatch fails it. */
async function expectNeverSent({ account, id }: Pending, code: string): Promise<void> {
  vi.restoreAllMocks();
  const { rows } = await pool().query("SELECT provider, outcome FROM message_attempts WHERE message_id = $1", [id]);
  expect(rows).toEqual([]);
  expect(await claimAttempts([id])).toEqual([]);
  expect(await getMessage(account.actor, id)).toMatchObject({
    status: "failed",
    cost: 0,
    attempts: 0,
    error: { code },
  });
}

describe.each(revocations)("a message whose process stalls before the claim, while $what", ({ code, revoke }) => {
  test("is not sent", async () => {
    const message = await pending();
    stallBeforeClaim(() => revoke(message));
    await dispatch([message.id], startAttempts);
    await settleAttempts();
    await expectNeverSent(message, code);
  });

  test("is not sent from the throttle queue", async () => {
    const message = await claimed();
    await giveBack([message.first]);
    await transaction((tx) => enqueueThrottled(tx, [message.first]));
    stallBeforeClaim(() => revoke(message));
    startAttempts(await claimFromThrottleQueue("vonage", 1, { begins: true }));
    await settleAttempts();
    await expectNeverSent(message, code);
  });
});
