/**
 * Acceptance: the hot path of a send. Concurrent sends are batched, and one transaction per batch reserves their money,
 * stores the messages, their ledger entries and counters, and adds the dispatch jobs. Responses are sent after COMMIT. One
 * refused request never fails its batch: everything that can refuse it is decided under the admission locks before anything
 * is written.
 */
import { readResponses, type StoredResponses, storeResponses } from "../../accounts/idempotency/stored-responses";
import { type LockedAccount, lockAccounts, lockAdmission, type MoneyMove, postMoney } from "../../accounts/store";
import { addJob, addScheduledJobs } from "../../core/add-jobs";
import { createBatcher, type Settled } from "../../core/batcher";
import { now, utcDay } from "../../core/clock";
import { beforeCommit, type Defer, onCommit, type Tx, transaction } from "../../core/db";
import { type ApiError, errorCodeOf } from "../../core/errors";
import { noteChange } from "../../core/live";
import { defineProcessValue } from "../../core/process";
import { traceStored } from "../../core/spans";
import type { Idempotency } from "../../core/trpc";
import { countAcceptedBatch } from "../../observability/messages";
import { findSuppressed } from "../../suppressions/store";
import { recordEvents } from "../../webhooks/delivery/outbox";
import type { Refusal } from "../failure";
import type { MessageRow } from "../present";
import {
  countQuotas,
  loadFailures,
  loadQuotas,
  loadSpending,
  type QuotaCount,
  requireActive,
  requireBalance,
  type SendingKey,
} from "./admission";
import { loadFraudCheck } from "./fraud-check";
import { countAccepted, insertMessages, insertMetadata, type NewMessage } from "./insert";
import { hasQuietHours, loadPutOffCheck, type PutOff } from "./put-off";

/** One request's messages: all accepted together, or none. */
export type Acceptance = {
  accountId: string;
  key: SendingKey;
  messages: NewMessage[];
  /** Whether its messages are sent in quiet hours of their recipients too. */
  ignoresQuietHours: boolean;
  /** Refuses the request, unless its Idempotency-Key has a response already. */
  refusal: ApiError | null;
  idempotency: Idempotency | null;
  /** Makes the response, which the Idempotency-Key replays. */
  respond: (messages: MessageRow[]) => unknown;
};

export type Accepted = { response: unknown; replayed: boolean };

/** Messages per flush. With more, the admission locks are held longer than the saved fixed cost is worth. */
const FLUSH_MESSAGES_MAX = 1_000;
/**
 * Messages that wait to be accepted: several seconds' worth at the highest rate of one process. Past it a request is refused
 * with 503 rather than accepted after its caller has timed out. Documented in docs/limits.md.
 */
const WAITING_MESSAGES_MAX = 50_000;
/**
 * Pause between flushes under load. Their fixed cost in the database is that of some thirty messages, so fewer and larger
 * ones accept more; a message waits no longer for it than for a flush.
 */
const GATHER_MS = 4;
/** Messages per dispatch job: small enough that several workers share a large bulk. */
const DISPATCH_BATCH = 250;

const CHECK_VIOLATION = "23514";
const NOT_NEGATIVE = "accounts_balance_not_negative";

const acceptQueue = defineProcessValue("messages.accept", () =>
  createBatcher<Acceptance, Accepted>((batch) => countAcceptedBatch(batch, acceptBatch(batch)), {
    name: "accept",
    maxWeight: FLUSH_MESSAGES_MAX,
    maxWaiting: WAITING_MESSAGES_MAX,
    weigh: (item) => Math.max(1, item.messages.length),
    gatherMs: GATHER_MS,
  }),
);

const acceptBatch = (batch: Acceptance[]): Promise<Settled<Accepted>[]> => {
  const decideAndWrite = () => transaction((tx, defer) => flush(tx, defer, batch));
  return decideAndWrite().catch((thrown) => {
    // The balance fell after it was read, without the admission lock: by a process of an older version, or by hand.
    if (errorCodeOf(thrown) === CHECK_VIOLATION && (thrown as { constraint?: string }).constraint === NOT_NEGATIVE) {
      return decideAndWrite();
    }
    throw thrown;
  });
};

