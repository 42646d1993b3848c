"use client";

import { useSyncExternalStore } from "react";
import { currentLocale, perLocale } from "@/app/_texts/language";
import { valuesTexts as texts } from "@/app/_texts/ui/values";
import { serverNow } from "@/app/_trpc/clock";
import { Tooltip } from "../tooltip";
import { useExactTimes } from "../view/exact-times";

const TICK_MS = 10_000;
const STEPS: ReadonlyArray<{ unit: Intl.RelativeTimeFormatUnit; seconds: number; below: number }> = [
  { unit: "minute", seconds: 60, below: 3_600 },
  { unit: "hour", seconds: 3_600, below: 86_400 },
  { unit: "day", seconds: 86_400, below: 30 * 86_400 },
];
const JUST_NOW_S = 45;

const relative = perLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));
const day = { dateStyle: "medium" } as const;
const moment = { dateStyle: "medium", timeStyle: "long" } as const;
const clockIn = (timeZone: string | undefined) =>
  perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium", timeZone }));
const [ownClock, utcClock] = [clockIn(undefined), clockIn("UTC")];

/**
 * 90 s ago -> "1 minute ago"; a date beyond 30 days. `timeZone` undefined: the browser's own. `isExact`: date and clock time
 * instead, without the zone, which every row of a list would repeat.
 */
function toWords(date: Date, timeZone: string | undefined, isExact: boolean): string {
  if (isExact) return (timeZone === undefined ? ownClock : utcClock)().format(date);
  const ageS = (serverNow() - date.getTime()) / 1_000;
  if (Math.abs(ageS) < JUST_NOW_S) return ageS >= 0 ? texts.justNow : texts.inAMoment;
  const step = STEPS.find((entry) => Math.abs(ageS) < entry.below);
  if (!step) return date.toLocaleDateString(currentLocale(), { ...day, timeZone });
  const amount = Math.max(1, Math.round(Math.abs(ageS) / step.seconds));
  return relative().format(ageS >= 0 ? -amount : amount, step.unit);
}

/** Date and clock in the browser's zone, for texts. */
export const exactTime = (value: string): string => ownClock().format(new Date(value));

/** The time to the second, as the browser's clock shows it and in UTC. */
const exact = (date: Date) => (
  <>
    {date.toLocaleString(currentLocale(), moment)}
    <br />
    {date.toLocaleString(currentLocale(), { ...moment, timeZone: "UTC" })}
  </>
);

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times of a page. */
function subscribe(onTick: () => void): () => void {
  listeners.add(onTick);
  timer ??= setInterval(() => {
    for (const listener of listeners) listener();
  }, TICK_MS);
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const never = () => () => undefined;
const inUtc = () => "UTC";
const inOwnZone = () => undefined;

/** The time zone: undefined is the browser's. The first render, which must match the server's, uses UTC. */
const useZone = () => useSyncExternalStore(never, inOwnZone, inUtc);

type TimeProps = { value: string | null; fallback?: string };

/**
 * A time relative to now, or as date and clock time for people who prefer that, with both zones in the tooltip; `fallback` for
 * null. The server does not know the browser's time zone, so the first render names UTC days. The server's words may be a moment
 * older than the browser's; that is no error.
 */
export function Time({ value, fallback = "–" }: TimeProps) {
  const timeZone = useZone();
  const isExact = useExactTimes();
  const date = new Date(value ?? 0);
  const inWords = () => toWords(date, timeZone, isExact);
  const words = useSyncExternalStore(subscribe, inWords, inWords);
  if (!value) return <span>{fallback}</span>;
  return (
    <Tooltip label={() => exact(date)}>
      <time dateTime={value} className={isExact ? "exact-time" : "nowrap"} suppressHydrationWarning>
        {words}
      </time>
    </Tooltip>
  );
}

/** A time among the details of one thing, with its exact form next to it, because touch and keyboard cannot hover. */
export function ExactTime({ value, fallback }: TimeProps) {
  const timeZone = useZone();
  const isExact = useExactTimes();
  if (!value) return <Time value={value} fallback={fallback} />;
  const written = new Date(value).toLocaleString(currentLocale(), { ...moment, timeZone });
  if (isExact) return <span suppressHydrationWarning>{written}</span>;
  return (
    <>
      <Time value={value} />{" "}
      <span className="dimmed small inline-block" suppressHydrationWarning>
        {written}
      </span>
    </>
  );
}
