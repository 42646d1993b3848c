import type { ReactNode } from "react";
import type { MessageDetail } from "@/server/messages/schema";
import { defineTexts, plural } from "../define-texts";

type Outcome = NonNullable<MessageDetail["attempts"][number]["outcome"]>;
type Failure = NonNullable<MessageDetail["message"]["error"]>;

/** The time that something took, in words, since the message was accepted or was due; null: not known. */
type Lapse = { words: string; isSinceDue: boolean } | null;

const after = (lapse: Lapse) =>
  lapse === null ? "" : ` ${lapse.words} after it ${lapse.isSinceDue ? "was due" : "was accepted"}`;

const en = {
  title: "Message",
  titleTo: (number: string) => `Message to ${number}`,
  allMessages: "All messages",
  outcome: {
    delivered: (from: string, lapse: Lapse) => `From ${from}. Delivered${after(lapse)}.`,
    sent: (from: string, lapse: Lapse) =>
      `From ${from}. A provider took it${after(lapse)}; the carrier has not reported yet.`,
    scheduled: (from: string, time: string) => `From ${from}. Scheduled for ${time}.`,
    pending: (from: string) => `From ${from}. Waiting for a provider to take it.`,
    undelivered: (from: string, lapse: Lapse) => `From ${from}. It was marked undelivered${after(lapse)}.`,
    canceled: (from: string, lapse: Lapse) => `From ${from}. Canceled${after(lapse)}.`,
    failed: (from: string, lapse: Lapse) => `From ${from}. It failed${after(lapse)}.`,
  },
  /** The kind of failure, and what to do. */
  failures: {
    invalid_recipient:
      "The number does not exist, or cannot receive SMS, such as a landline. Correct it, or remove it from your list.",
    unreachable: "The handset was switched off, out of reach or full, or its network failed. Send it again later.",
    opted_out: "The recipient does not want these messages. Send no more until they ask for them again.",
    blocked:
      "A rule or a filter stopped it, for example against spam, or a country limit. If the reason above names no setting, ask the operator of this installation before you send it again.",
    content:
      "The text was not accepted: it is too long, malformed or not a registered template. Change the text and send it again.",
    sender:
      "The sender ID may not send to this number. Look at its status under Senders, or ask the operator of this installation.",
    expired: "It could not be sent or delivered in time. Send it again if it still matters.",
    canceled: "It was canceled. Send it again if you want it sent after all.",
    no_provider:
      "No provider could send it. Send it again later, or ask the operator of this installation if that does not help.",
    rate: "Too many messages went to this number, or from this sender, in a short time. Send it again later.",
    account:
      "Your account may not send, or has reached a spending cap. If the reason above names no setting, ask the operator of this installation.",
    unknown:
      "The reason is not known, and the recipient may have the message. Send it again only if receiving it twice is better than not at all.",
  } satisfies Record<Failure["reason"], string>,
  cancel: {
    submit: "Cancel message",
    title: (number: string) => `Cancel the message to ${number}?`,
    explanation: "It will not be sent, and its cost is refunded. This cannot be undone.",
    keep: "Keep it",
    done: (number: string) => `Message to ${number} canceled`,
  },
  reschedule: {
    button: "Reschedule",
    title: (number: string) => `Reschedule the message to ${number}`,
    form: "Rescheduling",
    newTime: "New time",
    keeps: "Its text and cost stay as they are.",
    submit: "Reschedule",
    sendNow: "Send now",
    done: (number: string, time: string) => `Message to ${number} is scheduled for ${time}`,
    sentNow: (number: string) => `Message to ${number} is being sent`,
    notDone: "The message was not rescheduled",
    unknown: "We could not confirm that the message was rescheduled",
    again: "Its page shows the time that counts. You can try again.",
  },
  redact: {
    submit: "Delete text",
    title: (number: string) => `Delete the text of the message to ${number}?`,
    explanation:
      "Its text is deleted here, in its events and in webhooks that are still waiting. Everything else about the message stays. This cannot be undone.",
    keep: "Keep it",
    done: "Text deleted",
  },
  sendAgain: "Send again",
  copy: "Copy",
  text: "Text",
  textDeleted: "Deleted, on request or because of its age.",
  facts: {
    title: "Details",
    id: "Message ID",
    copyId: "Copy message ID",
    to: "To",
    copyTo: "Copy recipient",
    allToNumber: "All messages to this number",
    from: "From",
    source: "Source",
    console: "Console",
    apiKey: (key: ReactNode) => <>API key {key}</>,
    viewRequest: "View request",
    cost: "Cost",
    segments: "Segments",
    provider: "Provider",
    providerMessageId: "Provider’s message ID",
    copyProviderMessageId: "Copy the provider’s message ID",
    attempts: "Attempts",
    reference: "Reference",
    copyReference: "Copy reference",
    copyMetadata: (key: string) => `Copy ${key}`,
    scheduledFor: "Scheduled for",
    validityPeriod: "Validity period",
    seconds: (count: number, shown: string) => plural(count, { one: `${shown} second`, other: `${shown} seconds` }),
    sent: "Sent",
    delivered: "Delivered",
    failed: "Failed",
  },
  timeline: {
    title: "Timeline",
    accepted: "Accepted",
    rescheduled: (times: number, shown: string) =>
      plural(times, { one: "Rescheduled", other: `Rescheduled ${shown} times` }),
    toBeSent: (time: ReactNode) => <>To be sent {time}</>,
    sent: "Sent",
    sentBy: (provider: string) => `Accepted by ${provider}`,
    delivered: "Delivered",
    undelivered: "Undelivered",
    failed: "Failed",
    canceled: "Canceled",
    attempts: {
      accepted: (seq: number, provider: string) => `Attempt ${seq}, ${provider}: accepted the message`,
      refused: (seq: number, provider: string) => `Attempt ${seq}, ${provider}: refused the message`,
      retryable: (seq: number, provider: string) => `Attempt ${seq}, ${provider}: did not accept the message`,
      unknown: (seq: number, provider: string) => `Attempt ${seq}, ${provider}: outcome unknown`,
    } satisfies Record<Outcome, unknown>,
    attemptUnderWay: (seq: number, provider: string) => `Attempt ${seq}, ${provider}: no response yet`,
    latency: (milliseconds: string) => `${milliseconds} ms`,
    receipt: (status: string) => `Delivery receipt: ${status}`,
    receiptNotApplied: "Stored; it did not change the status",
    money: { reserve: "Cost reserved", settle: "Cost charged", refund: "Cost refunded" } as Readonly<
      Record<string, string>
    >,
    otherMoney: "Money",
    webhook: (event: string, status: string) => `Webhook ${event}: ${status}`,
    parked: "parked",
    tries: (count: number) => plural(count, { one: `${count} try`, other: `${count} tries` }),
    webhooks: (count: number, shown: string) => plural(count, { one: `${shown} webhook`, other: `${shown} webhooks` }),
  },
  /** Lengths of time. */
  lapse: {
    milliseconds: (milliseconds: number) => `${milliseconds} ms`,
    seconds: (seconds: string) => `${seconds} s`,
    minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
    hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
  },
  notFound: {
    title: "Message not found",
    explanation: "The link may be wrong, or the message belongs to another account.",
  },
};

/** The texts of the page of a message. */
export const messageTexts = defineTexts({ en });