/**
 * Accepts the messages of one request.
 * @throws 400, 402, 403, 429 or 503 `overloaded`, with nothing written for this request; 503 also while the database is
 *   unavailable, as {@link transaction} does.
 */
export function accept(acceptance: Acceptance): Promise<Accepted> {
  return traceStored("message", acceptQueue()(acceptance), ({ replayed }) =>
    replayed ? [] : acceptance.messages.map(({ id }) => id),
  );
}

const isPending = (message: MessageRow): boolean => message.status === "pending";
/** The UTC day on which a request's messages are counted. */
const dayOf = ({ messages: [first] }: Acceptance): string => utcDay(first?.createdAt ?? now());

/** The row as it is stored: a blocked message fails at once, without a route and free of charge; one that is put off waits. */
const storedRow = (
  row: NewMessage,
  currency: string,
  refusal: Refusal | null | undefined,
  putOff: PutOff | undefined,
): NewMessage =>
  refusal
    ? {
        ...row,
        currency,
        status: "failed",
        costMicros: 0n,
        routeId: null,
        chain: [],
        errorCode: refusal.code,
        errorMessage: refusal.message,
        failedAt: row.createdAt,
      }
    : { ...row, currency, scheduledAt: putOff?.scheduledAt ?? row.scheduledAt };

async function flush(tx: Tx, defer: Defer, batch: Acceptance[]): Promise<Settled<Accepted>[]> {
  const state = await loadAdmissionState(tx, batch);
  const decisions = batch.map((item) => settle(() => decide(item, state)));
  const requests = decisions.flatMap((decision) => (decision.ok && decision.value.request) || []);
  onCommit(tx, () => {
    for (const { item } of requests) noteChange(item.accountId, "messages");
  });
  if (requests.length > 0) await write(tx, defer, requests, [...state.quotas.counts(), ...state.failures.counts()]);
  return decisions.map((decision) => {
    if (!decision.ok) return decision;
    const { response, request } = decision.value;
    return { ok: true, value: { response, replayed: request === null } };
  });
}

