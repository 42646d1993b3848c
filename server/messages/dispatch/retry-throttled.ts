/** Dispatches messages again after a pause when all their providers throttle us. */

import { addJobs } from "../../core/add-jobs";
import { SECOND_MS } from "../../core/clock";
import type { Tx } from "../../core/db";
import { unnest } from "../../core/unnest";

/** A message to be dispatched again to `providers`, after at least `pauseMs`. */
export type Retry = { messageId: string; providers: readonly string[]; pauseMs: number };

const RETRIES = unnest<Retry>({
  id: ["text", ({ messageId }) => messageId],
  providers: ["text", ({ providers }) => providers.join(",")],
});

/**
 * Appends `providers` to each message's chain again and has it dispatched after its pause. Messages that were throttled together are
 * spread over twice the pause, so that they do not return together. The messages must be locked.
 */
export async function retryThrottled(tx: Tx, retries: readonly Retry[], at: Date): Promise<void> {
  if (retries.length === 0) return;
  const batches = new Map<number, string[]>();
  for (const { messageId, pauseMs } of retries) {
    const dueAt = at.getTime() + pauseMs * (1 + Math.random());
    const second = Math.ceil(dueAt / SECOND_MS) * SECOND_MS;
    const alike = batches.get(second);
    if (alike) alike.push(messageId);
    else batches.set(second, [messageId]);
  }
  await Promise.all([
    tx.query({
      name: "messages.extend_chain",
      text: `UPDATE messages m SET chain = m.chain || string_to_array(u.providers, ',')
             FROM ${RETRIES.as("u")} WHERE m.id = u.id`,
      values: RETRIES.values(retries),
    }),
    addJobs(
      tx,
      "dispatch_messages",
      [...batches].map(([dueAt, messageIds]) => ({ payload: { messageIds }, runAt: new Date(dueAt) })),
    ),
  ]);
}
