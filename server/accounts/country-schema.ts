/** Country codes in requests. */
import { getCountries } from "libphonenumber-js";
import { z } from "zod";

const COUNTRIES: ReadonlySet<string> = new Set(getCountries());

/** ISO 3166-1 alpha-2 codes of countries that have phone numbers. */
export const CountryCodes = z
  .array(
    z
      .string()
      .trim()
      .toUpperCase()
      .refine((code) => COUNTRIES.has(code), "is not a country code such as DE"),
  )
  .max(COUNTRIES.size);
