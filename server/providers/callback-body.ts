import type { Callback } from "./port";

/** Form fields of a callback's body, decoded, in the order in which they came. */
export const formOf = (callback: Callback): URLSearchParams => new URLSearchParams(callback.body.toString("utf8"));

/** Query of a callback's URL, decoded. */
export const queryOf = (callback: Callback): URLSearchParams => new URL(callback.url).searchParams;

/** Our reference to the attempt, from the query of the receipt URL. */
export const referenceOf = (callback: Callback): string | null => queryOf(callback).get("ref");

/** JSON of a callback's body. @throws SyntaxError */
export const jsonOf = (callback: Callback): unknown => JSON.parse(callback.body.toString("utf8"));

/** The digits of a number, however it was written: providers echo it with and without `+`. */
export const digitsOf = (number: string): string => number.replace(/\D/g, "");
