import { accountWordsTexts } from "@/app/_texts/operator/account-words";
import { formatMoney } from "@/app/_ui/values/money";
import type { OperatedAccount } from "@/server/operator/schema";

const COUNTRIES_NAMED_MAX = 3;

/** The limits of an account other than its balance, one short text each; those of the installation are left out. */
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
