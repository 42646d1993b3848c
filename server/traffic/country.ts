/** Countries of many numbers at little cost: to parse a number takes some 130 µs, longer than to accept its message. */
import { getCountries, getCountryCallingCode, isSupportedCountry } from "libphonenumber-js/max";
import { countryOf } from "../messages/accept/fraud-rules";
import { NUMBER_PART_PATTERN } from "../messages/phone";

const CALLING_CODE_MAX = 3;
/** Digits after `+1` that name the country: an area code. */
const NORTH_AMERICAN = "1";
const NORTH_AMERICAN_PREFIX = 5;
/** Characters of a number that name its country, apart from a few islands. */
export const PREFIX_LENGTH = 8;

function countriesByCallingCode(): Map<string, string[]> {
  const byCode = new Map<string, string[]>();
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country);
    byCode.set(code, [...(byCode.get(code) ?? []), country]);
  }
  return byCode;
}

/**
 * Makes a look-up of countries, ISO 3166-1 alpha-2; empty: the number has none (satellite phones, international services), or it is
 * not known.
 * @param knownMax prefixes that are remembered.
 */
export function openCountries(knownMax = 20_000) {
  const byCode = countriesByCallingCode();
  const byPrefix = new Map<string, string>();

  /** The calling code of an E.164 number; empty: no country has it. No code is the beginning of another. */
  const codeOf = (number: string): string => {
    for (let length = 1; length <= CALLING_CODE_MAX; length += 1) {
      const code = number.slice(1, 1 + length);
      if (byCode.has(code)) return code;
    }
    return "";
  };
  const prefixOf = (number: string): string =>
    number.slice(0, codeOf(number) === NORTH_AMERICAN ? NORTH_AMERICAN_PREFIX : PREFIX_LENGTH);

  return {
    /** The country, where the calling code or a number before says it; undefined: {@link find} has to parse the number. */
    known(number: string): string | undefined {
      const countries = byCode.get(codeOf(number)) ?? [];
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
