import type { ReactNode } from "react";
import { defineTexts, plural } from "../define-texts";

const en = {
  noMessages: "No messages in this period.",
  noneLeft: "The messages of this period were deleted because of their age.",
  /** `shown`: the count as it is written. */
  ofNewest: (count: number, shown: string) =>
    plural(count, { one: "Of the newest message", other: `Of the newest ${shown} messages` }),
  messages: "Messages",
  delivered: "Delivered",
  byStatus: { title: "By status", share: "Share" },
  errors: {
    title: "Why messages failed",
    reason: "Reason",
    noReason: "No reason given",
    codeAndLast: (code: ReactNode, time: ReactNode) => (
      <>
        {code}, last {time}
      </>
    ),
    none: "No message failed in this period.",
    noneLeft: "The messages that failed in this period were deleted because of their age.",
    ofNewest: "Of the newest failures",
  },
  byCountry: { title: "By country", country: "Country", unknown: "Unknown country" },
  bySender: { title: "By sender", sender: "Sender" },
};

/** The texts of the tables of the overview. */
export const breakdownsTexts = defineTexts({ en });
