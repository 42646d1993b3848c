/** Builds the content of callbacks in the shape that all adapters share. */
import type { CallbackContent, Inbound, Report } from "../port";

/** Content of a callback; empty for a callback that is about something we do not follow. */
export const callbackContent = (content: Partial<CallbackContent> = {}): CallbackContent => ({
  reports: [],
  inbound: [],
  ...content,
});

/** A report as a provider wrote it; missing or empty texts are allowed. */
type Reported = {
  providerMessageId: string;
  reference: string | null | undefined;
  status: Report["status"];
  /** Cause of a failure; ignored for every other status. */
  code: string | null | undefined;
  detail: string | null | undefined;
  occurredAt?: string | null;
};

/** Whether a status is a failed end of a message. */
const isFailure = (status: Report["status"]): boolean => status === "failed" || status === "undelivered";

/** Makes a report: only failures have a code and a detail, and missing texts are null. */
export function reportFrom({ code, detail, reference, occurredAt, ...reported }: Reported): Report {
  const hasFailed = isFailure(reported.status);
  return {
    ...reported,
    reference: reference || null,
    code: (hasFailed && code) || null,
    detail: (hasFailed && detail) || null,
    occurredAt: occurredAt ?? null,
  };
}

/**
 * The keyword in a provider's field for those that it recognises itself: STOP or START. Any other word, such as HELP,
 * leaves the decision to the text.
 */
export function recognisedKeyword(word: unknown): Pick<Inbound, "keyword"> {
  if (word === "STOP") return { keyword: "stop" };
  return word === "START" ? { keyword: "start" } : {};
}
