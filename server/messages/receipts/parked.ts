/**
 * Receipts whose message is not known yet. A genuine one waits briefly, until the outcome of its send is recorded. The others
 * belong to messages of other systems; and if a provider does not sign its callbacks, anyone who knows its secret path can forge
 * any number of them. They are kept for 72 hours, so their number needs its own limit.
 */
import { filterIsNull, pool } from "../../core/db";
import { log } from "../../core/log";
import { defineProcessValue } from "../../core/process";

/**
 * Parked receipts of a provider that are kept: the newest, as those may still be joined. Refusing new ones instead would let a
 * flood of forged receipts keep out the genuine ones for three days.
 */
export const PARKED_MAX = 100_000;
/** Deleted by one statement, so that none holds its rows for long. */
const DROPPED_PER_STEP = 20_000;
/** Receipts that a process parks between two counts, since counting costs time in proportion to their number. */
const LOOK_EVERY = 10_000;

/** Receipts of each provider that this process has parked since its last count. */
const parkedSince = defineProcessValue("receipts.parked_since", () => new Map<string, number>());

/**
 * Whether more than `keep` receipts of a provider are parked. Reads its own alone, by the index of the provider's ids; in order of time
 * those of all providers would be read, each time for each provider.
 */
async function isOver(provider: string, keep: number): Promise<boolean> {
  const { rowCount } = await pool().query({
    name: "receipts.count_parked",
    text: `SELECT FROM receipts WHERE provider = $1 AND ${filterIsNull("message_id")} OFFSET $2 LIMIT 1`,
    values: [provider, keep],
  });
  return rowCount === 1;
}

/**
 * Deletes a provider's parked receipts beyond the newest `keep`. Rows that are being joined are left alone. Those that are kept are not
 * locked: OFFSET would lock what it skips, and receipts are joined all the time.
 */
export async function dropParked(provider: string, keep = PARKED_MAX): Promise<number> {
  let dropped = 0;
  while (await isOver(provider, keep)) {
    const { rowCount } = await pool().query({
      name: "receipts.drop_parked",
      // Written this way, "parked" matches no partial index; a plan made when few were parked would search such an index for each
      // row.
      text: `WITH excess AS MATERIALIZED (
               SELECT id FROM receipts WHERE provider = $1 AND message_id IS NULL
               ORDER BY received_at DESC, id DESC OFFSET $2 LIMIT $3
             ), locked AS MATERIALIZED (
               SELECT id FROM receipts WHERE id = ANY(ARRAY(SELECT id FROM excess)) AND num_nulls(message_id) = 1
               FOR UPDATE SKIP LOCKED
             )
             DELETE FROM receipts r USING locked WHERE r.id = locked.id`,
      values: [provider, keep, DROPPED_PER_STEP],
    });
    dropped += rowCount ?? 0;
    if ((rowCount ?? 0) < DROPPED_PER_STEP) break;
  }
  if (dropped > 0) log("warn", "receipts.parked_dropped", { provider, dropped, kept: keep });
  return dropped;
}

/** To be called after parked receipts were committed; from time to time it checks whether there are too many. */
export async function noteParked(provider: string, count: number): Promise<void> {
  const since = (parkedSince().get(provider) ?? 0) + count;
  parkedSince().set(provider, since < LOOK_EVERY ? since : 0);
  if (since >= LOOK_EVERY) await dropParked(provider);
}
