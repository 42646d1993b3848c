import { SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import type { JobPayload } from "../core/jobs";
import { errorFields, log } from "../core/log";
import { keepDoing } from "../core/process";
import { PROVIDERS } from "../providers/schema";
import { dispatch } from "./dispatch/dispatch";
import { lookUpUnknown } from "./dispatch/look-up";
import { giveBackUnheard } from "./dispatch/recover";
import { startAttempts, stopAttempts } from "./dispatch/run-attempt";
import { serveThrottleQueue } from "./dispatch/serve-throttle-queue";
import { applyReceipts, rejoinReceipts } from "./receipts/apply-receipts";

/** Claims the attempts that can be made now and starts them. Safe to run twice: a claimed message is not claimed again. */
export const dispatchMessages = ({ messageIds }: JobPayload<"dispatch_messages">): Promise<void> =>
  dispatch(messageIds, startAttempts);

/** Pauses between polls of the throttle queue: while messages are queued, and while none are. */
const SERVE_BUSY_MS = 100;
const SERVE_IDLE_MS = 500;

/** Serves the throttle queue until the returned function is called, which waits for the poll under way. */
export const keepServing = (): (() => Promise<void>) =>
  keepDoing(async () => {
    const isBusy = await serveThrottleQueue().catch((thrown) => {
      log("warn", "waiting.not_served", errorFields(thrown));
      return false;
    });
    return isBusy ? SERVE_BUSY_MS : SERVE_IDLE_MS;
  });

/** Pauses between look-ups at a provider: while attempts are due, and while none are. */
const LOOK_UP_BUSY_MS = SECOND_MS;
const LOOK_UP_IDLE_MS = 5 * SECOND_MS;

/**
 * Looks up attempts with an unknown outcome until the returned function is called, which waits for the look-ups under way.
 * Each provider has a loop of its own: one that hangs delays neither the others nor any job.
 */
export function keepLookingUp(): () => Promise<void> {
  const stops = PROVIDERS.map((provider) =>
    keepDoing(async () => {
      const count = await lookUpUnknown(provider).catch((thrown) => {
        log("warn", "attempts.not_looked_up", { provider, ...errorFields(thrown) });
        return 0;
      });
      return count > 0 ? LOOK_UP_BUSY_MS : LOOK_UP_IDLE_MS;
    }),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Pause between checks for claims of this process whose reply was lost. */
const OWN_CLAIMS_EVERY_MS = 2 * SECOND_MS;

/** Gives back claims whose reply was lost until the returned function is called. */
export const keepGivingBack = (): (() => Promise<void>) =>
  keepDoing(async () => {
    await giveBackUnheard().catch((thrown) => log("warn", "attempts.own_claims_not_read", errorFields(thrown)));
    return OWN_CLAIMS_EVERY_MS;
  });

/** Begins no more attempts, waits for the calls under way, and gives back attempts that have not begun. */
export const endAttempts = (): Promise<void> => stopAttempts();

/** Gives back the last claims whose reply was lost, once nothing claims any more. */
export async function leaveNothing(): Promise<void> {
  await giveBackUnheard(0).catch((thrown) => log("warn", "attempts.own_claims_not_read", errorFields(thrown)));
}

/** Stores and applies a provider's receipts. */
export const takeReceipts = ({ provider, receipts }: JobPayload<"apply_receipts">): Promise<void> =>
  applyReceipts(provider, receipts);

/** Joins receipts that came before the response to their own send. */
export const rejoin = ({ provider, providerMessageIds }: JobPayload<"join_receipts">): Promise<void> =>
  rejoinReceipts(provider, providerMessageIds);

export { recoverAttempts, takeBackClaims } from "./dispatch/recover";
export { sweepMessages } from "./dispatch/sweeps";

/** Deletes the stored responses of Idempotency-Keys, an hour after their 24 hours. */
export async function forgetIdempotencyKeys(): Promise<void> {
  await pool().query("DELETE FROM idempotency_keys WHERE created_at < now() - interval '25 hours'");
}

/**
 * Deletes nonces of providers' callbacks long after replays would be refused as stale, provider counters after a month, and
 * parked receipts once a message of ours would have expired.
 */
export async function forgetCallbacks(): Promise<void> {
  // Plivo signs no timestamp: without its nonce a callback could be replayed at any age.
  await pool().query(
    `DELETE FROM receipt_nonces
     WHERE seen_at < now() - CASE provider WHEN 'plivo' THEN interval '31 days' ELSE interval '25 hours' END`,
  );
  await pool().query("DELETE FROM provider_minutes WHERE minute < now() - interval '31 days'");
  await pool().query("DELETE FROM receipts WHERE message_id IS NULL AND received_at < now() - interval '72 hours'");
}
