import { type ComponentProps, useSyncExternalStore } from "react";
import { sendTexts } from "@/app/_texts/send/one";
import { serverNow } from "@/app/_trpc/clock";
import { DateInput } from "@/app/_ui/forms/date-input";
import { DAY_MS } from "@/app/_ui/values/days";

const AHEAD_MAX_DAYS = 30;

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
  const texts = sendTexts.later;
  const at = new Date(local);
  const aheadMs = at.getTime() - serverNow();
  if (Number.isNaN(aheadMs)) return texts.enterTime;
  if (!isOnClocks(local, at)) return texts.noSuchTime;
  if (aheadMs <= 0) return texts.chooseFuture;
  return aheadMs > AHEAD_MAX_DAYS * DAY_MS ? texts.chooseWithin(AHEAD_MAX_DAYS) : null;
}

const never = () => () => undefined;

/** The time at which to send, in the time zone of the browser, which the server does not know. */
export function SendLater(props: Omit<ComponentProps<typeof DateInput>, "type">) {
  const texts = sendTexts.later;
  const zone = useSyncExternalStore(
    never,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => null,
  );
  return (
    <DateInput
      label={texts.label}
      type="datetime-local"
      description={zone ? texts.hintInZone(zone, AHEAD_MAX_DAYS) : texts.hint(AHEAD_MAX_DAYS)}
      {...props}
    />
  );
}
