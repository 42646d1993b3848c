import { createBatcher } from "../core/batcher";
import { MINUTE_MS, SECOND_MS } from "../core/clock";
import { groupBy } from "../core/group-by";
import type { JobPayload } from "../core/jobs";
import { errorFields, log } from "../core/log";
import { defineProcessValue, keepDoing } from "../core/process";
import { withinSpan } from "../core/spans";
import { PROVIDERS } from "../providers/schema";
import { deleteInSteps, type Forgetting, forgetEach } from "../retention/steps";
import { type Attempt, lastClaimMs } from "./dispatch/claims";
import { dispatch, type Start } from "./dispatch/dispatch";
import { lookUpUnknown } from "./dispatch/look-up";
import { giveBackUnheard } from "./dispatch/recover";
import { recordingKeepsUp, startAttempts } from "./dispatch/run-attempt";
import { serveThrottleQueue } from "./dispatch/serve-throttle-queue";
import { applyReceipts, rejoinReceipts } from "./receipts/apply-receipts";
import { dropParked } from "./receipts/parked";
import { FINAL_RECEIPT_WITHIN_S } from "./status";

/** Messages dispatched together, which share the fixed cost of their statements. */
const DISPATCHED_MAX = 500;
/** Several, so that a provider without a free slot does not delay the others. */
const DISPATCHES_AT_ONCE = 4;

/** A job's messages, and how its attempts are started: within its own span. */
type DispatchJob = { messageIds: readonly string[]; start: Start };

/** Has each job start the attempts of its messages. */
function startForJobs(jobs: readonly DispatchJob[], attempts: readonly Attempt[]): void {
  const jobOf = new Map(jobs.flatMap((job) => job.messageIds.map((id) => [id, job] as const)));
  for (const [job, own] of groupBy(attempts, ({ message }) => jobOf.get(message.id))) job?.start(own);
}

const dispatchQueue = defineProcessValue("messages.dispatch", () =>
  createBatcher<DispatchJob, void>(
    async (jobs) => {
      await recordingKeepsUp();
      const messageIds = jobs.flatMap((job) => job.messageIds);
      await dispatch(messageIds, (attempts) => startForJobs(jobs, attempts));
      return jobs.map(() => ({ ok: true, value: undefined }));
    },
    {
      name: "dispatch",
      maxWeight: DISPATCHED_MAX,
      weigh: ({ messageIds }) => messageIds.length,
      parallel: DISPATCHES_AT_ONCE,
    },
  ),
);

/**
 * Claims the attempts that can be made now and starts them, for all jobs that this process has fetched meanwhile. Safe to run
 * twice: a claimed message is not claimed again.
 */
export const dispatchMessages = ({ messageIds }: JobPayload<"dispatch_messages">): Promise<void> =>
  dispatchQueue()({ messageIds, start: withinSpan(startAttempts) });

/** Pauses between polls of the throttle queue: while messages are queued, and while none are. */
const SERVE_BUSY_MS = 100;
const SERVE_IDLE_MS = 500;

/** Serves the throttle queue until the returned function is called, which waits for the poll under way. */
export const keepServingThrottleQueue = (): (() => Promise<void>) =>
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
 * Each provider has its own loop: one that hangs delays neither the others nor any job.
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
/** Longer than a claim can take to be written, and to be seen as lost. */
const CLAIMS_SETTLE_MS = 5 * MINUTE_MS;
/**
 * Nearly all claims whose reply is lost were written within this time. One check a minute covers all claims, and so does the
 * first check after half of this time without one, for example because of an outage or a stall.
 */
const RECENT_MS = 30 * SECOND_MS;

/**
 * Gives back claims whose reply was lost until the returned function is called. A process that has claimed nothing since its last
 * check, and for a while before it, has no such claims.
 */
export function keepGivingBack(): () => Promise<void> {
  let lookedMs = Number.NEGATIVE_INFINITY;
  let lookedAtAllMs = Number.NEGATIVE_INFINITY;
  return keepDoing(async () => {
    if (lastClaimMs() + CLAIMS_SETTLE_MS >= lookedMs) {
      const beganMs = performance.now();
      const isOfAll = beganMs >= lookedAtAllMs + MINUTE_MS || beganMs >= lookedMs + RECENT_MS / 2;
      await (isOfAll ? giveBackUnheard() : giveBackUnheard(undefined, RECENT_MS)).then(
        () => {
          lookedMs = beganMs;
          if (isOfAll) lookedAtAllMs = beganMs;
        },
        (thrown) => log("warn", "attempts.own_claims_not_read", errorFields(thrown)),
      );
    }
    return OWN_CLAIMS_EVERY_MS;
  });
}

/** Gives back the last claims whose reply was lost, once nothing claims any more. */
export async function giveBackLastClaims(): Promise<void> {
  await giveBackUnheard(0).catch((thrown) => log("warn", "attempts.own_claims_not_read", errorFields(thrown)));
}

/** Stores and applies a provider's receipts. */
export const takeReceipts = ({ provider, receipts }: JobPayload<"apply_receipts">): Promise<void> =>
  applyReceipts(provider, receipts);

/** Joins receipts that came before the response to their own send. */
export const rejoin = ({ provider, providerMessageIds, isLast = false }: JobPayload<"join_receipts">): Promise<void> =>
  rejoinReceipts(provider, providerMessageIds, { isLast });

export { recoverAttempts, takeBackClaims } from "./dispatch/recover";
export { stopAttempts } from "./dispatch/run-attempt";
export { sweepMessages } from "./dispatch/sweeps";

/** SQL: whether it is the count of a day long past. Counts of months are few, so they are kept. */
const PAST_DAY = `period ~ '^(day|failed):' AND right(period, 10) < (now() - interval '40 days')::date::text`;

/** SQL: whether it is a day whose spending cap no message is compared with any more. */
const PAST_DUE_DAY = "day < (now() AT TIME ZONE 'UTC')::date - 1";

/** The time for which nonces are kept. Plivo signs no time, so a callback could be replayed once its nonce is deleted. */
const noncesKept = (provider: string) => (provider === "plivo" ? "31 days" : "25 hours");

/**
 * Forgets the nonces of callbacks, long after such a callback would be refused as stale; old counters; and receipts that
 * belong to no message of ours, when one of ours would have expired, or when there are too many of them. A kind that fails does
 * not stop the others.
 */
export function forgetCallbacks(signal?: AbortSignal): Promise<void> {
  const old = (table: string, condition: string): Forgetting => [
    table,
    () => deleteInSteps(table, condition, { signal }),
  ];
  // By provider, in the order of an index: nonces that another provider's callbacks still need are not read.
  const oldNonces = (provider: string): Forgetting => [
    `receipt_nonces of ${provider}`,
    () =>
      deleteInSteps("receipt_nonces", "provider = $2 AND seen_at < now() - $3::interval", {
        values: [provider, noncesKept(provider)],
        signal,
      }),
  ];
  return forgetEach(
    [
      ...PROVIDERS.map(oldNonces),
      old("provider_minutes", "minute < now() - interval '31 days'"),
      old("receipts", `message_id IS NULL AND received_at < now() - interval '${FINAL_RECEIPT_WITHIN_S} seconds'`),
      old("api_key_quotas", PAST_DAY),
      old("due_spending", PAST_DUE_DAY),
      old("due_spending_days", PAST_DUE_DAY),
      old("api_key_minutes", "minute < now() - interval '1 day'"),
      ...PROVIDERS.map((provider): Forgetting => [`parked receipts of ${provider}`, () => dropParked(provider)]),
    ],
    signal,
  );
}
