/**
 * Acceptance: the hot path of a send. Concurrent sends are batched, and one transaction per batch reserves their money,
 * stores the messages, their ledger entries and counters, and adds the dispatch jobs. Responses are sent after COMMIT. One
 * refused request never fails its batch: everything that can refuse it is decided under the admission locks before anything
 * is written.
 */
import { storeResponses } from "../../accounts/idempotency/stored-responses";
import { lockAccounts, type MoneyMove, postMoney } from "../../accounts/store";
import { addJob, addScheduledJobs } from "../../core/add-jobs";
import { createBatcher, type Settled } from "../../core/batcher";
import { beforeCommit, type Defer, onCommit, type Tx, transaction } from "../../core/db";
import { constraintOf, databaseUnavailable, isDatabaseBusy } from "../../core/errors";
import { groupBy } from "../../core/group-by";
import { noteChange } from "../../core/live";
import { defineProcessValue } from "../../core/process";
import { traceStored } from "../../core/spans";
import { countAcceptedBatch } from "../../observability/messages";
import { countTraffic } from "../../traffic/count";
import { recordEvents } from "../../webhooks/delivery/outbox";
import type { MessageRow } from "../present";
import { type Acceptance, type AcceptedRequest, acceptedOf, decideAll, isPending, loadAdmissionState } from "./decide";
import { countAccepted, insertMessages, type NewMessage } from "./insert";
import { DecidedOtherwise, insertAhead, isWorthInsertingAhead, noteMiss, requireSame } from "./insert-ahead";
import { countQuotas, type QuotaCount } from "./quotas";

export type Accepted = { response: unknown; replayed: boolean };

/** Messages per flush. With more, the admission locks are held longer than the saved fixed cost is worth. */
const FLUSH_MESSAGES_MAX = 1_000;
/**
 * Messages that wait to be accepted: several seconds' worth at the highest rate of one process. Beyond that, a request is refused
 * with 503 rather than accepted after its caller has timed out. Documented in docs/limits.md.
 */
const WAITING_MESSAGES_MAX = 50_000;
/**
 * Longest pause between flushes under load. Their fixed cost in the database equals that of some thirty messages, so fewer and
 * larger flushes accept more; a message waits no longer for the pause than for a flush. Measured:
 * docs/decisions/0019-shared-costs-of-acceptance.md.
 */
const GATHER_MS = 4;
/** Messages per dispatch job: small enough that several workers share a large bulk. */
const DISPATCH_BATCH = 250;

const NOT_NEGATIVE = "accounts_balance_not_negative";

const acceptQueue = defineProcessValue("messages.accept", () =>
  createBatcher<Acceptance, Accepted>((batch) => countAcceptedBatch(batch, acceptBatch(batch)), {
    name: "accept",
    maxWeight: FLUSH_MESSAGES_MAX,
    maxWaiting: WAITING_MESSAGES_MAX,
    weigh: (item) => Math.max(1, item.messages.length),
    gatherMs: GATHER_MS,
    parallelWhenFull: 2,
  }),
);

const acceptBatch = (batch: Acceptance[]): Promise<Settled<Accepted>[]> => {
  const decideAndWrite = (isAhead = false) => transaction((tx, defer) => flush(tx, defer, batch, isAhead));
  return decideAndWrite(isWorthInsertingAhead(batch)).catch((thrown) => {
    if (thrown instanceof DecidedOtherwise) {
      noteMiss();
      return decideAndWrite();
    }
    // The balance fell after it was read although the admission lock was held: by a process of an older version, or by hand.
    if (constraintOf(thrown) === NOT_NEGATIVE) return decideAndWrite();
    // Requests behind this batch have waited as long as it has: in the next one they would wait for the same lock.
    if (isDatabaseBusy(thrown)) throw databaseUnavailable({ nothingDone: true, cause: thrown });
    throw thrown;
  });
};

/**
 * Accepts the messages of one request.
 * @throws 400, 401, 402, 403, 429 or 503 `overloaded`, with nothing written for this request; 503 also while the database is
 *   unavailable, as {@link transaction} does.
 */
