/** Receipts with our reference whose id is another message's too, or was until now. */
import type { Tx } from "../../core/db";
import { isFinal } from "../status";
import { lockMessages } from "../transitions";
import { findAttempts, type MatchedReceipt, matchedReceipt } from "./match-attempts";
import { isPartReporter, ownPartId, registerParts, type TakenIds } from "./parts";
import { lockIds, refuseMovedIds, shareIds } from "./shared-ids";

const takenBy = ({ provider, messageId, seq, report }: MatchedReceipt): TakenIds => ({
  attempt: { provider, seq, message: { id: messageId } },
  providerMessageIds: [report.providerMessageId],
});

/** Receipts of providers that may count anew, with an id that their references make known. */
const withNewIds = (receipts: readonly MatchedReceipt[]): MatchedReceipt[] =>
  receipts.filter(({ provider, isByReference }) => isByReference && isPartReporter(provider));

/** Whether a receipt's reference gives out an id that another message has. */
const givesAgain = ({ provider, isReused }: MatchedReceipt): boolean => isReused && isPartReporter(provider);

/** Receipts whose references give one new id to several messages. */
function ofSeveral(receipts: readonly MatchedReceipt[]): MatchedReceipt[] {
  const messages = new Map<string, Set<string>>();
  const keyOf = ({ provider, report }: MatchedReceipt) => `${provider} ${report.providerMessageId}`;
  const own = withNewIds(receipts);
  for (const receipt of own) {
    const key = keyOf(receipt);
    messages.set(key, (messages.get(key) ?? new Set()).add(receipt.messageId));
  }
  return own.filter((receipt) => (messages.get(keyOf(receipt))?.size ?? 0) > 1);
}

/**
 * Has messages share the ids that receipts with a reference give out again: from now on neither has its id alone. Locks all that are
 * about to be moved as well, since locks are taken in the order of the messages' ids.
 * @param isAgain what is found out under the locks was looked at before.
 * @returns the receipts as they are matched from then on: one whose id was a finished message's has it as a new one, and without those of
 *   which nobody can say any more whom they are about.
 */
export async function shareReferred(
  tx: Tx,
  receipts: readonly MatchedReceipt[],
  { isAgain } = { isAgain: false },
): Promise<MatchedReceipt[]> {
  const taken = new Map(
    [...receipts.filter(givesAgain), ...ofSeveral(receipts)].map((receipt) => [receipt.id, takenBy(receipt)]),
  );
  if (taken.size === 0) return [...receipts];
  const all = [...taken.values()];
  const known = new Set([...receipts.map(({ messageId }) => messageId), ...(await lockIds(tx, all))]);
  const locked = await lockMessages(tx, known);
  // One that has ended needs its id no more: a late or repeated receipt takes it from nobody.
  const hasEnded = ({ attempt }: TakenIds) => isFinal(locked.get(attempt.message.id)?.status ?? "failed");
  const open = all.filter((own) => !hasEnded(own));
  const shared = await shareIds(tx, open);
  const parts = open.flatMap((own) => {
    const sharedIds = shared.get(own.attempt);
    return sharedIds ? [{ isInParts: false, sharedIds, ...own }] : [];
  });
  await registerParts(tx, parts);
  const [, attempts] = await Promise.all([refuseMovedIds(tx, open, known), findAttempts(tx, receipts)]);
  const meant = receipts.flatMap((receipt) => {
    const own = taken.get(receipt.id);
    if (!own) {
      const attempt = attempts.get(receipt.id);
      return attempt ? [matchedReceipt(receipt, attempt)] : [];
    }
    return [{ ...receipt, ...(hasEnded(own) || shared.has(own.attempt) ? ofSharedId(receipt) : OF_NEW_ID) }];
  });
  // Another's id may be one that is given out again by now.
  const isNews = meant.some((receipt) => givesAgain(receipt) && !taken.has(receipt.id));
  return isNews && !isAgain ? shareReferred(tx, meant, { isAgain: true }) : meant;
}

const OF_NEW_ID = { partId: null, isByReference: true, isReused: false } as const;

const ofSharedId = ({ messageId, report }: MatchedReceipt) => ({
  partId: ownPartId(report.providerMessageId, messageId),
  isByReference: false,
  isReused: true,
});

/**
 * Has the transaction run again when an id that a receipt's reference made known came to another message meanwhile: nothing was stored
 * under it, or the other one's receipts would be taken for those of this message. To be sent behind what they change.
 * @param receipts of messages that have not ended: for the others nothing is stored.
 */
export const refuseSharedNews = (tx: Tx, receipts: readonly MatchedReceipt[]): Promise<void> =>
  refuseMovedIds(tx, withNewIds(receipts).map(takenBy));
