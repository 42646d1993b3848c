/** Finds the countries of many numbers cheaply: parsing a number takes some 130 µs, longer than accepting its message. */
import { getCountryCallingCode, isSupportedCountry } from "libphonenumber-js/max";
import { countriesSharing } from "../messages/accept/country-rules";
import { countryOf } from "../messages/accept/fraud-rules";
import { NUMBER_PART_PATTERN } from "../messages/phone";

/** Digits after it name the country: an area code. */
const NORTH_AMERICAN = "+1";
const NORTH_AMERICAN_PREFIX = 5;
/** Leading characters of a number that identify its country, except for a few islands. */
export const PREFIX_LENGTH = 8;

/**
 * Makes a look-up of countries, ISO 3166-1 alpha-2; empty: the number has none (satellite phones, international services), or
 * it is unknown.
 * @param knownMax number of cached prefixes.
 */
export function openCountries(knownMax = 20_000) {
  const byPrefix = new Map<string, string>();

  const prefixOf = (number: string): string =>
    number.slice(0, number.startsWith(NORTH_AMERICAN) ? NORTH_AMERICAN_PREFIX : PREFIX_LENGTH);

  return {
    /**
     * The country, if the calling code or an earlier number gives it; undefined: {@link find} has to parse the number.
     */
    known(number: string): string | undefined {
      const countries = countriesSharing(number);
      return countries.length > 1 ? byPrefix.get(prefixOf(number)) : (countries[0] ?? "");
    },

    /** Parses the number. The country counts for all numbers of its prefix. */
    find(number: string): string {
      const country = countryOf(number);
      if (country === null) return "";
      if (byPrefix.size >= knownMax) byPrefix.clear();
      byPrefix.set(prefixOf(number), country);
      return country;
    },
  };
}

/**
 * The prefix of a country's numbers, by which lists of messages can be filtered; null: there is none, or it is too short.
 */
export function numberPrefixOf(country: string): string | null {
  if (!isSupportedCountry(country)) return null;
  const prefix = `+${getCountryCallingCode(country)}`;
  return NUMBER_PART_PATTERN.test(prefix) ? prefix : null;
}
