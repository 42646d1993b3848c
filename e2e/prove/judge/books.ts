/** The database's book: the service's own rows, read as a whole at rest. */
import type { Database } from "@/e2e/support/books";
import { TEST_ACCOUNT_PREFIX } from "@/server/core/ids";

export type StoredMessage = {
  id: string;
  /** Of a message that is not final: a description of its attempts and receipts. */
  facts: string | null;
  /** Of a message that is not final: the parts with known ids. */
  knownParts: number | null;
  accountId: string;
  to: string;
  hasText: boolean;
  status: string;
  segments: number;
  costMicros: number;
  errorCode: string | null;
  reference: string | null;
};

/** `begun`: whether the request was about to be written; null: not recorded. */
type StoredAttempt = {
  messageId: string;
  seq: number;
  provider: string;
  outcome: string | null;
  begun: boolean | null;
};

/** Ledger entries of one message: count and sum by kind. */
export type MessageLedger = { messageId: string; kinds: string[]; amountMicros: number; reservedMicros: number };

/**
 * An entry of the ledger, which the database numbered in the order of the account's COMMITs. `atMs`: when the service decided on it.
 * `day`: the UTC day of its messages.
 */
export type LedgerEntry = {
  atMs: number;
  accountId: string;
  kind: string;
  amountMicros: number;
  note: string | null;
  messageIds: string[];
  day: string | null;
};

/** An entry of the audit log about a credit: the balances that it names. */
export type CreditAudit = { note: string; beforeMicros: number; afterMicros: number };

/** The messages of a UTC day that are counted under the id of a key with a quota. */
type StoredQuota = { keyId: string; messages: number };

export type AccountBook = {
  accountId: string;
  balanceMicros: number;
  reservedMicros: number;
  ledgerMicros: number;
  ledgerReservedMicros: number;
  /** Usage counters: messages in all and by status, and their cost. */
  usage: Record<"messages" | "pending" | "sent" | "delivered" | "failed" | "undelivered" | "costMicros", number>;
};

type StoredEvent = { id: string; messageId: string; accountId: string; status: string };
/** A delivery with its event. `receiver`: the last part of its endpoint's URL. */
type StoredDelivery = { eventId: string; receiver: string; status: string };
/** A message from a handset. */
type StoredInbound = { id: string; accountId: string; provider: string; from: string; to: string; body: string };
export type Endpoint = { id: string; receiver: string; accountId: string; isActive: boolean; failureCount: number };

export type DatabaseBook = {
  /** Live messages. */
  messages: StoredMessage[];
  testMessages: StoredMessage[];
  attempts: StoredAttempt[];
  ledger: MessageLedger[];
  /** The whole ledger, in order. */
  entries: LedgerEntry[];
  creditAudits: CreditAudit[];
  accounts: AccountBook[];
  events: StoredEvent[];
  inbound: StoredInbound[];
  deliveries: StoredDelivery[];
  endpoints: Endpoint[];
  quotas: StoredQuota[];
  /** Jobs that the queue has given up. */
  deadJobs: number;
};

/** Whether the service records the beginning of an attempt. */
async function recordsBeginnings(database: Database): Promise<boolean> {
  const found = await database.rows(
    `SELECT 1 FROM information_schema.columns WHERE table_name = 'message_attempts' AND column_name = 'begun_at'`,
  );
  return found.length > 0;
}

/** The present state of the endpoints that were not deleted. */
export const readEndpoints = (database: Database): Promise<Endpoint[]> =>
  database.rows<Endpoint>(
    `SELECT id, substring(url from '[^/]+$') AS receiver, account_id AS "accountId", is_active AS "isActive",
       failure_count AS "failureCount" FROM webhook_endpoints WHERE deleted_at IS NULL ORDER BY id`,
  );

/** Errors of the tries that disabled endpoints, with counts. */
export async function readDisabled(database: Database): Promise<Map<string, string>> {
  const rows = await database.rows<{ receiver: string; errors: string }>(
    `SELECT receiver, string_agg(error || ' ' || count || ' times', '; ' ORDER BY count DESC) AS errors FROM (
       SELECT substring(e.url from '[^/]+$') AS receiver, t.error, count(*) FROM webhook_endpoints e
       JOIN webhook_deliveries d ON d.endpoint_id = e.id JOIN webhook_tries t ON t.delivery_id = d.id
       WHERE NOT e.is_active AND t.error IS NOT NULL GROUP BY 1, 2) found GROUP BY receiver`,
  );
  return new Map(rows.map(({ receiver, errors }) => [receiver, errors]));
}

/** SQL: a description of the attempts and receipts of message `m`, including parked receipts of its ids. */
const FACTS = `(
  SELECT string_agg(concat_ws(' ', 'attempt', a.seq, a.provider, coalesce(a.outcome, 'open'), a.code, a.provider_message_id,
    (SELECT string_agg(concat_ws(' ', 'part', p.provider_message_id, coalesce(p.status, 'silent')), ', ')
     FROM attempt_parts p WHERE p.message_id = a.message_id AND p.seq = a.seq)), '; ' ORDER BY a.seq)
  FROM message_attempts a WHERE a.message_id = m.id) || '; ' || coalesce((
  SELECT string_agg(concat_ws(' ', 'receipt', r.provider_message_id, r.status, CASE WHEN r.applied THEN 'applied' END,
    CASE WHEN r.message_id IS NULL THEN 'parked' END), '; ' ORDER BY r.id)
  FROM receipts r WHERE r.message_id = m.id OR (r.provider, r.provider_message_id) IN (
    SELECT a.provider, a.provider_message_id FROM message_attempts a WHERE a.message_id = m.id)), 'no receipt')`;

