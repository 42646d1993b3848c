import { perLocale } from "@/app/_texts/language";

const percent = perLocale((locale) => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 }));

/** Half of the last decimal: less would be rounded to zero. */
const LEAST = 0.0005;

/** `part` of `whole` in percent; a dash when `whole` is 0. A part above zero is never shown as 0%. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = part / whole;
  return share > 0 && share < LEAST ? `<${percent().format(2 * LEAST)}` : percent().format(share);
}
