const FORM = /^(msg_[0-9a-z]{26})-(\d{1,3})$/;

/** Our reference to an attempt, which providers carry and return in receipts. */
export const referenceTo = (messageId: string, seq: number): string => `${messageId}-${seq}`;

/** Parses a reference; null when it is not ours. */
export function readReference(reference: string): { messageId: string; seq: number } | null {
  const [, messageId, seq] = FORM.exec(reference) ?? [];
  return messageId && seq ? { messageId, seq: Number(seq) } : null;
}
