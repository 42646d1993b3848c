/**
 * Decides on the requests of a batch, one after the other, from data read under the admission locks (or before them:
 * insert-ahead.ts). Nothing is written here; accept.ts writes what was accepted.
 */
import { requireCaller } from "../../accounts/idempotency/request";
import { readResponses, type StoredResponses } from "../../accounts/idempotency/stored-responses";
import { type LockedAccount, lockAdmission, readAccounts } from "../../accounts/store";
import { readAuthority } from "../../auth/authority";
import type { AccountActor } from "../../core/actor";
import type { Settled } from "../../core/batcher";
import { now, utcDay } from "../../core/clock";
import type { Tx } from "../../core/db";
import type { ApiError } from "../../core/errors";
import type { Idempotency } from "../../core/trpc";
import { findSuppressed } from "../../suppressions/store";
import type { Refusal } from "../failure";
import type { MessageRow } from "../present";
import { balanceRefusal, inactiveRefusal } from "./admission";
import { loadFailures } from "./failed-at-once";
import { loadFraudCheck } from "./fraud-check";
import type { NewMessage } from "./insert";
import { hasQuietHours, loadPutOffCheck, type PutOff } from "./put-off";
import { loadQuotas, type SendingKey } from "./quotas";
import { loadSpending } from "./spending-cap";

/** One request's messages: all accepted together, or none. */
export type Acceptance = {
  accountId: string;
  /** The caller, who may lose the right to send while the request waits. */
  actor: AccountActor;
  key: SendingKey;
  messages: NewMessage[];
  /** Whether its messages are sent even in their recipients' quiet hours. */
  ignoresQuietHours: boolean;
  /** Refuses the request, unless its Idempotency-Key has a response already. */
  refusal: ApiError | null;
  idempotency: Idempotency | null;
  /** Whether its caller has hung up; absent: not known. */
  isAbandoned?: () => boolean;
  /** Makes the response, which is replayed for its Idempotency-Key. */
  respond: (messages: MessageRow[]) => unknown;
};

export const isPending = (message: MessageRow): boolean => message.status === "pending";

/** The UTC day on which a request's messages are counted. */
const dayOf = ({ messages: [first] }: Acceptance): string => utcDay(first?.createdAt ?? now());

/**
 * The row as it is stored: a blocked message fails at once, free of charge, without a route or a schedule; one that quiet hours put off
 * waits.
 */
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
        scheduledAt: null,
      }
    : { ...row, currency, scheduledAt: putOff?.scheduledAt ?? row.scheduledAt };

/** Data that decides on a batch; each accepted request updates it for the next. Exact under the admission locks. */
export type AdmissionState = {
  accounts: ReadonlyMap<string, LockedAccount>;
  /** The refusal of a caller who may no longer act. */
  refusalOf: Awaited<ReturnType<typeof readAuthority>>;
  /** Available balances by account id, in micros. */
  balances: Map<string, bigint>;
  responses: StoredResponses;
  quotas: Awaited<ReturnType<typeof loadQuotas>>;
  spending: Awaited<ReturnType<typeof loadSpending>>;
  failures: Awaited<ReturnType<typeof loadFailures>>;
  isSuppressed: Awaited<ReturnType<typeof findSuppressed>>;
  checkFraud: Awaited<ReturnType<typeof loadFraudCheck>>;
  putOff: Awaited<ReturnType<typeof loadPutOffCheck>>;
};

/**
 * Takes the admission locks, then reads everything else.
 * @param options `isAhead`: it takes no locks, for a decision that is made again under them; only that one looks at the callers.
 *   `earlier`: the state of the first decision. Its suppressions are reused: they were read after the requests had arrived, and are
 *   checked again when a message is dispatched.
 */
