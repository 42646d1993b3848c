import { formatMoney } from "@/app/_ui/values/money";
import type { OperatedAccount } from "@/server/operator/schema";

const COUNTRIES_NAMED_MAX = 3;

const perHour = (limit: number, label: string) => (limit === 0 ? `${label}: no limit` : `${label}: ${limit} per hour`);

/** The limits of an account other than its balance, one short text each; those of the installation are left out. */
export function limitsOf(account: OperatedAccount): string[] {
  const {
    allowed_countries: countries,
    flood_identical: identical,
    flood_total: total,
    daily_spend_cap: cap,
  } = account;
  return [
    countries.length > COUNTRIES_NAMED_MAX ? `${countries.length} countries` : countries.join(", "),
    identical === null ? "" : perHour(identical, "Identical texts"),
    total === null ? "" : perHour(total, "Messages"),
    cap === null ? "" : `${formatMoney(cap, account.currency)} per day`,
  ].filter(Boolean);
}
