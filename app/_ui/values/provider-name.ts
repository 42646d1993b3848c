import type { ProviderId } from "@/server/providers/schema";

export const PROVIDER_NAMES: Record<ProviderId, string> = {
  twilio: "Twilio",
  vonage: "Vonage",
  messagebird: "MessageBird",
  plivo: "Plivo",
  telnyx: "Telnyx",
  sinch: "Sinch",
  infobip: "Infobip",
  africastalking: "Africa’s Talking",
  clickatell: "Clickatell",
  bandwidth: "Bandwidth",
  smpp: "SMPP",
  sandbox: "Sandbox",
};

/** The display name; the id itself for a provider that this release does not know, which old routes may name. */
export const providerName = (id: string): string =>
  Object.entries(PROVIDER_NAMES).find(([known]) => known === id)?.[1] ?? id;
