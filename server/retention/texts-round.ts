/** The round that deletes the texts of one account by age. */
import type { Tx } from "../core/db";
import { lockRound } from "./rounds";

/** Its name; of an empty id, the beginning of all such names. */
export const textsRoundOf = (accountId: string): string => `texts ${accountId}`;

/**
 * Keeps texts of the account from being deleted until `tx` ends, and waits for a step under way: the next one finds what `tx` has
 * set.
 */
export const holdTexts = (tx: Tx, accountId: string): Promise<unknown> => lockRound(tx, textsRoundOf(accountId));
