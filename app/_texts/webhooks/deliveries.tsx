import type { ReactNode } from "react";
import type { Delivery } from "@/server/webhooks/schema";
import { defineTexts, plural } from "../define-texts";

const en = {
  title: "Deliveries",
  anyStatus: "Any status",
  message: "Message ID",
  selected: (count: string) => `${count} selected`,
  clear: "Clear",
  queuedAlready: "Queued already",
  queuedAgain: (count: number, shown: string) =>
    plural(count, {
      one: `${shown} event queued to be sent again`,
      other: `${shown} events queued to be sent again`,
    }),
  leftTitle: (count: number, shown: string) =>
    plural(count, { one: `${shown} event was not queued again`, other: `${shown} events were not queued again` }),
  leftUntil: (time: string) =>
    `Its own try is due, and is made by ${time} at the latest. After that it can be sent again.`,
  selectAll: "Select all on this page",
  select: (type: string, id: string) => `Select ${type} ${id}`,
  event: "Event",
  statuses: {
    pending: "Pending",
    delivered: "Delivered",
    abandoned: "Abandoned",
    held: "Parked",
  } satisfies Record<Delivery["status"], string>,
  failing: "Failing, will retry",
  notTriedYet: "Not tried yet",
  tries: (count: number, shown: string) => plural(count, { one: `${shown} try`, other: `${shown} tries` }),
  viewMessage: "View message",
  viewPayload: "View payload",
  payload: {
    title: (type: string) => `Payload of ${type}`,
    copy: "Copy payload",
    gone: "The message was deleted, and the payload is built from it.",
  },
  sendAgain: "Send again",
  tryAgainNow: "Try again now",
  nextTry: (time: ReactNode) => <>Next try {time}</>,
  try: (attempt: number) => `Try ${attempt}`,
  tryOfRound: (attempt: number, round: number) => `Try ${attempt} of round ${round}`,
  response: (status: number) => `HTTP ${status}`,
  noResponse: "No response",
  milliseconds: (count: string) => `${count} ms`,
  copyResponse: "Copy response",
  noDeliveriesYet: "No deliveries yet",
  whatAppears: "Send a test event, or a message: events that this endpoint is subscribed to appear here.",
  noneWithStatus: "No deliveries with this status",
  noneOfMessage: "No deliveries of this message",
  whyNoneOfMessage: "None of its events was sent to this endpoint, or none of them has this status.",
  showAll: "Show all deliveries",
};

/** The texts of the deliveries to a webhook endpoint. */
export const deliveriesTexts = defineTexts({ en });
