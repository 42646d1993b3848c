import type { Tone } from "@/app/_ui/values/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import type { ProviderId } from "@/server/providers/schema";

export const PROVIDER_STATE_VIEWS: Record<OperatedProvider["state"], { label: string; tone: Tone }> = {
  not_configured: { label: "Not configured", tone: "neutral" },
  working: { label: "Working", tone: "success" },
  drained: { label: "Drained", tone: "info" },
  open: { label: "Circuit open", tone: "danger" },
  probing: { label: "Half-open", tone: "warning" },
  misconfigured: { label: "Misconfigured", tone: "danger" },
};

export const SOURCE_LABELS: Record<NonNullable<OperatedProvider["source"]>, string> = {
  environment: "Environment",
  operator: "Console",
};

const WITH_EACH_SEND = "The callback URL is sent with each message. There is nothing to configure at the provider.";
const ROTATED = `${WITH_EACH_SEND} It changes every day by itself. The one below is for replies, and stays until you rotate it.`;
const enteredByHand = (where: string) => `Enter this URL ${where}. Without it no delivery receipts arrive.`;

/** Where operators enter the receipt URL at each provider. */
export const RECEIPT_URL_PLACES: Record<ProviderId, string> = {
  twilio: WITH_EACH_SEND,
  vonage: ROTATED,
  messagebird: `${WITH_EACH_SEND} Only a Bird workspace needs it, as the URL of two webhook subscriptions, for sms.outbound and sms.inbound.`,
  plivo: WITH_EACH_SEND,
  telnyx: WITH_EACH_SEND,
  sinch: ROTATED,
  infobip: ROTATED,
  africastalking: enteredByHand(
    "as the callback for SMS delivery reports, incoming messages and bulk SMS opt-outs in the provider’s dashboard",
  ),
  clickatell: enteredByHand(
    "as the callback for message status in the integration’s settings in the provider’s portal",
  ),
  bandwidth: enteredByHand("as the callback URL of the messaging application in the provider’s dashboard"),
  smpp: "Delivery receipts arrive over the SMPP bind itself.",
  sandbox: "The sandbox reports delivery inside the service.",
};

/** 0.987 -> "98.7%"; a dash when there were no calls. */
export const formatShare = (share: number | null): string =>
  share === null ? "–" : `${Math.floor(share * 1_000) / 10}%`;

/** 12.3 -> "12 ms"; a dash when there were no calls. */
export const formatLatency = (latencyMs: number | null): string =>
  latencyMs === null ? "–" : `${Math.round(latencyMs).toLocaleString("en-US")} ms`;