function settle<Value>(decideOne: () => Value): Settled<Value> {
  try {
    return { ok: true, value: decideOne() };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Data that decides on a batch; each accepted request updates it for the next. Exact under the admission locks. */
type AdmissionState = {
  accounts: ReadonlyMap<string, LockedAccount>;
  /** Available balances by account id, in micros. */
  balances: Map<string, bigint>;
  responses: StoredResponses;
  quotas: Awaited<ReturnType<typeof loadQuotas>>;
  spending: Awaited<ReturnType<typeof loadSpending>>;
  failures: Awaited<ReturnType<typeof loadFailures>>;
  checkFraud: Awaited<ReturnType<typeof loadFraudCheck>>;
  putOff: Awaited<ReturnType<typeof loadPutOffCheck>>;
};

/** Takes the admission locks, then reads everything else. */
async function loadAdmissionState(tx: Tx, batch: readonly Acceptance[]): Promise<AdmissionState> {
  const pending = batch.flatMap((item) => item.messages.filter(isPending));
  // Pipelined in this order: nothing that is read after the locks can change to the account's disadvantage.
  const [accounts, responses, quotas, isSuppressed] = await Promise.all([
    lockAdmission(
      tx,
      batch.map((item) => item.accountId),
    ),
    readResponses(tx, batch),
    loadQuotas(
      tx,
      batch.map((item) => item.key),
    ),
    findSuppressed(tx, pending),
  ]);
  const days = batch.map(dayOf);
  const [checkFraud, spending, putOff] = await Promise.all([
    loadFraudCheck(tx, accounts, pending, isSuppressed),
    loadSpending(tx, accounts.values(), days),
    loadPutOffCheck(accounts.values()),
  ]);
  // With every message counted, so whichever requests are refused later, no other message will be blocked.
  const { blocked, release } = checkFraud(pending);
  release();
  const mayExpire = pending.some(({ validityS }) => validityS !== null) && [...accounts.values()].some(hasQuietHours);
  const mayFail = blocked.size > 0 || mayExpire || batch.some((item) => !item.messages.every(isPending));
  const failures = await loadFailures(tx, mayFail ? accounts.keys() : [], days);
  const balances = new Map([...accounts.values()].map((account) => [account.id, account.balanceMicros]));
  return { accounts, balances, responses, quotas, spending, failures, checkFraud, putOff };
}

/** A response, and the request to be stored; null: the response is a replay. */
type Decision = { response: unknown; request: AcceptedRequest | null };

/** Decides on one request and updates the state for the next. @throws an ApiError that refuses it, with the state unchanged. */
function decide(item: Acceptance, state: AdmissionState): Decision {
  // A completed request is replayed first, even if its account, sender or route has changed since.
  const known = state.responses.find(item);
  if (known) return { response: known.response, request: null };
  if (item.refusal) throw item.refusal;
  const account = requireActive(state.accounts.get(item.accountId));
  const putOffs = putOffsOf(item, account, state);
  const { blocked, release } = state.checkFraud(
    item.messages.filter((message) => isPending(message) && !putOffs.get(message)?.refusal),
  );
  const messages = item.messages.map((message) => {
    const putOff = putOffs.get(message);
    return storedRow(message, account.currency, putOff?.refusal ?? blocked.get(message), putOff);
  });
  try {
    charge(item, account, messages, state);
  } catch (refused) {
    release();
    throw refused;
  }
  const response = item.respond(messages);
  state.responses.add(item, response);
  return { response, request: { item, messages, response } };
}

/** The messages of a request that quiet hours put off, or that expire in them. */
function putOffsOf(item: Acceptance, account: LockedAccount, { putOff }: AdmissionState): Map<NewMessage, PutOff> {
  const putOffs = new Map<NewMessage, PutOff>();
  if (item.ignoresQuietHours || !hasQuietHours(account)) return putOffs;
  const at = now();
  for (const message of item.messages) {
    const decision = isPending(message) ? putOff(account, message, at) : null;
    if (decision) putOffs.set(message, decision);
  }
  return putOffs;
}

/** Takes the request's cost and quota from the state. @throws 402 or 429 when they do not suffice, with nothing taken. */
function charge(
  item: Acceptance,
  account: LockedAccount,
  messages: readonly MessageRow[],
  state: AdmissionState,
): void {
  const { balances, quotas, spending, failures } = state;
  const billed = messages.filter(isPending);
  const counts = { sent: billed.length, failed: messages.length - billed.length };
  const costMicros = billed.reduce((sum, message) => sum + message.costMicros, 0n);
  const balance = balances.get(item.accountId) ?? 0n;
  requireBalance(costMicros, balance, account.currency);
  const [overspent] = spending.refusals(account, dayOf(item), costMicros);
  if (overspent) throw overspent;
  const [overfailed] = failures.refusals(account.id, dayOf(item), counts);
  if (overfailed) throw overfailed;
  quotas.take(item.key, billed.length);
  spending.add(account, dayOf(item), costMicros);
  failures.add(account.id, dayOf(item), counts);
  balances.set(item.accountId, balance - costMicros);
}

/** A request to be stored, with its messages as they are stored. */
type AcceptedRequest = { item: Acceptance; messages: NewMessage[]; response: unknown };

async function write(tx: Tx, defer: Defer, requests: readonly AcceptedRequest[], quotas: QuotaCount[]): Promise<void> {
  const messages = requests.flatMap((request) => request.messages);
  const pending = messages.filter(isPending);
  const failed = messages.filter((message) => message.status === "failed");
  defer(insertMessages(tx, messages));
  const metadata = insertMetadata(tx, messages);
  if (metadata) defer(metadata);
  defer(
    storeResponses(
      tx,
      requests.map(({ item, response }) => ({ ...item, response, isSealed: false })),
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
  const byTime = new Map<number, MessageRow[]>();
  for (const message of messages) {
    const time = message.scheduledAt?.getTime();
    if (time === undefined) continue;
    const alike = byTime.get(time);
    if (alike) alike.push(message);
    else byTime.set(time, [message]);
  }
  return [...byTime].flatMap(([time, alike]) =>
    dispatchBatches(alike).map((messageIds) => ({ payload: { messageIds }, dueAt: new Date(time) })),
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
