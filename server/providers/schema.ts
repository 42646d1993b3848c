/** The eleven upstream providers of the contract, and the sandbox, which sends nothing. */
export const PROVIDERS = [
  "twilio",
  "vonage",
  "messagebird",
  "plivo",
  "telnyx",
  "sinch",
  "infobip",
  "africastalking",
  "clickatell",
  "bandwidth",
  "smpp",
  "sandbox",
] as const;

export type ProviderId = (typeof PROVIDERS)[number];

/** Why a message failed, in terms that do not depend on its provider. */
export const FAILURE_REASONS = [
  "invalid_recipient",
  "unreachable",
  "opted_out",
  "blocked",
  "content",
  "sender",
  "expired",
  "canceled",
  "no_provider",
  "rate",
  "account",
  "unknown",
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];
