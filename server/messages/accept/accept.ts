/**
 * Acceptance: the hot path of a send. Concurrent sends are gathered, and one transaction per batch debits the accounts,
 * stores the messages, their ledger entries and counters, and adds the dispatch job. Nobody is answered before COMMIT,
 * and one bad member never fails its batch: everything that can refuse a member is decided under the accounts' locks
 * before anything is written.
 */
import { keyReused } from "../../accounts/idempotency";
import { type LockedAccount, lockAccounts, type MoneyMove, postMoney } from "../../accounts/store";
import { createBatcher, type Settled } from "../../core/batcher";
import { now, utcDay } from "../../core/clock";
import { type Defer, type Tx, transaction } from "../../core/db";
import type { ApiError } from "../../core/errors";
import { addJob } from "../../core/jobs";
import { perProcess } from "../../core/process";
import type { Idempotency } from "../../core/trpc";
import { findSuppressed } from "../../suppressions/store";
import { recordEvents } from "../../webhooks/outbox";
import type { MessageRow } from "../present";
import {
  countQuotas,
  loadQuotas,
  loadSpending,
  type QuotaCount,
  requireActive,
  requireBalance,
  type SendingKey,
} from "./admission";
import { loadFraudCheck } from "./fraud-check";
import type { Refusal } from "./fraud-rules";
import { countAccepted, insertMessages } from "./insert";

/** One request's messages: all accepted together, or none. */
export type Acceptance = {
  accountId: string;
  key: SendingKey;
  messages: MessageRow[];
  /** Why the request is refused; told only when its Idempotency-Key has no response yet. */
  refusal: ApiError | null;
  idempotency: Idempotency | null;
  /** Makes the response that an Idempotency-Key replays. */
  respond: (messages: MessageRow[]) => unknown;
};

export type Accepted = { response: unknown; replayed: boolean };

/** Messages per flush. Beyond this a transaction holds its account locks longer than its fixed cost is worth. */
const FLUSH_MESSAGES_MAX = 1_000;
/**
 * Messages that wait to be accepted: several seconds of what one process accepts at its fastest. Past it a request is
 * refused with 503 instead of being answered after its caller has given up. docs/limits.md tells it to callers.
 */
const WAITING_MESSAGES_MAX = 50_000;
/** Messages per dispatch job: small enough that several workers share a large bulk. */
const DISPATCH_BATCH = 250;

/**
 * Accepts the messages of one request.
 * @throws 400, 402, 403, 429 or 503 `overloaded`, with nothing written for this request; 503 also while the database is
 *   away, as {@link transaction} does.
 */
export function accept(acceptance: Acceptance): Promise<Accepted> {
  const queue = perProcess("messages.accept", () =>
    createBatcher<Acceptance, Accepted>((batch) => transaction((tx, defer) => flush(tx, defer, batch)), {
      maxWeight: FLUSH_MESSAGES_MAX,
      maxWaiting: WAITING_MESSAGES_MAX,
      weigh: (item) => Math.max(1, item.messages.length),
    }),
  );
  return queue(acceptance);
}

const slot = (accountId: string, key: string) => `${accountId} ${key}`;
const isPending = (message: MessageRow): boolean => message.status === "pending";
/** The UTC day on which a request's messages are counted. */
const dayOf = ({ messages: [first] }: Acceptance): string => utcDay(first?.createdAt ?? now());

/** The row as it is stored: a blocked message fails at once, without a route and free of charge. */
const accepted = (row: MessageRow, currency: string, refusal: Refusal | undefined): MessageRow =>
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
    : { ...row, currency };

