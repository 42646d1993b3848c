/** Senders as providers want them written. A short code has at most six digits; names stay as they are. */
import { digitsOf } from "./http/callback-body";

/** A number with `+`, a short code without. */
export const senderWithPlus = (from: string): string => (/^\d{7,}$/.test(from) ? `+${from}` : from);

/** Numbers without `+`. */
export const senderWithoutPlus = (from: string): string => (/^\+?\d+$/.test(from) ? digitsOf(from) : from);
