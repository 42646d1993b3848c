import type { ReactNode } from "react";
import { defineTexts, plural } from "../define-texts";

const en = {
  none: "Nothing needs your attention",
  title: "Needs your attention",
  suspended: {
    title: "Your account is suspended",
    text: "Sends are refused until the operator lifts the suspension.",
    action: "Audit log",
  },
  balanceLow: {
    title: "Your balance is low",
    lastsLessThanDay: (money: string) => `${money} will last less than a day at last week’s spending.`,
    lastsDays: (money: string, days: number) =>
      plural(days, {
        one: `${money} will last about a day at last week’s spending.`,
        other: `${money} will last about ${days} days at last week’s spending.`,
      }),
    usedUpTitle: "Your balance is used up",
    usedUp: "Sends are refused until it is topped up.",
    action: "Usage",
  },
  unusualTraffic: {
    title: (place: string) => `Unusually many messages to ${place}`,
    unknownCountry: "numbers of no known country",
    text: (messages: string, highest: string, link: (words: string) => ReactNode) => (
      <>
        {messages} within an hour; the most in the week before was {highest}. If you do not expect them, somebody may be
        abusing a form of yours. {link("What to do about SMS pumping")}
      </>
    ),
    messages: "Messages",
    action: "Limit countries",
  },
  failing: {
    title: "Unusually many messages fail",
    share: (failed: string, ended: string) => `${failed} of ${ended} did not arrive since yesterday.`,
    shareAndUsual: (failed: string, ended: string, usual: string) =>
      `${failed} of ${ended} did not arrive since yesterday; usually it is ${usual}.`,
    action: "Failed messages",
  },
  waiting: {
    title: "Messages wait for a provider",
    oldest: (time: ReactNode) => <>The oldest was due {time}.</>,
    action: "Pending messages",
  },
  endpointDisabled: {
    title: "A webhook endpoint is disabled",
    text: (url: string) => `${url} gets no events. They are parked until you enable it and recover them.`,
  },
  endpointPaused: {
    title: "A webhook endpoint is paused",
    text: (url: string, time: ReactNode) => (
      <>
        {url} was paused {time}. Its events wait until you resume it.
      </>
    ),
  },
  endpointFailing: {
    title: "A webhook endpoint is failing",
    /** `shown`: the count of failed tries as it is written. */
    text: (url: string, tries: number, shown: string) =>
      plural(tries, {
        one: `${url}: ${shown} failed try. 25 in a row disable the endpoint.`,
        other: `${url}: ${shown} failed tries in a row. 25 in a row disable the endpoint.`,
      }),
  },
  openEndpoint: "Open endpoint",
  senderRejected: {
    title: (sender: string) => `The sender ${sender} cannot be used`,
    noReason: "The operator rejected or suspended it.",
    action: "Senders",
  },
  keyExpiring: {
    title: (name: string) => `The API key “${name}” expires soon`,
    text: (time: ReactNode) => <>It stops working {time}.</>,
    action: "API key",
  },
};

/** The texts of what needs attention. */
export const concernsTexts = defineTexts({ en });
