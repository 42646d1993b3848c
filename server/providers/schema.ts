/** The eleven upstream providers of the contract, and the built-in carrier, which sends nothing. */
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
