/** Delivers messages whose parts were all reported before the response said how many there are. */
import { now } from "../../core/clock";
import type { Tx } from "../../core/db";
import { applyChanges, lockMessages } from "../transitions";
import { findDelivered, type TakenIds } from "./parts";

/**
 * Marks the sent ones of these messages as delivered if all their parts are. Their receipts came when more parts were expected
 * than the provider had made, and none will follow. The messages must be locked, and their parts stored.
 */
export async function deliverReported(tx: Tx, taken: readonly TakenIds[]): Promise<void> {
  if (taken.length === 0) return;
  const ids = taken.map(({ attempt }) => attempt.message.id);
  // Read again: a receipt that was parked may have moved them.
  const [messages, delivered] = await Promise.all([lockMessages(tx, ids), findDelivered(tx, taken)]);
  const at = now();
  await applyChanges(
    tx,
    [...messages.values()]
      .filter(({ id }) => delivered.has(id))
      .map((message) => ({ message, attempts: 0, steps: [{ to: "delivered", at }] })),
  );
}
