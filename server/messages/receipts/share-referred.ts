/** Receipts with our reference whose id another message has too, or had until now. */
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

/** Receipts of providers that may reuse ids, with an id that their references make known. */
const withNewIds = (receipts: readonly MatchedReceipt[]): MatchedReceipt[] =>
  receipts.filter(({ provider, isByReference }) => isByReference && isPartReporter(provider));

/** Whether a receipt's reference assigns it an id that another message has. */
const givesAgain = ({ provider, isReused }: MatchedReceipt): boolean => isReused && isPartReporter(provider);

/** Receipts whose references assign one new id to several messages. */
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
 * Makes messages share the ids that receipts with a reference assign again: from now on none of them has its id alone. Also locks
 * all messages that are about to be moved, since locks are taken in the order of the messages' ids.
 * @param isAgain whether this is the second pass, for ids that turned out to be reused only under the locks.
 * @returns the receipts as they are matched from then on: an id that a finished message had counts as new. Receipts that can no
 *   longer be assigned to a message are left out.
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
  // A message that has ended no longer needs its id, so a late or repeated receipt for it does not take the id back.
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
  // Meanwhile another receipt's id may have been assigned again.
  const hasNewReuse = meant.some((receipt) => givesAgain(receipt) && !taken.has(receipt.id));
  return hasNewReuse && !isAgain ? shareReferred(tx, meant, { isAgain: true }) : meant;
}

const OF_NEW_ID = { partId: null, isByReference: true, isReused: false } as const;

const ofSharedId = ({ messageId, report }: MatchedReceipt) => ({
  partId: ownPartId(report.providerMessageId, messageId),
  isByReference: false,
  isReused: true,
});

/**
 * Makes the transaction run again when another message meanwhile got an id that a receipt's reference made known: nothing was
 * stored under it, or the other message's receipts would be taken for those of this one. To be sent after the statements that
 * change them.
 * @param receipts of messages that have not ended; nothing is stored for the others.
 */
export const refuseSharedNews = (tx: Tx, receipts: readonly MatchedReceipt[]): Promise<void> =>
  refuseMovedIds(tx, withNewIds(receipts).map(takenBy));
