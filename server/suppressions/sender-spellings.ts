/** Which sender IDs a number that a provider names as addressed may stand for. */
import { digitsOf, e164Of } from "../messages/phone";
import { senderTypeOf } from "../senders/sender-type";

/**
 * The spellings under which a sender may be registered that is meant by `to`: of a number that can be dialled both with
 * and without its `+`, since only its digits count; of a short code or a name the one as it stands.
 */
export function spellingsOf(to: string): string[] {
  const text = to.trim();
  if (senderTypeOf(text) === "short_code") return [text];
  const number = e164Of(text);
  return number === null ? [text] : [number, digitsOf(number)];
}
