/** The eleven upstream providers of the contract, and the built-in carrier that only pretends to send. */
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