export async function loadAdmissionState(
  tx: Tx,
  batch: readonly Acceptance[],
  { isAhead = false, earlier = null }: { isAhead?: boolean; earlier?: AdmissionState | null } = {},
): Promise<AdmissionState> {
  const pending = batch.flatMap((item) => item.messages.filter(isPending));
  // Pipelined in this order: nothing that is read after the locks can change to the account's disadvantage.
  const [accounts, refusalOf, responses, quotas, isSuppressed] = await Promise.all([
    (isAhead ? readAccounts : lockAdmission)(
      tx,
      batch.map((item) => item.accountId),
    ),
    // Without a lock: others must not wait for what a person of the batch is changing.
    readAuthority(tx, isAhead ? [] : batch.map((item) => item.actor)),
    readResponses(tx, batch),
    loadQuotas(
      tx,
      batch.map((item) => item.key),
    ),
    earlier?.isSuppressed ?? findSuppressed(tx, pending),
  ]);
  const days = batch.map(dayOf);
  const [checkFraud, spending, putOff] = await Promise.all([
    loadFraudCheck(tx, accounts, pending, isSuppressed),
    loadSpending(tx, accounts.values(), days),
    loadPutOffCheck(accounts.values()),
  ]);
  // Every message counts, so no other message will be blocked, whichever requests are refused later.
  const { blocked, release } = checkFraud(pending);
  release();
  const mayExpire = pending.some(({ validityS }) => validityS !== null) && [...accounts.values()].some(hasQuietHours);
  const mayFail = blocked.size > 0 || mayExpire || batch.some((item) => !item.messages.every(isPending));
  const failures = await loadFailures(tx, mayFail ? accounts.keys() : [], days);
  const balances = new Map([...accounts.values()].map((account) => [account.id, account.balanceMicros]));
  return { accounts, refusalOf, balances, responses, quotas, spending, failures, isSuppressed, checkFraud, putOff };
}

/** A request to be stored, with its messages as they are stored. */
export type AcceptedRequest = { item: Acceptance; messages: NewMessage[]; response: unknown };

/** A response, and the request to be stored; null: the response is a replay. */
type Decision = { response: unknown; request: AcceptedRequest | null };

/** Decides on the requests in order. Refusing one does not refuse any other. */
export const decideAll = (batch: readonly Acceptance[], state: AdmissionState): Settled<Decision>[] =>
  batch.map((item) => {
    try {
      return { ok: true, value: decide(item, state) };
    } catch (error) {
      return { ok: false, error };
    }
  });

/** The requests to be stored. */
export const acceptedOf = (decisions: readonly Settled<Decision>[]): AcceptedRequest[] =>
  decisions.flatMap((decision) => (decision.ok && decision.value.request) || []);

/** Decides on one request and updates the state for the next. @throws an ApiError that refuses it, with the state unchanged. */
function decide(item: Acceptance, state: AdmissionState): Decision {
  const ended = state.refusalOf(item.actor);
  if (ended) throw ended;
  // A completed request is replayed first, even if its account, sender or route has changed since.
  const known = state.responses.find(item);
  if (known) return { response: known.response, request: null };
  if (item.refusal) throw item.refusal;
  if (item.idempotency) requireCaller(item);
  const account = activeAccount(state.accounts.get(item.accountId));
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

/** @throws 403 when the account may not send. */
function activeAccount(account: LockedAccount | undefined): LockedAccount {
  const refusal = inactiveRefusal(account);
  if (!account || refusal) throw refusal;
  return account;
}

/** The messages of a request that quiet hours put off, or that expire during them. */
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
  const day = dayOf(item);
  const billed = messages.filter(isPending);
  const counts = { sent: billed.length, failed: messages.length - billed.length };
  const costMicros = billed.reduce((sum, message) => sum + message.costMicros, 0n);
  const balance = balances.get(item.accountId) ?? 0n;
  const refusal =
    balanceRefusal(costMicros, balance, account.currency) ??
    spending.refusal(account, day, costMicros) ??
    failures.refusal(account.id, day, counts);
  if (refusal) throw refusal;
  quotas.take(item.key, billed.length);
  spending.add(account, day, costMicros);
  failures.add(account.id, day, counts);
  balances.set(item.accountId, balance - costMicros);
}
