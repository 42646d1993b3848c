/** Builds the content of callbacks in the shape that all adapters share. */
import type { CallbackContent, Inbound, Report } from "../port";
import { sentences } from "./response";

/** Content of a callback; empty for events that we do not process. */
export const callbackContent = ({ unreadable = 0, ...content }: Partial<CallbackContent> = {}): CallbackContent => ({
  reports: [],
  inbound: [],
  ...content,
  ...(unreadable > 0 && { unreadable }),
});

/** Customers' text for a failure with an unknown code, or without one. */
const UNEXPLAINED = {
  failed: "The message was not accepted for delivery. The reason is not known.",
  undelivered: "The message could not be delivered. The reason is not known.",
} as const;

/** A report as a provider wrote it; missing or empty texts are allowed. */
type Reported = {
  providerMessageId: string;
  reference: string | null | undefined;
  status: Report["status"];
  /** Cause of a failure; ignored for every other status. */
  code: string | null | undefined;
  /** Its meaning by our tables. */
  detail: string | null | undefined;
  /** The provider's own explanation: never for customers, because it may name the operator's account. */
  providerDetail?: string | null;
  occurredAt?: string | null;
  isOfWhole?: true;
};

/**
 * Makes a report: only failures have a code and a detail, and missing texts are null. The provider's own words are kept
 * only where we have none.
 */
export function reportFrom({ code, detail, providerDetail, reference, occurredAt, ...reported }: Reported): Report {
  const { status } = reported;
  const unexplained = status === "failed" || status === "undelivered" ? UNEXPLAINED[status] : null;
  const theirs = unexplained && !detail ? sentences(providerDetail) : "";
  return {
    reference: reference || null,
    code: (unexplained && code) || null,
    detail: unexplained && (detail || unexplained),
    occurredAt: occurredAt ?? null,
    ...reported,
    ...(theirs && { providerDetail: theirs }),
  };
}

/** Whether this is the text of a failure whose code was in no table of ours. */
export const isUnexplainedDetail = (detail: string): boolean =>
  detail === UNEXPLAINED.failed || detail === UNEXPLAINED.undelivered;

/** Whether a report is of a failure whose code is in no table of ours. */
export const isUnexplained = ({ status, detail }: Report): boolean =>
  (status === "failed" || status === "undelivered") && detail === UNEXPLAINED[status];

/**
 * The keyword that a provider recognized itself, from its own field: STOP or START. Any other word, such as HELP,
 * leaves the decision to the text.
 */
export function recognizedKeyword(word: unknown): Pick<Inbound, "keyword"> {
  if (word === "STOP") return { keyword: "stop" };
  return word === "START" ? { keyword: "start" } : {};
}

/** When the provider got a message from a handset, if it says so. */
export const takenAt = (time: string | null): Pick<Inbound, "occurredAt"> =>
  time === null ? {} : { occurredAt: time };
