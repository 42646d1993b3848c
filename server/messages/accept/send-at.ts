/** The times for which messages can be scheduled. */
import { DAY_MS, msUntil } from "../../core/clock";
import { type ApiError, invalidRequest } from "../../core/errors";

const SCHEDULE_MAX_DAYS = 30;

/** Refuses a time that has passed or is too far ahead. @returns 400 errors; none: the time is allowed. */
export function sendAtRefusals(scheduledAt: Date): ApiError[] {
  const aheadMs = msUntil(scheduledAt);
  if (aheadMs <= 0) {
    return [invalidRequest("`send_at` must be in the future.", { param: "send_at", reason: "send_at_in_the_past" })];
  }
  if (aheadMs > SCHEDULE_MAX_DAYS * DAY_MS) {
    const text = `\`send_at\` must be at most ${SCHEDULE_MAX_DAYS} days ahead.`;
    return [invalidRequest(text, { param: "send_at", reason: "send_at_too_far_ahead" })];
  }
  return [];
}
