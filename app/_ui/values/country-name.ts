import { perLocale } from "@/app/_texts/language";

const regions = perLocale((locale) => new Intl.DisplayNames(locale, { type: "region", fallback: "none" }));

/** `DE` -> `Germany`; null for an unknown code. */
export function countryName(code: string): string | null {
  if (!/^[A-Za-z]{2}$/.test(code)) return null;
  return regions().of(code.toUpperCase()) ?? null;
}

/** `DE` -> `Germany`; the code itself where it is unknown. */
export const countryNameOrCode = (code: string): string => countryName(code) ?? code;
