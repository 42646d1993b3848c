/** Sender IDs that the addressed number of an inbound message may match. */
import { asInternational, withoutPlus } from "../messages/phone";
import { senderTypeOf } from "../senders/sender-type";

/**
 * The spellings under which the sender `to` may be registered: a dialable number with and without its `+`, a short code
 * or name unchanged.
 */
export function spellingsOf(to: string): string[] {
  const text = to.trim();
  if (senderTypeOf(text) === "short_code") return [text];
  const number = asInternational(text);
  return number === null ? [text] : [number, withoutPlus(number)];
}

/** The addressed number as it is stored and filtered: in E.164 form if it can be dialed. */
export const addressedAs = (to: string): string => spellingsOf(to)[0] ?? to;
