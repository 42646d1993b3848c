/** Tokens with which a person may choose another password, once and within an hour. */
import type { Tx } from "../../core/db";
import { lockPersons } from "../lock-persons";
import { hashLinkToken } from "./link-token";

export const LINK_VALID_S = 60 * 60;

/** Links become invalid when the password is changed in another way. */
export const dropLinks = (tx: Tx, userId: string) =>
  tx.query("DELETE FROM password_resets WHERE user_id = $1", [userId]);

/** Makes a token valid; the person's earlier ones become invalid. */
export async function issueLink(tx: Tx, userId: string, token: string): Promise<void> {
  // Of two links made at once, and of a link and another password, the later one ends the earlier one.
  await lockPersons(tx, userId);
  await dropLinks(tx, userId);
  await tx.query(
    `INSERT INTO password_resets (token_hash, user_id, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))`,
    [hashLinkToken(token), userId, LINK_VALID_S],
  );
}
