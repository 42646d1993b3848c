/** What type of sender ID a text is. */
import { senderKind } from "../messages/phone";
import type { SENDER_TYPES } from "./schema";

type SenderType = (typeof SENDER_TYPES)[number];

/** Networks give out short codes of up to this many digits; anything longer is a number that can be dialled. */
const SHORT_CODE_MAX_DIGITS = 6;

/**
 * The type that a sender ID's form tells: `alphanumeric` for a name, `short_code` for up to six bare digits,
 * `long_code` for more digits or a leading `+`; null when it is no sender ID at all.
 */
export function senderTypeOf(senderId: string): Exclude<SenderType, "numeric"> | null {
  const kind = senderKind(senderId);
  if (kind !== "numeric") return kind;
  return !senderId.startsWith("+") && senderId.length <= SHORT_CODE_MAX_DIGITS ? "short_code" : "long_code";
}

/** Whether a type that was given agrees with the one that the form tells. `numeric` is any number. */
export function agreesWithForm(given: SenderType, told: Exclude<SenderType, "numeric">): boolean {
  return given === told || (given === "numeric" && told !== "alphanumeric");
}
