import type { Tone } from "@/app/_ui/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";
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

/** Routes may name a provider that this release does not know. */
export const providerName = (id: string): string =>
  Object.entries(PROVIDER_NAMES).find(([known]) => known === id)?.[1] ?? id;

export const PROVIDER_STATE_VIEWS: Record<OperatedProvider["state"], { label: string; tone: Tone }> = {
  not_configured: { label: "Not configured", tone: "neutral" },
  working: { label: "Working", tone: "success" },
  drained: { label: "Drained", tone: "info" },
  open: { label: "Paused", tone: "danger" },
  probing: { label: "Trying out", tone: "warning" },
  misconfigured: { label: "Misconfigured", tone: "danger" },
};

export const SOURCE_LABELS: Record<NonNullable<OperatedProvider["source"]>, string> = {
  environment: "Environment",
  operator: "Entered here",
};

const WITH_EACH_SEND = "It is given along with each message, so there is nothing to enter.";
const inItsConsole = (where: string) => `Enter it ${where}; without it no receipt ever comes.`;

/** Where the receipt URL has to be entered. */
export const RECEIPT_URL_PLACES: Record<ProviderId, string> = {
  twilio: WITH_EACH_SEND,
  vonage: WITH_EACH_SEND,
  messagebird: WITH_EACH_SEND,
  plivo: WITH_EACH_SEND,
  telnyx: WITH_EACH_SEND,
  sinch: WITH_EACH_SEND,
  infobip: WITH_EACH_SEND,
  africastalking: inItsConsole("as the callback for SMS delivery reports in the provider’s dashboard"),
  clickatell: inItsConsole("as the callback for message status in the integration’s settings in the provider’s portal"),
  bandwidth: inItsConsole("as the callback URL of the messaging application in the provider’s dashboard"),
  smpp: "Receipts come over the connection that messages are sent over.",
  sandbox: "It reports inside the service.",
};

/** 0.987 -> "98.7%"; a dash without calls. */
export const formatShare = (share: number | null): string =>
  share === null ? "–" : `${Math.floor(share * 1_000) / 10}%`;

/** Milliseconds; a dash without calls. */
export const formatLatency = (latencyMs: number | null): string =>
  latencyMs === null ? "–" : `${Math.round(latencyMs).toLocaleString("en-US")} ms`;
