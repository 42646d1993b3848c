/** Messages whose providers are all asked too much at the moment: they go through dispatch again after a pause. */
import { SECOND_MS } from "../../core/clock";
import type { Tx } from "../../core/db";
import { addJobs } from "../../core/jobs";

type Again = { messageId: string; providers: readonly string[]; pauseMs: number };

/**
 * Puts `providers` at the end of each message's chain once more and has it dispatched after its pause. What was throttled
 * together is spread over as long again, or it would come back together. The messages must be locked.
 */
export async function retryThrottled(tx: Tx, again: readonly Again[], at: Date): Promise<void> {
  if (again.length === 0) return;
  const batches = new Map<number, string[]>();
  for (const { messageId, pauseMs } of again) {
    const dueAt = at.getTime() + pauseMs * (1 + Math.random());
    const second = Math.ceil(dueAt / SECOND_MS) * SECOND_MS;
    batches.set(second, [...(batches.get(second) ?? []), messageId]);
  }
  await Promise.all([
    tx.query({
      name: "messages.extend_chain",
      text: `UPDATE messages m SET chain = m.chain || string_to_array(u.providers, ',')
             FROM unnest($1::text[], $2::text[]) AS u (id, providers) WHERE m.id = u.id`,
      values: [again.map(({ messageId }) => messageId), again.map(({ providers }) => providers.join(","))],
    }),
    addJobs(
      tx,
      "dispatch_messages",
      [...batches].map(([dueAt, messageIds]) => ({ payload: { messageIds }, runAt: new Date(dueAt) })),
    ),
  ]);
}
