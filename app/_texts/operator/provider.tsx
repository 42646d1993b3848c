import type { ReactNode } from "react";
import type { ProviderDetail, ProviderTest } from "@/server/providers/operator-schema";
import type { ProviderId } from "@/server/providers/schema";
import { defineTexts, plural } from "../define-texts";

const withEachSend = "The callback URL is sent with each message. There is nothing to configure at the provider.";
const rotated = `${withEachSend} It changes every day by itself. The one below is for replies, and stays until you rotate it.`;
const enteredByHand = (where: string) => `Enter this URL ${where}. Without it no delivery receipts arrive.`;

/** Where operators enter the receipt URL at each provider. */
const receiptUrlPlaces: Record<ProviderId, string> = {
  twilio: withEachSend,
  vonage: rotated,
  messagebird: `${withEachSend} Only a Bird workspace needs it, as the URL of two webhook subscriptions, for sms.outbound and sms.inbound.`,
  plivo: withEachSend,
  telnyx: withEachSend,
  sinch: rotated,
  infobip: rotated,
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

const en = {
  allProviders: "All providers",
  notFound: "Provider not found",
  noSuchId: "There is no provider with this ID.",
  drain: {
    ask: (provider: string) => `Drain ${provider}?`,
    explanation:
      "It gets no new messages; routes fall back to their next provider. Delivery receipts are still processed. Messages without another provider fail after ten minutes.",
    submit: "Drain",
    done: (provider: string) => `${provider} drained`,
  },
  resume: {
    ask: (provider: string) => `Resume ${provider}?`,
    explanation: "Its routes send messages through it again.",
    submit: "Resume",
    done: (provider: string) => `${provider} resumed`,
  },
  problem: {
    invalidSettings: "The settings are invalid",
    halfOpen: "Circuit breaker half-open: trying a few messages",
    open: "Circuit breaker open: provider skipped",
    nextTrial: (time: ReactNode) => <>Next trial {time}.</>,
  },
  closeBreaker: {
    ask: "Close the circuit breaker?",
    explanation:
      "Messages are sent through it again at once. If the cause is not fixed, each one falls back to the next provider until the breaker opens again.",
    submit: "Close circuit breaker",
    done: (provider: string) => `Circuit breaker of ${provider} closed`,
  },
  lastHour: {
    calls: "Calls",
    period: "Last 60 minutes",
    success: "Success",
    ofKnownOutcome: "Of calls with a known outcome",
    meanLatency: "Mean latency",
    unknown: "Unknown",
    noReadableResponse: "No readable response",
    health: "Health",
    shareOfWeight: "Share of its route weight in use",
    callsPerMinute: "Calls per minute",
    noCalls: "No calls in the last hour.",
    chart: (calls: string) => `Calls per minute by outcome, ${calls} in all`,
    series: { accepted: "Accepted", failed: "Not accepted", unknown: "Unknown" },
    failures: {
      refusedPermanently: "Refused permanently",
      providerFailures: "Provider failures",
      throttled: "Throttled",
      accountProblems: "Account problems",
      messageProblems: "Message problems",
      egressProxy: "Egress proxy unavailable or refusing",
    },
  },
  settings: {
    title: "Settings",
    none: (variable: ReactNode) => <>No settings. The environment variable {variable} turns the sandbox on.</>,
    origins: {
      environment: "These come from environment variables. Saving settings here replaces all of them.",
      operator: "Saved in the console. They replace the environment variables.",
    } satisfies Record<NonNullable<ProviderDetail["source"]>, string>,
    enterCredentials: "Enter the credentials from the provider’s console.",
    form: "Provider settings",
    removedOnSave: "Removed when you save",
    setNotShown: "Set, not shown",
    remove: "Remove",
    removeNamed: (setting: string) => `Remove ${setting}`,
    notSaved: "The settings were not saved",
    submit: "Save settings",
    saved: (provider: string) => `Settings of ${provider} saved`,
    delete: "Delete settings",
    askToDelete: "Delete the saved settings?",
    deletion: (provider: string) =>
      `${provider} falls back to its environment variables, if there are any. Secrets saved here are lost.`,
    deleted: (provider: string) => `Settings of ${provider} deleted`,
  },
  throughput: {
    title: "Throughput limit",
    segmentsPerSecond: "Segments per second",
    emptyForNone: "Leave empty for no limit",
    submit: "Save limit",
    removed: "Throughput limit removed",
    saved: (segments: number) =>
      plural(segments, {
        one: "Throughput limit saved: at most 1 segment per second",
        other: `Throughput limit saved: at most ${segments} segments per second`,
      }),
  },
  receipts: {
    title: "Delivery receipts",
    places: receiptUrlPlaces,
    copyUrl: "Copy receipt URL",
    formerUrlStops: (time: ReactNode) => <>The former URL stops working {time}.</>,
    valid: "Valid",
    forged: "Forged",
    tooOld: "Too old",
    repeated: "Repeated",
    unreadable: "Unreadable",
    blocked: "Blocked",
    rotateUrl: "Rotate URL",
    askToRotate: "Rotate the receipt URL?",
    rotation: (provider: string) =>
      `Wherever the current URL is entered at ${provider}, enter the new one: the current one works for a few more days, older ones no longer work.`,
    rotate: "Rotate",
    rotated: "Receipt URL rotated",
  },
  test: {
    title: "Send a test",
    explanation: (provider: string) =>
      `Sent straight to ${provider}, bypassing routes and prices. It is neither billed nor stored here.`,
    saveSettingsFirst: "Save the provider’s settings first.",
    to: "To",
    enterNumber: "Enter a number",
    from: "From",
    fromExample: "ACME",
    enterSenderId: "Enter a sender ID",
    text: "Text",
    firstText: "This is a test.",
    enterText: "Enter a text",
    notSent: "The test was not sent",
    maybeSent: "The test may have been sent",
    lookFirst: "Look for it at the provider before you send it again.",
    outcomes: {
      accepted: (latency) => `The provider accepted the message (${latency})`,
      refused: (latency) => `The provider refused the message permanently (${latency})`,
      retryable: (latency) => `The provider did not accept the message (${latency})`,
      unknown: (latency) => `The provider may have accepted the message (${latency})`,
    } satisfies Record<ProviderTest["outcome"], (latency: string) => string>,
    providerMessageId: (ids: ReactNode) => <>Provider’s message ID: {ids}</>,
    reference: (reference: ReactNode) => <>Reference {reference}</>,
    submit: "Send test",
  },
};

/** The texts of the page of a provider. */
export const providerTexts = defineTexts({ en });
