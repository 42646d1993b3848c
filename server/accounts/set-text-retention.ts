import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import type { SessionActor } from "../core/actor";
import { notFound } from "../core/errors";
import { holdTexts } from "../retention/texts-round";
import type { Account, TextRetentionInput } from "./schema";
import { getAccount } from "./service";

/**
 * Sets for how many days the texts of an account's messages are kept after these have ended; null: as long as the installation
 * keeps them. The hourly job `forget_old_data` deletes the older ones (retention/texts-of-accounts.ts), by the new setting from now on.
 * In test mode the setting is the twin's.
 * @throws 404 when the account is gone.
 */
export async function setTextRetention(actor: SessionActor, asked: TextRetentionInput): Promise<Account> {
  const { accountId } = actor;
  await transactionBy(actor, async (tx) => {
    // Before the account, for whose row sends would wait as well.
    await holdTexts(tx, accountId);
    const { rows } = await tx.query<{ before: number | null }>(
      'SELECT text_retention_days AS "before" FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
      [accountId],
    );
    if (!rows[0]) throw notFound("There is no such account.");
    const { before } = rows[0];
    if (before === asked.text_retention_days) return;
    await tx.query("UPDATE accounts SET text_retention_days = $2 WHERE id = $1", [
      accountId,
      asked.text_retention_days,
    ]);
    await recordAudit(tx, actor, {
      action: "account.text_retention_set",
      accountId,
      subjectId: accountId,
      before: { text_retention_days: before },
      after: asked,
    });
  });
  return getAccount(actor);
}
