/**
 * Acceptance: the hot path of a send. Concurrent sends are gathered, and one transaction per batch debits the accounts,
 * stores the messages, their ledger entries and counters, and adds the dispatch job. Nobody is answered before COMMIT,
 * and one bad member never fails its batch: everything that can refuse a member is decided under the accounts' locks
 * before anything is written.
 */
import { keyReused } from "../accounts/answers";
import { lockAccounts, type MoneyMove, postMoney } from "../accounts/store";
import { coalesce, type Settled } from "../core/batch";
import { utcDay } from "../core/clock";
import { type Defer, type Tx, transaction } from "../core/db";
import { addJob } from "../core/jobs";
import { perProcess } from "../core/process";
import type { Idempotency } from "../core/trpc";
import { recordEvents } from "../webhooks/outbox";
import { countQuotas, openQuotas, type QuotaCount, requireActive, requireBalance, type SendingKey } from "./admission";
import type { MessageRow } from "./present";

/** One request's messages: all accepted together, or none. */
export type Acceptance = {
  accountId: string;
  key: SendingKey;
  messages: MessageRow[];
  idempotency: Idempotency | null;
  /** Makes the answer that an Idempotency-Key replays. */
  respond: (messages: MessageRow[]) => unknown;
};

export type Accepted = { response: unknown; replayed: boolean };

/** Messages per flush. Beyond this a transaction holds its account locks longer than its fixed cost is worth. */
const FLUSH_MESSAGES_MAX = 1_000;
/** Messages per dispatch job: small enough that several workers share a large bulk. */
const DISPATCH_BATCH = 250;

/** Accepts the messages of one request. @throws 402, 403, 409 or 429, with nothing written for this request. */
export function accept(acceptance: Acceptance): Promise<Accepted> {
  const queue = perProcess("messages.accept", () =>
    coalesce<Acceptance, Accepted>((batch) => transaction((tx, defer) => flush(tx, defer, batch)), {
      maxWeight: FLUSH_MESSAGES_MAX,
      weigh: (item) => item.messages.length,
    }),
  );
  return queue(acceptance);
}

const slot = (accountId: string, key: string) => `${accountId} ${key}`;

