/** Notations of sender IDs. A short code has at most six digits; names are left unchanged. */
import { digitsOf } from "./http/callback-body";

/** Numbers with `+`, short codes without. */
export const senderWithPlus = (from: string): string => (/^\d{7,}$/.test(from) ? `+${from}` : from);

/** Numbers without `+`. */
export const senderWithoutPlus = (from: string): string => (/^\+?\d+$/.test(from) ? digitsOf(from) : from);
