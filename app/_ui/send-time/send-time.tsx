import type { ComponentProps } from "react";
import { sendTimeTexts as texts } from "@/app/_texts/ui/send-time";
import { serverNow } from "@/app/_trpc/clock";
import { DateInput } from "@/app/_ui/forms/date-input";
import { DAY_MS } from "@/app/_ui/values/days";
import { useZoneName } from "@/app/_ui/values/zone-name";

const AHEAD_MAX_DAYS = 30;
const MINUTE_MS = 60_000;

/** The local time of a date and time field, in ISO 8601; null: none was entered. */
export function isoOf(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

const twoDigits = (value: number) => String(value).padStart(2, "0");

/** Whether clocks show this local time. `Date` reads one that they skip in spring as another time. */
const isOnClocks = (local: string, at: Date): boolean =>
  local.includes(`T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`);

/** Why a message cannot be scheduled for this local time; null: it can, or is to be sent at once. */
export function sendAtProblem(local: string): string | null {
  if (local === "") return null;
  const at = new Date(local);
  const aheadMs = at.getTime() - serverNow();
  if (Number.isNaN(aheadMs)) return texts.enterTime;
  if (!isOnClocks(local, at)) return texts.noSuchTime;
  if (aheadMs <= 0) return texts.chooseFuture;
  return aheadMs > AHEAD_MAX_DAYS * DAY_MS ? texts.chooseWithin(AHEAD_MAX_DAYS) : null;
}

/** The local time of the browser at `at`, as a date and time field has it: to the minute. */
export const localOf = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, "2026-01-01T00:00".length);

/**
 * The time at which to send, in the time zone of the browser.
 * @param lead goes before the description.
 */
export function SendTime({ lead = "", ...props }: Omit<ComponentProps<typeof DateInput>, "type"> & { lead?: string }) {
  const zone = useZoneName();
  const hint = zone ? texts.hintInZone(zone, AHEAD_MAX_DAYS) : texts.hint(AHEAD_MAX_DAYS);
  return <DateInput type="datetime-local" description={`${lead} ${hint}`.trim()} {...props} />;
}
