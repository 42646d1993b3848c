import { RECEIPT_PREFIX } from "../providers/receipt-url";
import { withoutSecrets } from "../request-log/mask";

/** One of our ids; its digits are not a phone number. */
const ID = /^[a-z]{3}_[0-9a-z]{20,}$/;
/** A segment with this many digits may be a phone number, however it is written. */
const DIGITS_MIN = 7;

const digitsIn = (segment: string): number => segment.replace(/%[0-9a-f]{2}/gi, "").replace(/\D/g, "").length;

/**
 * Makes a request's target, or its path, safe to log: queries hold phone numbers and tokens, the path of a receipt ends with a
 * secret, and a caller may put a phone number or a key where an id belongs.
 */
export function loggedPath(target: string): string {
  const [path = ""] = target.split("?", 1);
  if (path.startsWith(`${RECEIPT_PREFIX}/`)) return path.split("/").slice(0, 4).join("/");
  return withoutSecrets(path)
    .split("/")
    .map((segment) => (ID.test(segment) || digitsIn(segment) < DIGITS_MIN ? segment : "(number)"))
    .join("/");
}
