/** Why a message fails without an attempt, free of charge. */

/** The `error` of such a message. */
export type Refusal = { code: string; message: string };

export const BLOCKLISTED: Refusal = {
  code: "blocklisted",
  message: "This number does not want messages from this sender; it is among the account's suppressions.",
};
