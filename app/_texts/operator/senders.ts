import type { DecideSenderInput, ReviewedSender } from "@/server/operator/schema";
import { defineTexts, plural } from "../define-texts";

const en = {
  title: "Sender review",
  description: "Senders can be used as soon as they are approved.",
  filters: {
    pending: "Pending",
    approved: "Approved",
    rejected: "Rejected",
    suspended: "Suspended",
    all: "All",
  } satisfies Record<ReviewedSender["status"] | "all", string>,
  searchSenders: "Search senders",
  searchBy: "Sender ID or account",
  list: "Senders",
  senderId: "Sender ID",
  account: "Account",
  type: "Type",
  country: "Country",
  anyCountry: "Any",
  segmentsPerSecond: "Segments per second",
  noLimit: "No limit",
  registered: "Registered",
  actions: "Actions",
  setThroughputLimit: (sender: string) => `Set the throughput limit of ${sender}`,
  nothingToReview: "Nothing to review",
  newSendersAppear: "New senders appear here as customers register them.",
  noSendersFound: "No senders found",
  decide: { approved: "Approve", rejected: "Reject", suspended: "Suspend" } satisfies Record<
    DecideSenderInput["decision"],
    string
  >,
  decideOn: {
    approved: (sender) => `Approve ${sender}`,
    rejected: (sender) => `Reject ${sender}`,
    suspended: (sender) => `Suspend ${sender}`,
  } satisfies Record<DecideSenderInput["decision"], (sender: string) => string>,
  decided: {
    pending: (sender) => `${sender} is pending.`,
    approved: (sender) => `${sender} is approved.`,
    rejected: (sender) => `${sender} is rejected.`,
    suspended: (sender) => `${sender} is suspended.`,
  } satisfies Record<ReviewedSender["status"], (sender: string) => string>,
  decision: {
    suspension: (account: string) =>
      `${account} can no longer send with it. Messages that no provider has yet fail and are refunded.`,
    rejection: (account: string) => `${account} cannot send with it.`,
    reason: "Reason",
    reasonHint: "Optional; the customer sees it",
    again: "Deciding again is safe.",
  },
  throughput: {
    title: "Throughput limit",
    titleOf: (sender: string) => `Throughput limit of ${sender}`,
    emptyForNone: "Leave empty for no limit",
    submit: "Save limit",
    removed: (sender: string) => `Throughput limit of ${sender} removed`,
    saved: (sender: string, segments: number) =>
      plural(segments, {
        one: `${sender} limited to 1 segment per second`,
        other: `${sender} limited to ${segments} segments per second`,
      }),
  },
};

/** The texts of the review of senders. */
export const senderReviewTexts = defineTexts({ en });
