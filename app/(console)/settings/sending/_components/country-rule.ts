import type { Account } from "@/server/accounts/schema";
import type { SentCountries } from "@/server/overview/schema";

type CountryRule = Account["sending_limits"]["countries"];

/** The rule for countries as it is entered. */
export type EnteredRule = { rule: "all" | "only" | "except"; countries: string[] };

/** A stored rule as it is entered. */
export const enteredOf = (stored: CountryRule): EnteredRule => stored ?? { rule: "all", countries: [] };

/** An entered rule as it is stored. */
export const ruleOf = ({ rule, countries }: EnteredRule): CountryRule =>
  rule === "all" ? null : { rule, countries: [...countries].sort() };

/** The rule that sends to no numbers of a country, and otherwise to where this one does. */
export function without({ rule, countries }: EnteredRule, country: string): EnteredRule {
  if (rule === "only") return { rule, countries: countries.filter((code) => code !== country) };
  return { rule: "except", countries: [...new Set([...countries, country])].sort() };
}

/** Countries that an account has sent to lately, apart from those with unusual traffic, and apart from `removed`. */
export const usualCountries = (sent: SentCountries, removed: string | null): string[] =>
  sent
    .flatMap(({ country, is_unusual }) => (country === null || is_unusual || country === removed ? [] : [country]))
    .sort();
