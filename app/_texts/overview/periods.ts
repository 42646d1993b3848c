import type { OverviewQuery } from "@/server/overview/schema";
import { defineTexts } from "../define-texts";

const en = {
  labels: { 1: "Today", 7: "7 days", 30: "30 days", 90: "90 days" } satisfies Record<OverviewQuery["days"], string>,
  /** The period before, as the other texts mention it. */
  before: {
    1: "yesterday",
    7: "in the 7 days before",
    30: "in the 30 days before",
    90: "in the 90 days before",
  } satisfies Record<OverviewQuery["days"], string>,
  none: (before: string) => `None ${before}`,
  noneEither: (before: string) => `None ${before} either`,
  asMany: (before: string) => `As many as ${before}`,
  timesAsMany: (times: string, before: string) => `${times} times as many as ${before}`,
  more: (share: string, before: string) => `${share} more than ${before}`,
  fewer: (share: string, before: string) => `${share} fewer than ${before}`,
  noMessagesYet: "No messages yet",
  noMessages: (before: string) => `No messages ${before}`,
  asBefore: (before: string) => `The same as ${before}`,
  higher: (points: string, before: string) => `${points} points higher than ${before}`,
  lower: (points: string, before: string) => `${points} points lower than ${before}`,
};

/** The texts of the periods of an overview, and of how each compares with the one before. */
export const periodsTexts = defineTexts({ en });
