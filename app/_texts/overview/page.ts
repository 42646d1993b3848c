import { defineTexts, plural } from "../define-texts";

const en = {
  title: "Overview",
  description: "See whether your messages arrive, and what needs your attention. Days are counted in UTC.",
  period: "Period",
  sendMessage: "Send a message",
  lastDays: (days: number) => plural(days, { other: `Last ${days} days, UTC` }),
  figures: {
    notLoaded: "The figures could not be loaded",
    balance: "Balance",
    spent: (money: string) => `${money} spent in this period`,
    messages: "Messages",
    delivered: "Delivered",
    failed: "Failed or undelivered",
  },
  latest: {
    title: "Latest messages",
    all: "All messages",
    to: "To",
    text: "Text",
    deletedText: "Deleted",
    cost: "Cost",
    none: "No messages yet",
  },
};

/** The texts of the overview. */
export const overviewTexts = defineTexts({ en });
