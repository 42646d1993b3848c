/** Limits that the owners of an account set for it, within those of the operator. In test mode they are those of the twin. */
import type { AuditAction } from "../audit/actions";
import type { AuditValues } from "../audit/schema";
import { recordAudit } from "../audit/store";
import { keepAuthority } from "../auth/authority";
import type { SessionActor } from "../core/actor";
import { type Tx, transaction } from "../core/db";
import { notFound } from "../core/errors";
import { toMicros } from "../core/wire";
import { presentCap, presentCountries } from "./present";
import type { Account, CountriesInput, CountryRule, DailySpendCapInput } from "./schema";
import { getAccount } from "./service";
import { type LockedAccount, lockAdmission } from "./store";

/** Changes an account under its admission lock, so that every send that is accepted afterwards meets the change. @throws 404 */
async function change<Limit>(
  actor: SessionActor,
  action: AuditAction,
  after: Limit,
  {
    read,
    audited,
    write,
  }: {
    read: (account: LockedAccount) => Limit;
    audited: (limit: Limit) => AuditValues;
    write: (tx: Tx, accountId: string) => Promise<unknown>;
  },
): Promise<Account> {
  const { accountId } = actor;
  await transaction(async (tx) => {
    const [accounts] = await Promise.all([lockAdmission(tx, [accountId]), keepAuthority(tx, actor)]);
    const account = accounts.get(accountId);
    if (!account) throw notFound("There is no such account.");
    const before = read(account);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await write(tx, accountId);
    await recordAudit(tx, actor, {
      action,
      accountId,
      subjectId: accountId,
      before: audited(before),
      after: audited(after),
    });
  });
  return getAccount(actor);
}

/**
 * Sets the countries that an account sends to; null: all that the operator allows. It applies to messages accepted from now on, and to
 * scheduled ones when they are due.
 * @throws 404 when the account is gone.
 */
export async function setCountries(actor: SessionActor, { countries: asked }: CountriesInput): Promise<Account> {
  const countries = asked && { rule: asked.rule, countries: [...new Set(asked.countries)].sort() };
  return change<CountryRule | null>(actor, "account.countries_set", countries, {
    read: presentCountries,
    audited: (limit) => ({ rule: limit?.rule ?? null, countries: limit?.countries ?? [] }),
    write: (tx, accountId) =>
      tx.query("UPDATE accounts SET own_country_rule = $2, own_countries = $3 WHERE id = $1", [
        accountId,
        countries?.rule ?? null,
        countries?.countries ?? null,
      ]),
  });
}

/**
 * Sets the maximum that an account may spend in a UTC day; null: no cap but the operator's. It applies to requests from now on, and
 * to scheduled messages when they are due.
 * @throws 404 when the account is gone.
 */
export async function setDailySpendCap(
  actor: SessionActor,
  { daily_spend_cap: cap }: DailySpendCapInput,
): Promise<Account> {
  const micros = cap === null ? null : toMicros(cap);
  return change<number | null>(actor, "account.daily_spend_cap_set", presentCap(micros), {
    read: (account) => presentCap(account.ownDailySpendCapMicros),
    audited: (limit) => ({ daily_spend_cap: limit }),
    write: (tx, accountId) =>
      tx.query("UPDATE accounts SET own_daily_spend_cap_micros = $2 WHERE id = $1", [accountId, micros]),
  });
}
