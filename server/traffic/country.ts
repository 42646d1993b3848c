/** Countries of many numbers at little cost: to parse a number takes some 130 µs, longer than to accept its message. */
import { getCountryCallingCode, isSupportedCountry } from "libphonenumber-js/max";
import { countriesSharing } from "../messages/accept/country-rules";
import { countryOf } from "../messages/accept/fraud-rules";
import { NUMBER_PART_PATTERN } from "../messages/phone";

/** Digits after it name the country: an area code. */
const NORTH_AMERICAN = "+1";
const NORTH_AMERICAN_PREFIX = 5;
/** Characters of a number that name its country, apart from a few islands. */
export const PREFIX_LENGTH = 8;

/**
 * Makes a look-up of countries, ISO 3166-1 alpha-2; empty: the number has none (satellite phones, international services), or it is
 * not known.
 * @param knownMax prefixes that are remembered.
 */
export function openCountries(knownMax = 20_000) {
  const byPrefix = new Map<string, string>();

  const prefixOf = (number: string): string =>
    number.slice(0, number.startsWith(NORTH_AMERICAN) ? NORTH_AMERICAN_PREFIX : PREFIX_LENGTH);

  return {
    /** The country, where the calling code or a number before says it; undefined: {@link find} has to parse the number. */
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

/** The beginning of a country's numbers, by which lists of messages can be filtered; null: there is none, or it is too short. */
export function numberPrefixOf(country: string): string | null {
  if (!isSupportedCountry(country)) return null;
  const prefix = `+${getCountryCallingCode(country)}`;
  return NUMBER_PART_PATTERN.test(prefix) ? prefix : null;
}
