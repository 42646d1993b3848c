/** Joins parked receipts whose message is known although the job that was to join them is lost. */
import { inOrderOfIndex, transaction } from "../../core/db";
import { groupBy } from "../../core/group-by";
import { rejoinReceipts } from "../receipts/apply-receipts";
import { BEFORE } from "./given-up";
import { readPosition, START, savePosition } from "./sweep-rounds";

/** Receipts that a statement looks up. */
const PER_STEP = 2_000;
/**
 * Receipts that a run looks up; the next one continues behind them. Forged ones may be parked by the hundred thousand, and each costs two
 * look-ups.
 */
const PER_RUN = 20_000;

/** `looked`: how many were looked up. `last`: when the newest of them was received. `found`: provider and id of those to join. */
type Looked = { looked: number; last: Date | null; found: [provider: string, providerMessageId: string][] };

/**
 * Looks up the messages of the oldest receipts that were parked after `after` and within `withinMs`, with all of the same millisecond. Each
 * is looked up by its id: without `OFFSET 0` a plan for many parked receipts reads all attempts instead.
 */
async function lookUp(withinMs: number, after: Date, limit: number): Promise<Looked> {
  const { rows } = await transaction((tx) =>
    inOrderOfIndex(tx, () =>
      tx.query<Looked>({
        name: "sweeps.look_at_parked",
        text: `WITH looked AS MATERIALIZED (
                 SELECT provider, provider_message_id, received_at FROM receipts
                 WHERE message_id IS NULL AND received_at > GREATEST($2, ${BEFORE})
                 ORDER BY received_at FETCH FIRST ($3::int8) ROWS WITH TIES)
               SELECT (SELECT count(*)::int4 FROM looked) AS looked, (SELECT max(received_at) FROM looked) AS last,
                 coalesce((SELECT jsonb_agg(DISTINCT jsonb_build_array(r.provider, r.provider_message_id)) FROM looked r
                   WHERE EXISTS (SELECT 1 FROM message_attempts a
                                 WHERE a.provider = r.provider AND a.provider_message_id = r.provider_message_id OFFSET 0)
                     OR EXISTS (SELECT 1 FROM attempt_parts p
                                WHERE p.provider = r.provider AND p.provider_message_id = r.provider_message_id OFFSET 0)),
                   '[]') AS found`,
        values: [withinMs, after, limit],
      }),
    ),
  );
  return rows[0] ?? { looked: 0, last: null, found: [] };
}

/**
 * Joins receipts that were parked within the last `withinMs` and whose message is known by now. Continues a round through them, the oldest
 * first. No step begins once `signal` is aborted.
 */
export async function joinLeftReceipts(
  withinMs: number,
  {
    perStep = PER_STEP,
    perRun = PER_RUN,
    signal,
  }: { perStep?: number; perRun?: number; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const begun = await readPosition("parked");
  let position = begun;
  try {
    for (let looked = 0; looked < perRun && !signal?.aborted; ) {
      const step = await lookUp(withinMs, position.dueAt, perStep);
      looked += step.looked;
      const isEnd = step.last === null || step.looked < perStep;
      position = isEnd ? START : { ...START, dueAt: step.last ?? START.dueAt };
      for (const [provider, found] of groupBy(step.found, ([provider]) => provider)) {
        await rejoinReceipts(
          provider,
          found.map(([, providerMessageId]) => providerMessageId),
        );
      }
      if (isEnd) return;
    }
  } finally {
    if (position.dueAt.getTime() !== begun.dueAt.getTime()) await savePosition("parked", position);
  }
}
