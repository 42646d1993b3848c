import { appTexts } from "@/app/_texts/app";

/** An error of the API: its message, and what a form needs to mark its fields. */
type ApiErrorView = {
  message: string;
  /** HTTP status; null if there was no response. */
  status: number | null;
  /** Offending input as the API names it, e.g. `to`. */
  param: string | null;
  /** Machine-readable cause, e.g. `sender_not_approved`. */
  reason: string | null;
  /** Whether it is certain that nothing was carried out, though the service failed. */
  isNothingDone: boolean;
  /** The first message per input. */
  fields: Record<string, string>;
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

function fieldsOf(issues: unknown, param: string | null, message: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const issue of Array.isArray(issues) ? issues : []) {
    if (!isRecord(issue)) continue;
    const name = textOrNull(issue.param);
    const text = textOrNull(issue.message);
    if (name && text) fields[name] ??= text;
  }
  if (param) fields[param] ??= message;
  return fields;
}

/** Whether the response was not the service's own, such as a proxy's error page. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof Error && error.cause instanceof SyntaxError);

/** A text for people, where the API's message is for programs and mentions their Idempotency-Key; null: the message will do. */
function wordsFor(status: number | null, reason: string | null): string | null {
  if (status === 500) return appTexts.failed;
  return reason === "database_unavailable" || reason === "outcome_unknown" ? appTexts.unavailable : null;
}

/** Reads an error of the API client. One without the API's data means that the service did not respond. */
export function apiErrorOf(error: unknown): ApiErrorView {
  const data = isRecord(error) && isRecord(error.data) ? error.data : null;
  if (!data) {
    const message = isUnreadable(error) ? appTexts.unavailable : appTexts.unreachable;
    return { message, status: null, param: null, reason: null, isNothingDone: false, fields: {} };
  }
  const details = isRecord(data.details) ? data.details : {};
  const status = typeof data.httpStatus === "number" ? data.httpStatus : null;
  const reason = textOrNull(details.reason);
  const message = wordsFor(status, reason) ?? textOrNull(data.message) ?? appTexts.unreachable;
  const param = textOrNull(data.param);
  return {
    message,
    status,
    param,
    reason,
    isNothingDone: details.carried_out === false,
    fields: fieldsOf(details.issues, param, message),
  };
}
