const FORM = /^(msg_[0-9a-z]{26})-(\d{1,3})$/;

/** Our name for an attempt, as providers carry it and give it back. */
export const referenceTo = (messageId: string, seq: number): string => `${messageId}-${seq}`;

/** The attempt that a reference names; null: it is none of ours. */
export function readReference(reference: string): { messageId: string; seq: number } | null {
  const [, messageId, seq] = FORM.exec(reference) ?? [];
  return messageId && seq ? { messageId, seq: Number(seq) } : null;
}
