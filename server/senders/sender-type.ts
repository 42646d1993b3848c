/** Types of sender IDs. */
import { senderKind } from "../messages/phone";
import type { SENDER_TYPES } from "./schema";

type SenderType = (typeof SENDER_TYPES)[number];

/** Maximum length of a short code; longer numbers can be dialed. */
const SHORT_CODE_MAX_DIGITS = 6;

/**
 * The type of a sender ID by its form: `alphanumeric` for a name, `short_code` for up to six bare digits, `long_code` for
 * more digits or a leading `+`; null when it is not a valid sender ID.
 */
export function senderTypeOf(senderId: string): Exclude<SenderType, "numeric"> | null {
  const kind = senderKind(senderId);
  if (kind !== "numeric") return kind;
  return !senderId.startsWith("+") && senderId.length <= SHORT_CODE_MAX_DIGITS ? "short_code" : "long_code";
}

/** Whether a given type agrees with the type by form. `numeric` agrees with every number. */
export function agreesWithForm(given: SenderType, byForm: Exclude<SenderType, "numeric">): boolean {
  return given === byForm || (given === "numeric" && byForm !== "alphanumeric");
}
