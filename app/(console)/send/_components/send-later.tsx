import { TextInput, type TextInputProps } from "@mantine/core";
import { useSyncExternalStore } from "react";

const DAY_MS = 86_400_000;
const AHEAD_MAX_DAYS = 30;

/** The time of an input of date and time, which is local, in ISO 8601; null: none was entered. */
export function isoOf(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** Why a message cannot be scheduled for this local time; null: it can, or is to be sent at once. */
export function sendAtProblem(local: string): string | null {
  if (local === "") return null;
  const aheadMs = new Date(local).getTime() - Date.now();
  if (Number.isNaN(aheadMs)) return "Enter a date and a time";
  if (aheadMs <= 0) return "Choose a time in the future";
  return aheadMs > AHEAD_MAX_DAYS * DAY_MS ? `Choose a time within ${AHEAD_MAX_DAYS} days` : null;
}

const never = () => () => undefined;

/** The time at which to send, in the time zone of the browser, which the server does not know. */
export function SendLater(props: TextInputProps) {
  const zone = useSyncExternalStore(
    never,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => null,
  );
  return (
    <TextInput
      label="Send later"
      type="datetime-local"
      description={`Optional. Date and time${zone ? ` in ${zone}` : ""}, at most ${AHEAD_MAX_DAYS} days ahead.`}
      {...props}
    />
  );
}
