/** Receipts with our reference whose id was another message's until now. */
import type { Tx } from "../../core/db";
import { lockMessages } from "../transitions";
import { findAttempts, type MatchedReceipt, matchedReceipt } from "./match-attempts";
import { isPartReporter, registerParts } from "./parts";
import { findHolders, shareIds } from "./shared-ids";

/**
 * Has messages share the ids that receipts with a reference give out again: from now on neither has its id alone. Locks all that are
 * about to be moved as well, since locks are taken in the order of the messages' ids.
 * @returns the receipts as they are matched from then on: one whose id was a finished message's has it as a new one, and without those of
 *   which nobody can say any more whom they are about.
 */
export async function shareReferred(tx: Tx, receipts: readonly MatchedReceipt[]): Promise<MatchedReceipt[]> {
  const taken = new Map(
    receipts
      .filter(({ provider, isReused }) => isReused && isPartReporter(provider))
      .map(({ id, provider, messageId, seq, report }) => [
        id,
        { attempt: { provider, seq, message: { id: messageId } }, providerMessageIds: [report.providerMessageId] },
      ]),
  );
  if (taken.size === 0) return [...receipts];
  const all = [...taken.values()];
  const ids = [...receipts, ...(await findHolders(tx, all))].map(({ messageId }) => messageId);
  await lockMessages(tx, ids);
  const shared = await shareIds(tx, all);
  const parts = all.flatMap((own) => {
    const sharedIds = shared.get(own.attempt);
    return sharedIds ? [{ isInParts: false, sharedIds, ...own }] : [];
  });
  await registerParts(tx, parts);
  const attempts = await findAttempts(tx, receipts);
  return receipts.flatMap((receipt) => {
    const own = taken.get(receipt.id);
    if (!own) {
      const attempt = attempts.get(receipt.id);
      return attempt ? [matchedReceipt(receipt, attempt)] : [];
    }
    return shared.has(own.attempt) ? [receipt] : [{ ...receipt, partId: null, isByReference: true, isReused: false }];
  });
}