export function accept(acceptance: Acceptance): Promise<Accepted> {
  return traceStored("message", acceptQueue()(acceptance), ({ replayed }) =>
    replayed ? [] : acceptance.messages.map(({ id }) => id),
  );
}

async function flush(tx: Tx, defer: Defer, batch: Acceptance[], isAhead: boolean): Promise<Settled<Accepted>[]> {
  const ahead = isAhead ? await insertAhead(tx, defer, batch) : null;
  const state = await loadAdmissionState(tx, batch, { earlier: ahead?.state });
  const decisions = decideAll(batch, state);
  const requests = acceptedOf(decisions);
  if (ahead) requireSame(ahead.requests, requests);
  const messages = requests.flatMap((request) => request.messages);
  onCommit(tx, () => {
    for (const { item } of requests) noteChange(item.accountId, "messages");
    countTraffic(messages);
  });
  if (!ahead && messages.length > 0) insertMessages(tx, defer, messages);
  const quotas = [...state.quotas.counts(), ...state.failures.counts()];
  if (requests.length > 0) await write(tx, defer, { requests, messages, quotas });
  return decisions.map((decision) => {
    if (!decision.ok) return decision;
    const { response, request } = decision.value;
    return { ok: true, value: { response, replayed: request === null } };
  });
}

type Accepting = { requests: readonly AcceptedRequest[]; messages: readonly NewMessage[]; quotas: QuotaCount[] };

/** Stores what follows from accepted requests, besides their messages. */
async function write(tx: Tx, defer: Defer, { requests, messages, quotas }: Accepting): Promise<void> {
  const pending = messages.filter(isPending);
  const failed = messages.filter((message) => message.status === "failed");
  defer(
    storeResponses(
      tx,
      requests.map(({ item, response }) => ({ response, isSealed: false, ...item })),
    ),
  );
  defer(countQuotas(tx, quotas));
  for (const messageIds of dispatchBatches(pending.filter(({ scheduledAt }) => scheduledAt === null))) {
    defer(addJob(tx, "dispatch_messages", { messageIds }));
  }
  defer(addScheduledJobs(tx, "dispatch_messages", scheduledBatches(pending)));
  beforeCommit(tx, () => reserveAndCount(tx, messages, pending));
  await recordEvents(tx, failed.map(failure));
}

/** Reserves the money, and counts the messages of the day. */
const reserveAndCount = (tx: Tx, messages: readonly NewMessage[], pending: readonly NewMessage[]): Promise<unknown> =>
  Promise.all([
    lockAccounts(
      tx,
      messages.map(({ accountId }) => accountId),
    ),
    postMoney(tx, pending.filter((message) => message.costMicros > 0n).map(reservation)),
    countAccepted(tx, messages),
  ]);

/** The messages of each dispatch job. */
function dispatchBatches(messages: readonly MessageRow[]): string[][] {
  const batches: string[][] = [];
  for (let at = 0; at < messages.length; at += DISPATCH_BATCH) {
    batches.push(messages.slice(at, at + DISPATCH_BATCH).map((message) => message.id));
  }
  return batches;
}

/** The dispatch jobs of scheduled messages; those of one time share jobs. */
function scheduledBatches(messages: readonly MessageRow[]) {
  const byTime = groupBy(messages, ({ scheduledAt }) => scheduledAt?.getTime() ?? null);
  return [...byTime].flatMap(([time, alike]) =>
    time === null
      ? []
      : dispatchBatches(alike).map((messageIds) => ({ payload: { messageIds }, dueAt: new Date(time) })),
  );
}

const failure = ({ accountId, id, createdAt }: MessageRow) =>
  ({ accountId, messageId: id, type: "message.failed", status: "failed", at: createdAt }) as const;

const reservation = (message: MessageRow): MoneyMove => ({
  accountId: message.accountId,
  kind: "reserve",
  amountMicros: -message.costMicros,
  reservedMicros: message.costMicros,
  messageId: message.id,
  note: null,
  at: message.createdAt,
});
