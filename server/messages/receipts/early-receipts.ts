/**
 * Receipts without our reference that arrive before the response to their own send, under an id that an older message still has:
 * a message centre has restarted its numbering, or its counter is small.
 */
import type { Tx } from "../../core/db";
import { isBegun } from "../attempts-so-far";
import { isRecipient } from "../phone";

/**
 * A receipt whose id belongs to a message that went to another number than the receipt comes from. `isVerified`: it comes from
 * the message centre; anybody could have sent any other, so it must not take an id away from a message.
 */
type Strange = { id: string; provider: string; number: string; isVerified: boolean };

type UnderWay = { provider: string; to: string; messageId: string; seq: number };

/** Digits at the end of a number that are the same in every notation. */
const ENDING = 7;

/** Whether a receipt from `number` may belong to another message than one to `holderTo`. */
export const isStrange = (number: string, holderTo: string): boolean =>
  number.length >= ENDING && !isRecipient(holderTo, number);

/**
 * Finds the attempts that the receipts belong to instead: for each receipt, the attempt under way at its provider to the number
 * that it comes from. If a message centre reports from its own numbers there is no such attempt, and the id decides.
 * @returns attempts by receipt id; null: several attempts are possible, or the receipt is not verified, so it has to wait for a
 *   response with its id.
 */
export async function findUnderWay(tx: Tx, strange: readonly Strange[]): Promise<Map<string, UnderWay | null>> {
  if (strange.length === 0) return new Map();
  const { rows } = await tx.query<UnderWay>({
    name: "receipts.under_way",
    // OFFSET 0: messages are looked up by attempt, whatever the statistics say.
    text: `SELECT a.provider, m.to_number AS "to", a.message_id AS "messageId", a.seq FROM message_attempts a
           CROSS JOIN LATERAL (SELECT r.to_number FROM messages r WHERE r.id = a.message_id OFFSET 0) m
           WHERE a.outcome IS NULL AND ${isBegun("a")} AND a.provider = ANY($1::text[]) AND right(m.to_number, $3) = ANY($2::text[])`,
    values: [
      [...new Set(strange.map(({ provider }) => provider))],
      [...new Set(strange.map(({ number }) => number.slice(-ENDING)))],
      ENDING,
    ],
  });
  const found = new Map<string, UnderWay | null>();
  for (const { id, provider, number, isVerified } of strange) {
    const [only, ...others] = rows.filter((row) => row.provider === provider && isRecipient(row.to, number));
    if (only) found.set(id, isVerified && others.length === 0 ? only : null);
  }
  return found;
}
