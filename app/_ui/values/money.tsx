import { currentLocale } from "@/app/_texts/language";

/** Amounts are shown with the decimals of the currency, or with those of message prices. */
const CENTS_DIGITS = 2;
const PRICE_DIGITS = 4;
/** Money is kept in micro-units, so six digits show any amount exactly; only amounts below a cent need them. */
const EXACT_DIGITS = 6;
const CENT = 0.01;

/** The decimals that an amount needs: two for whole cents, otherwise four, and six for what four would round away. */
function digitsOf(amount: number): number {
  const size = Math.abs(amount);
  if (Number(size.toFixed(CENTS_DIGITS)) === Number(size.toFixed(EXACT_DIGITS))) return CENTS_DIGITS;
  const isExact = Number(size.toFixed(PRICE_DIGITS)) === Number(size.toFixed(EXACT_DIGITS));
  return isExact || size >= CENT ? PRICE_DIGITS : EXACT_DIGITS;
}

/** 0.0075, "USD" -> "$0.0075"; 12, "USD" -> "$12.00"; 106.426, "USD" -> "$106.4260". `digits` for a column that aligns. */
export function formatMoney(amount: number, currency: string, digits = digitsOf(amount)): string {
  const locale = currentLocale();
  const key = `${locale} ${currency} ${digits}`;
  const known = formats.get(key) ?? formatOf(locale, currency, digits);
  formats.set(key, known);
  return known.format(amount);
}

const formatOf = (locale: string, currency: string, digits: number) =>
  new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });

/** Formats are kept: making one costs a hundred times as much as using it, and a list has one per row. */
const formats = new Map<string, Intl.NumberFormat>();

/** The number of decimals for all `amounts`, so that the decimal points of a column align. */
export const fractionDigits = (amounts: readonly number[]): number => Math.max(CENTS_DIGITS, ...amounts.map(digitsOf));

/** The decimals that show every price of a column exactly, so that the decimal points align. */
export const exactDigits = (prices: readonly number[]): number =>
  [CENTS_DIGITS, PRICE_DIGITS].find((digits) =>
    prices.every((price) => Number(price.toFixed(digits)) === Number(price.toFixed(EXACT_DIGITS))),
  ) ?? EXACT_DIGITS;

const MICROS = 1_000_000;

/** The sum of decimal amounts, computed in whole micro-units: 0.3 - 0.1 is 0.19999999999999998 in floating point. */
export const sumOfMoney = (amounts: readonly number[]): number =>
  amounts.reduce((sum, amount) => sum + Math.round(amount * MICROS), 0) / MICROS;

/** An amount in units of `currency`. */
export function Money({ amount, currency, digits }: { amount: number; currency: string; digits?: number }) {
  return <span className="tabular nowrap">{formatMoney(amount, currency, digits)}</span>;
}
