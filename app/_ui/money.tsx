const FRACTION_DIGITS_MIN = 2;
/** Money is kept in micro-units, so six digits show any amount exactly. */
const FRACTION_DIGITS_MAX = 6;

/** 0.0075, "USD" -> "$0.0075"; 12, "USD" -> "$12.00". Exact, with at least `digits` decimals. */
export function formatMoney(amount: number, currency: string, digits = FRACTION_DIGITS_MIN): string {
  return new Intl.NumberFormat("en-US", {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: FRACTION_DIGITS_MAX,
  }).format(amount);
}

/** The number of decimals that shows all `amounts` exactly, so that the decimal points of a column align. */
export const fractionDigits = (amounts: readonly number[]): number =>
  amounts.reduce((most, amount) => {
    const [, fraction = ""] = amount
      .toFixed(FRACTION_DIGITS_MAX)
      .replace(/(?<!0)0+$/, "")
      .split(".");
    return Math.max(most, fraction.length);
  }, FRACTION_DIGITS_MIN);

/** An amount in units of `currency`. */
export function Money({ amount, currency, digits }: { amount: number; currency: string; digits?: number }) {
  return <span className="tabular nowrap">{formatMoney(amount, currency, digits)}</span>;
}
