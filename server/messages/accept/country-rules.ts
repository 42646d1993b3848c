/** Countries that an account may send to: the operator's list, and within it the rule of the account's owners. */

import { getCountries, getCountryCallingCode } from "libphonenumber-js/max";
import type { LockedAccount } from "../../accounts/store";
import { groupBy } from "../../core/group-by";
import type { Refusal } from "../failure";
import { countryOf } from "./fraud-rules";

/** The countries that limit an account; see `LockedAccount`. */
export type CountryLimits = Readonly<Pick<LockedAccount, "allowedCountries" | "ownCountryRule" | "ownCountries">>;

const CALLING_CODE_MAX = 3;

const BY_CALLING_CODE: ReadonlyMap<string, readonly string[]> = groupBy(getCountries(), (country) =>
  String(getCountryCallingCode(country)),
);

/** The countries whose calling code an E.164 number begins with; none: it is no country's. No code is the beginning of another. */
export function countriesSharing(e164: string): readonly string[] {
  for (let length = 1; length <= CALLING_CODE_MAX; length += 1) {
    const countries = BY_CALLING_CODE.get(e164.slice(1, 1 + length));
    if (countries) return countries;
  }
  return [];
}

const operatorAllows = ({ allowedCountries }: CountryLimits, country: string | null): boolean =>
  allowedCountries.length === 0 || (country !== null && allowedCountries.includes(country));

/** A number of no known country is in no list: "only" refuses it, and "except" does not. */
function ownersAllow({ ownCountryRule, ownCountries }: CountryLimits, country: string | null): boolean {
  if (ownCountryRule === null) return true;
  const isListed = country !== null && (ownCountries ?? []).includes(country);
  return ownCountryRule === "except" ? !isListed : isListed;
}

/**
 * Refuses a number outside the countries that both the operator and the owners allow; null: the account may send to it. Parsing a
 * number takes longer than accepting its message, so it is parsed only where countries that the rules treat differently share its
 * calling code.
 */
export function countryRefusal(limits: CountryLimits, to: string): Refusal | null {
  if (limits.allowedCountries.length === 0 && limits.ownCountryRule === null) return null;
  const allows = (country: string | null) => operatorAllows(limits, country) && ownersAllow(limits, country);
  const sharing = countriesSharing(to);
  if (sharing.length > 1 && allows(null) && sharing.every(allows)) return null;
  const country = sharing.length > 1 ? countryOf(to) : (sharing[0] ?? null);
  if (allows(country)) return null;
  const place = country === null ? "a number of no known country" : `numbers of the country ${country}`;
  const message = operatorAllows(limits, country)
    ? `The owners of this account do not let it send to ${place}. An owner can change this in the console: Settings, Sending.`
    : `The operator does not let this account send to ${place}. Ask the operator to allow it.`;
  return { code: "country_not_allowed", message };
}
