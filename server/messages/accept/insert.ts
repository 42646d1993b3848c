/** Statements of an acceptance: the message rows, and the counters of their day. */
import { utcDay } from "../../core/clock";
import type { Tx } from "../../core/db";
import { unnest } from "../../core/unnest";
import type { MessageRow } from "../present";

/** Columns of a new message, apart from its chain, which is passed as text since arrays cannot be nested. */
const COLUMNS: Parameters<typeof unnest<MessageRow>>[0] = {
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
const TIMED_COLUMNS: typeof COLUMNS = {
  ...COLUMNS,
  scheduled_at: ["timestamptz", ({ scheduledAt }) => scheduledAt?.toISOString() ?? null],
  validity_s: ["int4", ({ validityS }) => validityS],
};

/** An INSERT of new messages. `more`: further columns, as their names and expressions. */
function insertOf(name: string, columns: typeof COLUMNS, more: Readonly<Record<string, string>>) {
  const names = Object.keys(columns).join(", ");
  const entries = Object.entries({ chain: "string_to_array(chain, ',')", ...more });
  const rows = unnest<MessageRow>({ ...columns, chain: ["text", ({ chain }) => chain.join(",")] });
  const text = `INSERT INTO messages (${names}, ${entries.map(([column]) => column).join(", ")})
                SELECT ${names}, ${entries.map(([, expression]) => expression).join(", ")} FROM ${rows.as("r")}`;
  return (messages: readonly MessageRow[]) => ({ name, text, values: rows.values(messages) });
}

const INSERT = insertOf("messages.insert", COLUMNS, {});
/** Batches without schedules and validity periods, nearly all, do not pass their columns. */
const INSERT_TIMED = insertOf("messages.insert_timed", TIMED_COLUMNS, {
  expires_at: "COALESCE(scheduled_at, clock_timestamp()) + validity_s * interval '1 second'",
});

const isTimed = ({ scheduledAt, validityS }: MessageRow): boolean => scheduledAt !== null || validityS !== null;

/** Stores accepted messages, pending or failed at once. */
export async function insertMessages(tx: Tx, rows: readonly MessageRow[]): Promise<void> {
  await tx.query(rows.some(isTimed) ? INSERT_TIMED(rows) : INSERT(rows));
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