async function flush(tx: Tx, defer: Defer, batch: Acceptance[]): Promise<Settled<Accepted>[]> {
  // In this order on the wire: what is read after the locks cannot change any more.
  const sendings = batch.flatMap((item) => item.messages.filter(isPending));
  const [accounts, responses, quotas, isSuppressed] = await Promise.all([
    lockAccounts(
      tx,
      batch.map((item) => item.accountId),
    ),
    readResponses(tx, batch),
    loadQuotas(
      tx,
      batch.map((item) => item.key),
    ),
    findSuppressed(tx, sendings),
  ]);
  const [checkFraud, spending] = await Promise.all([
    loadFraudCheck(tx, accounts, sendings, isSuppressed),
    loadSpending(tx, accounts.values(), batch.map(dayOf)),
  ]);
  const balances = new Map([...accounts.values()].map((account) => [account.id, account.balanceMicros]));
  const taken: AcceptedRequest[] = [];

  const decide = (item: Acceptance): Accepted => {
    // First of all: what was carried out is answered again, whatever has become of account, sender or route since.
    const key = item.idempotency && slot(item.accountId, item.idempotency.key);
    const known = key ? responses.get(key) : undefined;
    if (known) {
      if (known.requestHash !== item.idempotency?.requestHash) throw keyReused();
      return { response: known.read(), replayed: true };
    }
    if (item.refusal) throw item.refusal;
    const account = requireActive(accounts.get(item.accountId));
    const { blocked, release } = checkFraud(item.messages.filter(isPending));
    const messages = item.messages.map((message) => accepted(message, account.currency, blocked.get(message)));
    try {
      admit(item, account, messages.filter(isPending));
    } catch (refused) {
      release();
      throw refused;
    }
    const response = item.respond(messages);
    if (key && item.idempotency)
      responses.set(key, { requestHash: item.idempotency.requestHash, read: () => response });
    taken.push({ item, messages, response });
    return { response, replayed: false };
  };

  /** Takes the request's money and quotas off what there is. @throws when they do not suffice, with nothing taken. */
  const admit = (item: Acceptance, account: LockedAccount, billed: MessageRow[]): void => {
    const costMicros = billed.reduce((sum, message) => sum + message.costMicros, 0n);
    const balance = balances.get(item.accountId) ?? 0n;
    requireBalance(costMicros, balance, account.currency);
    const [overspent] = spending.refusals(account, dayOf(item), costMicros);
    if (overspent) throw overspent;
    quotas.take(item.key, billed.length);
    spending.add(account, dayOf(item), costMicros);
    balances.set(item.accountId, balance - costMicros);
  };

  const results = batch.map((item): Settled<Accepted> => {
    try {
      return { ok: true, value: decide(item) };
    } catch (error) {
      return { ok: false, error };
    }
  });
  if (taken.length > 0) await write(tx, defer, taken, quotas.counts());
  return results;
}

/** `read` gives the response; another operation may have stored it in a form of its own, so it is read only when it fits. */
type KnownResponse = { requestHash: string; read: () => unknown };

/** What was answered before to the batch's Idempotency-Keys. The accounts' locks make look and write one step. */
async function readResponses(tx: Tx, batch: Acceptance[]): Promise<Map<string, KnownResponse>> {
  const keyed = batch.filter((item) => item.idempotency);
  if (keyed.length === 0) return new Map();
  const { rows } = await tx.query<{ accountId: string; key: string; requestHash: string; response: string }>({
    name: "messages.responses",
    text: `SELECT i.account_id AS "accountId", i.key, i.request_hash AS "requestHash", i.response
           FROM idempotency_keys i JOIN unnest($1::text[], $2::text[]) AS k (account_id, key) USING (account_id, key)
           WHERE i.created_at > now() - interval '24 hours'`,
    values: [keyed.map((item) => item.accountId), keyed.map((item) => item.idempotency?.key)],
  });
  return new Map(
    rows.map((row) => [
      slot(row.accountId, row.key),
      { requestHash: row.requestHash, read: () => JSON.parse(row.response) as unknown },
    ]),
  );
}

type AcceptedRequest = { item: Acceptance; messages: MessageRow[]; response: unknown };

async function write(tx: Tx, defer: Defer, taken: AcceptedRequest[], quotas: QuotaCount[]): Promise<void> {
  const messages = taken.flatMap((request) => request.messages);
  const pending = messages.filter(isPending);
  const failed = messages.filter((message) => message.status === "failed");
  defer(insertMessages(tx, messages));
  defer(postMoney(tx, pending.filter((message) => message.costMicros > 0n).map(reservation)));
  defer(countAccepted(tx, messages));
  defer(rememberResponses(tx, taken));
  defer(countQuotas(tx, quotas));
  for (let at = 0; at < pending.length; at += DISPATCH_BATCH) {
    const messageIds = pending.slice(at, at + DISPATCH_BATCH).map((message) => message.id);
    defer(addJob(tx, "dispatch_messages", { messageIds }));
  }
  await recordEvents(tx, failed.map(failure));
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

async function rememberResponses(tx: Tx, taken: AcceptedRequest[]): Promise<void> {
  const keyed = taken.filter(({ item }) => item.idempotency);
  if (keyed.length === 0) return;
  await tx.query({
    name: "messages.remember_answers",
    text: `INSERT INTO idempotency_keys (account_id, key, request_hash, response, created_at)
           SELECT *, now() FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
           ON CONFLICT (account_id, key) DO UPDATE
             SET request_hash = excluded.request_hash, response = excluded.response, created_at = excluded.created_at`,
    values: [
      keyed.map(({ item }) => item.accountId),
      keyed.map(({ item }) => item.idempotency?.key),
      keyed.map(({ item }) => item.idempotency?.requestHash),
      keyed.map(({ response }) => JSON.stringify(response)),
    ],
  });
}
