/**
 * Receipts whose message is not known yet. A real one waits for a moment, until the answer of its send is recorded; the rest
 * are about messages of somebody else, and where a provider signs nothing whoever knows its secret path can make up any
 * number. They are kept for 72 hours, so their number needs a bound of its own.
 */
import { pool } from "../../core/db";
import { log } from "../../core/log";
import { defineProcessValue } from "../../core/process";

/**
 * Parked receipts of a provider that are kept: the newest, as those may still be joined. Refusing new ones instead would let
 * a flood of invented receipts keep out the real ones for three days.
 */
export const PARKED_MAX = 100_000;
/** Deleted by one statement, so that none holds its rows for long. */
const DROPPED_PER_STEP = 20_000;
/** Receipts that a process parks between two looks at how many there are: looking costs as much as there are. */
const LOOK_EVERY = 10_000;

/** Receipts of each provider that this process has parked since it last looked. */
const parkedSince = defineProcessValue("receipts.parked_since", () => new Map<string, number>());

/** Drops what is parked of a provider beyond the newest `keep`. Rows that are being joined are left alone. */
export async function dropParked(provider: string, keep = PARKED_MAX): Promise<number> {
  let dropped = 0;
  for (;;) {
    const { rowCount } = await pool().query({
      name: "receipts.drop_parked",
      text: `WITH excess AS (
               SELECT id FROM receipts WHERE provider = $1 AND message_id IS NULL
               ORDER BY received_at DESC, id DESC OFFSET $2 LIMIT $3 FOR UPDATE SKIP LOCKED
             )
             DELETE FROM receipts r USING excess WHERE r.id = excess.id`,
      values: [provider, keep, DROPPED_PER_STEP],
    });
    dropped += rowCount ?? 0;
    if ((rowCount ?? 0) < DROPPED_PER_STEP) break;
  }
  if (dropped > 0) log("warn", "receipts.parked_dropped", { provider, dropped, kept: keep });
  return dropped;
}

/** To be told of receipts that were just parked and committed; looks now and then whether there are too many. */
export async function noteParked(provider: string, count: number): Promise<void> {
  const since = (parkedSince().get(provider) ?? 0) + count;
  parkedSince().set(provider, since < LOOK_EVERY ? since : 0);
  if (since >= LOOK_EVERY) await dropParked(provider);
}