async function flush(tx: Tx, defer: Defer, batch: Acceptance[]): Promise<Settled<Accepted>[]> {
  // In this order on the wire: what is read after the locks cannot change any more.
  const [accounts, answers, quotas] = await Promise.all([
    lockAccounts(
      tx,
      batch.map((item) => item.accountId),
    ),
    readAnswers(tx, batch),
    openQuotas(
      tx,
      batch.map((item) => item.key),
    ),
  ]);
  const balances = new Map([...accounts.values()].map((account) => [account.id, account.balanceMicros]));
  const taken: Taken[] = [];

  const decide = (item: Acceptance): Accepted => {
    const account = requireActive(accounts.get(item.accountId));
    const key = item.idempotency && slot(item.accountId, item.idempotency.key);
    const answer = key ? answers.get(key) : undefined;
    if (answer) {
      if (answer.requestHash !== item.idempotency?.requestHash) throw keyReused();
      return { response: answer.read(), replayed: true };
    }
    const billed = item.messages.filter((message) => message.status === "pending");
    const costMicros = billed.reduce((sum, message) => sum + message.costMicros, 0n);
    const balance = balances.get(item.accountId) ?? 0n;
    requireBalance(costMicros, balance, account.currency);
    quotas.take(item.key, billed.length);
    balances.set(item.accountId, balance - costMicros);
    for (const message of item.messages) message.currency = account.currency;
    const response = item.respond(item.messages);
    if (key && item.idempotency) answers.set(key, { requestHash: item.idempotency.requestHash, read: () => response });
    taken.push({ item, response });
    return { response, replayed: false };
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

/** `read` gives the answer; another operation may have stored it in a form of its own, so it is read only when it fits. */
type Answer = { requestHash: string; read: () => unknown };

/** What was answered before to the batch's Idempotency-Keys. The accounts' locks make look and write one step. */
async function readAnswers(tx: Tx, batch: Acceptance[]): Promise<Map<string, Answer>> {
  const keyed = batch.filter((item) => item.idempotency);
  if (keyed.length === 0) return new Map();
  const { rows } = await tx.query<{ accountId: string; key: string; requestHash: string; response: string }>({
    name: "messages.answers",
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

type Taken = { item: Acceptance; response: unknown };

async function write(tx: Tx, defer: Defer, taken: Taken[], quotas: QuotaCount[]): Promise<void> {
  const messages = taken.flatMap(({ item }) => item.messages);
  const pending = messages.filter((message) => message.status === "pending");
  const failed = messages.filter((message) => message.status === "failed");
  defer(insertMessages(tx, messages));
  defer(postMoney(tx, pending.filter((message) => message.costMicros > 0n).map(reservation)));
  defer(countAccepted(tx, messages));
  defer(rememberAnswers(tx, taken));
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
  heldMicros: message.costMicros,
  messageId: message.id,
  note: null,
  at: message.createdAt,
});

async function insertMessages(tx: Tx, rows: MessageRow[]): Promise<void> {
  await tx.query({
    name: "messages.insert",
    text: `INSERT INTO messages (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status,
             cost_micros, currency, route_id, chain, error_code, error_message, reference, created_at, failed_at)
           SELECT id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
             currency, route_id, string_to_array(chain, ','), error_code, error_message, reference, created_at,
             CASE WHEN status = 'failed' THEN created_at END
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int2[],
             $9::text[], $10::int8[], $11::text[], $12::int4[], $13::text[], $14::text[], $15::text[], $16::text[],
             $17::timestamptz[])
           AS r (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
             currency, route_id, chain, error_code, error_message, reference, created_at)`,
    values: [
      rows.map((row) => row.id),
      rows.map((row) => row.accountId),
      rows.map((row) => row.apiKeyId),
      rows.map((row) => row.toNumber),
      rows.map((row) => row.fromSender),
      rows.map((row) => row.body),
      rows.map((row) => row.encoding),
      rows.map((row) => row.segments),
      rows.map((row) => row.status),
      rows.map((row) => String(row.costMicros)),
      rows.map((row) => row.currency),
      rows.map((row) => row.routeId),
      rows.map((row) => row.chain.join(",")),
      rows.map((row) => row.errorCode),
      rows.map((row) => row.errorMessage),
      rows.map((row) => row.reference),
      rows.map((row) => row.createdAt.toISOString()),
    ],
  });
}

/** Adds new messages to their account's counters of the day. The accounts are locked, so the rows never deadlock. */
async function countAccepted(tx: Tx, rows: MessageRow[]): Promise<void> {
  const days = new Map<string, { accountId: string; day: string; rows: MessageRow[] }>();
  for (const row of rows) {
    const day = utcDay(row.createdAt);
    const id = slot(row.accountId, day);
    const entry = days.get(id) ?? { accountId: row.accountId, day, rows: [] };
    entry.rows.push(row);
    days.set(id, entry);
  }
  const entries = [...days.values()];
  const failed = entries.map((entry) => entry.rows.filter((row) => row.status === "failed").length);
  await tx.query({
    name: "messages.count_accepted",
    text: `INSERT INTO usage_days AS u (account_id, day, messages, segments, cost_micros, pending, failed, events_failed)
           SELECT account_id, day, messages, segments, cost_micros, messages - failed, failed, failed
           FROM unnest($1::text[], $2::date[], $3::int4[], $4::int4[], $5::int8[], $6::int4[])
             AS d (account_id, day, messages, segments, cost_micros, failed) ORDER BY account_id, day
           ON CONFLICT (account_id, day) DO UPDATE SET
             messages = u.messages + excluded.messages, segments = u.segments + excluded.segments,
             cost_micros = u.cost_micros + excluded.cost_micros, pending = u.pending + excluded.pending,
             failed = u.failed + excluded.failed, events_failed = u.events_failed + excluded.events_failed`,
    values: [
      entries.map((entry) => entry.accountId),
      entries.map((entry) => entry.day),
      entries.map((entry) => entry.rows.length),
      entries.map((entry) => entry.rows.reduce((sum, row) => sum + row.segments, 0)),
      entries.map((entry) => String(entry.rows.reduce((sum, row) => sum + row.costMicros, 0n))),
      failed,
    ],
  });
}

async function rememberAnswers(tx: Tx, taken: Taken[]): Promise<void> {
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
