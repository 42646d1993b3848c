import type { Usage } from "@/server/accounts/schema";
import { defineTexts, plural } from "./define-texts";

const en = {
  title: "Usage",
  description: "Messages, delivery and cost by period.",
  period: "Period",
  periods: { day: "Today", month: "This month", all: "All time" } satisfies Record<Usage["period"], string>,
  days: "UTC days",
  oneDay: (day: string) => `${day}, UTC`,
  fromTo: (first: string, last: string) => `${first} to ${last}, UTC`,
  reversedDays: "The first date is after the last",
  noSuchDays: "No such days in the last year",
  messages: "Messages",
  cost: "Cost",
  costHint: "Refunds deducted",
  delivered: "Delivered",
  deliveredOf: (delivered: string, all: string) => `${delivered} of ${all}`,
  noMessages: "No messages in this period",
  noMessagesHint: "Your messages by status and by day appear here.",
  byStatus: {
    title: "By status",
    /** `shown`: the count of messages as it is written. */
    chart: (messages: number, shown: string) =>
      plural(messages, {
        one: "Share of each status among 1 message",
        other: `Share of each status among ${shown} messages`,
      }),
    table: "Messages by status",
    share: "Share",
  },
  byDay: {
    title: "By day",
    lastDays: (days: number) => plural(days, { other: `The last ${days} days.` }),
    downloadCsv: "Download CSV",
    table: "Usage by day",
    day: "Day (UTC)",
    segments: "Segments",
    failed: "Failed or undelivered",
    inProgress: "In progress",
  },
};

/** The texts of the page of usage. */
export const usageTexts = defineTexts({ en });
