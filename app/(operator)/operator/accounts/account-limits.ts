import { accountWordsTexts } from "@/app/_texts/operator/account-words";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import { formatMoney } from "@/app/_ui/values/money";
import type { OperatedAccount } from "@/server/operator/schema";

const COUNTRIES_NAMED_MAX = 3;

/** The limits that the operator has set for an account, one short text each; those of the installation are left out. */
export function limitsOf(account: OperatedAccount): string[] {
  const texts = accountWordsTexts.limits;
  const {
    allowed_countries: countries,
    flood_identical: identical,
    flood_total: total,
    daily_spend_cap: cap,
  } = account;
  return [
    countries.length > COUNTRIES_NAMED_MAX ? texts.countries(countries.length) : countries.join(", "),
    identical === null ? "" : identical === 0 ? texts.identicalTextsUnlimited : texts.identicalTexts(identical),
    total === null ? "" : total === 0 ? texts.messagesUnlimited : texts.messages(total),
    cap === null ? "" : texts.spending(formatMoney(cap, account.currency)),
  ].filter(Boolean);
}

/** The limits, the quiet hours and the retention of texts that the owners have set for their account, one short text each. */
export function ownLimitsOf(account: OperatedAccount): string[] {
  const texts = accountWordsTexts.limits;
  const { sending_limits: limits, quiet_hours: quiet, text_retention_days: days, currency } = account;
  const { countries: rule, daily_spend_cap: cap } = limits;
  const listed = rule?.countries ?? [];
  const countries =
    listed.length > COUNTRIES_NAMED_MAX ? texts.countries(listed.length) : listed.map(countryNameOrCode).join(", ");
  return [
    rule === null ? "" : rule.rule === "only" ? texts.only(countries) : texts.allBut(countries),
    cap === null ? "" : texts.spending(formatMoney(cap, currency)),
    quiet === null ? "" : texts.quietHours(quiet.starts_at, quiet.ends_at),
    days === null ? "" : texts.textsKept(days),
  ].filter(Boolean);
}
