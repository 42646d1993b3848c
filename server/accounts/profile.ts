import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import type { SessionActor } from "../core/actor";
import { prisma } from "../core/db";
import { notFound } from "../core/errors";
import { presentAccount } from "./present";
import type { Account, ProfileInput } from "./schema";

type Profile = { name: string; company_name: string; country: string };

/** Changes the account's own description: its name, company name and country. @throws 404 when it is gone. */
export async function updateProfile(actor: SessionActor, input: ProfileInput): Promise<Account> {
  const { accountId } = actor;
  await transactionBy(actor, async (tx) => {
    const { rows } = await tx.query<Profile>(
      "SELECT name, company_name, country FROM accounts WHERE id = $1 FOR NO KEY UPDATE",
      [accountId],
    );
    const [before] = rows;
    if (!before) throw notFound("There is no such account.");
    const after: Profile = { ...before, ...input };
    await tx.query("UPDATE accounts SET name = $2, company_name = $3, country = $4 WHERE id = $1", [
      accountId,
      after.name,
      after.company_name,
      after.country,
    ]);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await recordAudit(tx, actor, { action: "account.updated", accountId, subjectId: accountId, before, after });
  });
  const row = await prisma().account.findUnique({ where: { id: accountId } });
  if (!row) throw notFound("There is no such account.");
  return presentAccount(row);
}
