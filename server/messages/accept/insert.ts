/** Statements of an acceptance: the message rows, and the counters of their day. */
import { utcDay } from "../../core/clock";
import type { Defer, Tx } from "../../core/db";
import { unnest } from "../../core/unnest";
import type { Metadata } from "../metadata";
import type { MessageRow } from "../present";

/**
 * A message that is being accepted. `sendAt`: the time that its request names, from which its validity period counts; quiet
 * hours may have put off `scheduledAt` to a later one.
 */
export type NewMessage = MessageRow & { sendAt: Date | null };

/** Columns of a new message, apart from its chain, which is passed as text since arrays cannot be nested. */
const COLUMNS: Parameters<typeof unnest<NewMessage>>[0] = {
  id: ["text", ({ id }) => id],
  account_id: ["text", ({ accountId }) => accountId],
  api_key_id: ["text", ({ apiKeyId }) => apiKeyId],
  to_number: ["text", ({ toNumber }) => toNumber],
  from_sender: ["text", ({ fromSender }) => fromSender],
  body: ["text", ({ body }) => body],
  encoding: ["text", ({ encoding }) => encoding],
  segments: ["int2", ({ segments }) => segments],
  status: ["text", ({ status }) => status],
  cost_micros: ["int8", ({ costMicros }) => costMicros],
  currency: ["text", ({ currency }) => currency],
  route_id: ["int4", ({ routeId }) => routeId],
  error_code: ["text", ({ errorCode }) => errorCode],
  error_message: ["text", ({ errorMessage }) => errorMessage],
  reference: ["text", ({ reference }) => reference],
  created_at: ["timestamptz", ({ createdAt }) => createdAt.toISOString()],
  failed_at: ["timestamptz", ({ failedAt }) => failedAt?.toISOString() ?? null],
};
/** Columns of a message with a schedule or a validity period. */
const ALL_COLUMNS: typeof COLUMNS = {
  ...COLUMNS,
  scheduled_at: ["timestamptz", ({ scheduledAt }) => scheduledAt?.toISOString() ?? null],
  validity_s: ["int4", ({ validityS }) => validityS],
};

const CHAIN = { chain: ["text", ({ chain }: MessageRow) => chain.join(",")] } as const;
const OPERANDS: typeof COLUMNS = {
  metadata: ["text", ({ metadata }) => (metadata === null ? null : JSON.stringify(metadata))],
  send_at: ["timestamptz", ({ sendAt }) => sendAt?.toISOString() ?? null],
};

/**
 * An INSERT of new messages.
 * @param more further columns, as their names and expressions.
 * @param operands columns of these expressions.
 */
function insertOf(
  name: string,
  columns: typeof COLUMNS,
  more: Readonly<Record<string, string>>,
  operands: typeof COLUMNS = {},
) {
  const names = Object.keys(columns).join(", ");
  const entries = Object.entries({ chain: "string_to_array(chain, ',')", ...more });
  const rows = unnest<NewMessage>({ ...columns, ...CHAIN, ...operands });
  const text = `INSERT INTO messages (${names}, ${entries.map(([column]) => column).join(", ")})
                SELECT ${names}, ${entries.map(([, expression]) => expression).join(", ")} FROM ${rows.as("r")}`;
  return (messages: readonly NewMessage[]) => ({ name, text, values: rows.values(messages) });
}

const INSERT = insertOf("messages.insert", COLUMNS, {});
/** For batches with a schedule, a validity period or metadata. Few have any, so {@link INSERT} leaves out these columns. */
const INSERT_ALL = insertOf(
  "messages.insert_all",
  ALL_COLUMNS,
  {
    metadata: "metadata::jsonb",
    expires_at: "COALESCE(send_at, clock_timestamp()) + validity_s * interval '1 second'",
  },
  OPERANDS,
);

const needsAll = ({ scheduledAt, validityS, metadata }: MessageRow): boolean =>
  scheduledAt !== null || validityS !== null || metadata !== null;

/** Stores accepted messages, pending or failed at once, and the pairs by which they are found. */
export function insertMessages(tx: Tx, defer: Defer, rows: readonly NewMessage[]): void {
  defer(tx.query(rows.some(needsAll) ? INSERT_ALL(rows) : INSERT(rows)));
  const metadata = insertMetadata(tx, rows);
  if (metadata) defer(metadata);
}

type Pair = { accountId: string; key: string; value: string; messageId: string };

const PAIRS = unnest<Pair>({
  account_id: ["text", ({ accountId }) => accountId],
  key: ["text", ({ key }) => key],
  value: ["text", ({ value }) => value],
  message_id: ["text", ({ messageId }) => messageId],
});

/** @returns null when there is no pair. */
function insertMetadata(tx: Tx, rows: readonly MessageRow[]): Promise<unknown> | null {
  const pairs = rows.flatMap(({ id, accountId, metadata }) =>
    Object.entries((metadata ?? {}) as Metadata).map(([key, value]) => ({ accountId, key, value, messageId: id })),
  );
  if (pairs.length === 0) return null;
  return tx.query({
    name: "messages.insert_metadata",
    text: `INSERT INTO message_metadata (account_id, key, value, message_id) SELECT * FROM ${PAIRS.as("p")}`,
    values: PAIRS.values(pairs),
  });
}

/** Additions to the counters of an account's UTC day. Messages that did not fail are pending. */
type DayCounts = {
  accountId: string;
  day: string;
  messages: number;
  segments: number;
  costMicros: bigint;
  failed: number;
};

function dayCounts(rows: readonly MessageRow[]): DayCounts[] {
  const counts = new Map<string, DayCounts>();
  for (const { accountId, createdAt, segments, costMicros, status } of rows) {
    const day = utcDay(createdAt);
    const key = `${accountId} ${day}`;
    const count = counts.get(key) ?? { accountId, day, messages: 0, segments: 0, costMicros: 0n, failed: 0 };
    counts.set(key, count);
    count.messages += 1;
    count.segments += segments;
    count.costMicros += costMicros;
    if (status === "failed") count.failed += 1;
  }
  return [...counts.values()];
}

const DAYS = unnest<DayCounts>({
  account_id: ["text", ({ accountId }) => accountId],
  day: ["date", ({ day }) => day],
  messages: ["int4", ({ messages }) => messages],
  segments: ["int4", ({ segments }) => segments],
  cost_micros: ["int8", ({ costMicros }) => costMicros],
  failed: ["int4", ({ failed }) => failed],
});

/** Adds new messages to their account's counters of the day. The accounts are locked, so the rows never deadlock. */
export async function countAccepted(tx: Tx, rows: readonly MessageRow[]): Promise<void> {
  await tx.query({
    name: "messages.count_accepted",
    text: `INSERT INTO usage_days AS u (account_id, day, messages, segments, cost_micros, pending, failed, events_failed)
           SELECT account_id, day, messages, segments, cost_micros, messages - failed, failed, failed
           FROM ${DAYS.as("d")} ORDER BY account_id, day
           ON CONFLICT (account_id, day) DO UPDATE SET
             messages = u.messages + excluded.messages, segments = u.segments + excluded.segments,
             cost_micros = u.cost_micros + excluded.cost_micros, pending = u.pending + excluded.pending,
             failed = u.failed + excluded.failed, events_failed = u.events_failed + excluded.events_failed`,
    values: DAYS.values(dayCounts(rows)),
  });
}