/** Reads the whole book. Money in micro-units. */
export async function readDatabaseBook(database: Database): Promise<DatabaseBook> {
  const begun = (await recordsBeginnings(database)) ? "begun_at IS NOT NULL" : "NULL::bool";
  const [dead] = await database.rows<{ count: number }>(
    "SELECT count(*)::int AS count FROM graphile_worker._private_jobs WHERE attempts >= max_attempts",
  );
  const messages = await database.rows<StoredMessage>(
    `SELECT id, account_id AS "accountId", to_number AS "to", body <> '' AS "hasText", status, segments, cost_micros::float8 AS "costMicros",
       error_code AS "errorCode", CASE WHEN status IN ('pending', 'sent') THEN ${FACTS} END AS facts, reference,
       CASE WHEN status = 'sent'
         THEN (SELECT count(*) FROM attempt_parts p WHERE p.message_id = m.id)::int END AS "knownParts"
     FROM messages m ORDER BY id`,
  );
  return {
    messages: messages.filter(({ accountId }) => !accountId.startsWith(TEST_ACCOUNT_PREFIX)),
    testMessages: messages.filter(({ accountId }) => accountId.startsWith(TEST_ACCOUNT_PREFIX)),
    attempts: await database.rows<StoredAttempt>(
      `SELECT message_id AS "messageId", seq, provider, outcome, ${begun} AS begun FROM message_attempts
       WHERE outcome IS DISTINCT FROM 'withdrawn' ORDER BY message_id, seq`,
    ),
    ledger: await database.rows<MessageLedger>(
      `SELECT message_id AS "messageId", array_agg(kind ORDER BY entry_id) AS kinds, sum(amount_micros)::float8 AS "amountMicros",
         sum(held_micros)::float8 AS "reservedMicros" FROM ledger_lines GROUP BY message_id`,
    ),
    entries: await readEntries(database),
    creditAudits: await database.rows<CreditAudit>(
      `SELECT after ->> 'note' AS note, round((before ->> 'balance')::numeric * 1000000)::float8 AS "beforeMicros",
         round((after ->> 'balance')::numeric * 1000000)::float8 AS "afterMicros"
       FROM audit_entries WHERE action = 'account.credited' AND after ->> 'note' IS NOT NULL`,
    ),
    accounts: await readAccounts(database),
    events: await database.rows<StoredEvent>(
      `SELECT id, message_id AS "messageId", account_id AS "accountId", status FROM events ORDER BY id`,
    ),
    inbound: await database.rows<StoredInbound>(
      `SELECT id, account_id AS "accountId", provider, from_number AS "from", to_number AS "to", body
       FROM inbound_messages ORDER BY id`,
    ),
    deliveries: await database.rows<StoredDelivery>(
      `SELECT d.event_id AS "eventId", substring(e.url from '[^/]+$') AS receiver, d.status
       FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id`,
    ),
    endpoints: await readEndpoints(database),
    quotas: await database.rows<StoredQuota>(
      `SELECT key_id AS "keyId", sum(messages)::int AS messages FROM api_key_quotas WHERE period LIKE 'day:%' GROUP BY key_id`,
    ),
    deadJobs: dead?.count ?? 0,
  };
}

/** Entries of one account are written under the lock of its row, so their numbers are in the order of its COMMITs. */
const readEntries = (database: Database): Promise<LedgerEntry[]> =>
  database.rows<LedgerEntry>(
    `SELECT e.account_id AS "accountId", e.kind, e.amount_micros::float8 AS "amountMicros", e.note, x.ids AS "messageIds",
       (extract(epoch FROM e.created_at) * 1000)::float8 AS "atMs",
       to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
     FROM ledger_entries e
     CROSS JOIN LATERAL (SELECT coalesce(e.message_ids, array_remove(ARRAY[e.message_id], NULL)) AS ids) x
     LEFT JOIN messages m ON m.id = x.ids[1] ORDER BY e.id`,
  );

async function readAccounts(database: Database): Promise<AccountBook[]> {
  const rows = await database.rows<Omit<AccountBook, "usage"> & AccountBook["usage"]>(
    `SELECT a.id AS "accountId", a.balance_micros::float8 AS "balanceMicros", a.held_micros::float8 AS "reservedMicros",
       l.amount::float8 AS "ledgerMicros", l.held::float8 AS "ledgerReservedMicros", u.*
     FROM accounts a
     CROSS JOIN LATERAL (SELECT coalesce(sum(amount_micros), 0) AS amount, coalesce(sum(held_micros), 0) AS held
       FROM ledger_entries WHERE account_id = a.id) l
     CROSS JOIN LATERAL (SELECT coalesce(sum(messages), 0)::int AS messages, coalesce(sum(pending), 0)::int AS pending,
       coalesce(sum(sent), 0)::int AS sent, coalesce(sum(delivered), 0)::int AS delivered,
       coalesce(sum(failed), 0)::int AS failed, coalesce(sum(undelivered), 0)::int AS undelivered,
       coalesce(sum(cost_micros), 0)::float8 AS "costMicros" FROM usage_days WHERE account_id = a.id) u
     ORDER BY a.id`,
  );
  return rows.map(({ accountId, balanceMicros, reservedMicros, ledgerMicros, ledgerReservedMicros, ...usage }) => ({
    accountId,
    balanceMicros,
    reservedMicros,
    ledgerMicros,
    ledgerReservedMicros,
    usage,
  }));
}
