import { recordAudit } from "../audit/store";
import { keepAuthority } from "../auth/authority";
import type { SessionActor } from "../core/actor";
import { transaction } from "../core/db";
import { notFound } from "../core/errors";
import { minuteOf, presentQuietHours } from "./present";
import type { Account, QuietHours, QuietHoursInput } from "./schema";
import { getAccount } from "./service";
import { lockAdmission } from "./store";

const auditOf = (hours: QuietHours | null) => ({
  quiet_hours: hours && `${hours.starts_at} to ${hours.ends_at}`,
});

/**
 * Sets the quiet hours of an account, or switches them off (null). They apply to messages accepted from now
 * on; already accepted messages keep their send time. In test mode they are those of the twin.
 * @throws 404 when the account is gone.
 */
export async function setQuietHours(actor: SessionActor, { quiet_hours: hours }: QuietHoursInput): Promise<Account> {
  const { accountId } = actor;
  await transaction(async (tx) => {
    const [accounts] = await Promise.all([lockAdmission(tx, [accountId]), keepAuthority(tx, actor)]);
    const account = accounts.get(accountId);
    if (!account) throw notFound("There is no such account.");
    await tx.query("UPDATE accounts SET quiet_starts_minute = $2, quiet_ends_minute = $3 WHERE id = $1", [
      accountId,
      hours && minuteOf(hours.starts_at),
      hours && minuteOf(hours.ends_at),
    ]);
    const [before, after] = [auditOf(presentQuietHours(account)), auditOf(hours)];
    if (before.quiet_hours === after.quiet_hours) return;
    await recordAudit(tx, actor, {
      action: "account.quiet_hours_set",
      accountId,
      subjectId: accountId,
      before,
      after,
    });
  });
  return getAccount(actor);
}
