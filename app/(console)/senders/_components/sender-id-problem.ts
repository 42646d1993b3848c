import { sendersTexts } from "@/app/_texts/senders";
import { senderKind } from "@/server/messages/phone";

const NAME_MAX = 11;
/** Characters that stand in neither a name nor a number; a character with its marks is one. */
const NOT_ALLOWED = /[^A-Za-z0-9 ._&+-]\p{M}*/gu;

/** The problem of a sender ID, in words that fit the input; null: none. The service refuses the same. */
export function senderIdProblem(senderId: string): string | null {
  const texts = sendersTexts.registration;
  if (senderId === "") return texts.senderIdMissing;
  if (senderKind(senderId) !== null) return null;
  const notAllowed = [...new Set(senderId.match(NOT_ALLOWED))];
  if (notAllowed.length > 0) return texts.notAllowed(notAllowed);
  if (/^\+?\d*$/.test(senderId)) return texts.wrongDigits;
  if (senderId.includes("+")) return texts.notAllowed(["+"]);
  if (!/[A-Za-z]/.test(senderId)) return texts.noLetter;
  return senderId.length > NAME_MAX ? texts.nameTooLong : texts.senderIdMissing;
}
