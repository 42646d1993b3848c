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
import { serveWaiting } from "./dispatch/serve";
import { dropParked } from "./receipts/parked";
import { applyReceipts, rejoinReceipts } from "./receipts/receipts";

/** Claims the attempts that can be made now and starts them. Safe to run twice: a claimed message is not claimed again. */
export const dispatchMessages = ({ messageIds }: JobPayload<"dispatch_messages">): Promise<void> =>
  dispatch(messageIds, startAttempts);

/** How often the waiting room is served: while somebody waits, and while nobody does. */
const SERVE_BUSY_MS = 100;
const SERVE_IDLE_MS = 500;

/** Serves the waiting room until the returned function is called, which waits for the turn under way. */
export const keepServing = (): (() => Promise<void>) =>
  keepDoing(async () => {
    const isBusy = await serveWaiting().catch((thrown) => {
      log("warn", "waiting.not_served", errorFields(thrown));
      return false;
    });
    return isBusy ? SERVE_BUSY_MS : SERVE_IDLE_MS;
  });

/** How often providers are asked what became of attempts: while there are some to ask about, and while there are none. */
const LOOK_UP_BUSY_MS = SECOND_MS;
const LOOK_UP_IDLE_MS = 5 * SECOND_MS;

/**
 * Looks up attempts whose outcome is not known until the returned function is called, which waits for the look-ups under
 * way. Each provider has a turn of its own: one that hangs keeps neither the others waiting nor any job.
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

/** Pause between looks for claims of this process whose acknowledgement was lost. */
const OWN_CLAIMS_EVERY_MS = 2 * SECOND_MS;

/** Gives back claims whose acknowledgement was lost until the returned function is called. */
export const keepGivingBack = (): (() => Promise<void>) =>
  keepDoing(async () => {
    await giveBackUnheard().catch((thrown) => log("warn", "attempts.own_claims_not_read", errorFields(thrown)));
    return OWN_CLAIMS_EVERY_MS;
  });

/** Begins no more attempts, and waits for the calls under way to end. Attempts that are not begun are given back. */
export const endAttempts = (): Promise<void> => stopAttempts();

/** Gives back the last claims whose acknowledgement was lost, when nothing claims any more. */
export async function leaveNothing(): Promise<void> {
  await giveBackUnheard(0).catch((thrown) => log("warn", "attempts.own_claims_not_read", errorFields(thrown)));
}

/** Takes in what a provider reported. */
export const takeReceipts = ({ provider, receipts }: JobPayload<"apply_receipts">): Promise<void> =>
  applyReceipts(provider, receipts);

/** Joins receipts that came before the answer of their send. */
export const rejoin = ({ provider, providerMessageIds }: JobPayload<"join_receipts">): Promise<void> =>
  rejoinReceipts(provider, providerMessageIds);

export { recoverAttempts, takeBackClaims } from "./dispatch/recover";
export { sweepMessages } from "./dispatch/sweeps";

/** Forgets the answers to Idempotency-Keys after their 24 hours. */
export async function forgetIdempotencyKeys(): Promise<void> {
  await pool().query("DELETE FROM idempotency_keys WHERE created_at < now() - interval '25 hours'");
}

/**
 * Forgets what made callbacks of providers unique, long after they would be refused as stale; old counters; and receipts
 * about messages that are not ours, when one that is would have expired, or when there are too many of them.
 */
export async function forgetCallbacks(): Promise<void> {
  // Plivo signs no time: what was forgotten could be repeated at any age.
  await pool().query(
    `DELETE FROM receipt_nonces
     WHERE seen_at < now() - CASE provider WHEN 'plivo' THEN interval '31 days' ELSE interval '25 hours' END`,
  );
  await pool().query("DELETE FROM provider_minutes WHERE minute < now() - interval '31 days'");
  await pool().query("DELETE FROM receipts WHERE message_id IS NULL AND received_at < now() - interval '72 hours'");
  for (const provider of PROVIDERS) await dropParked(provider);
}
