"use client";

import { useSyncExternalStore } from "react";
import { Tooltip } from "../tooltip";

const TICK_MS = 10_000;
const STEPS: ReadonlyArray<{ unit: Intl.RelativeTimeFormatUnit; seconds: number; below: number }> = [
  { unit: "minute", seconds: 60, below: 3_600 },
  { unit: "hour", seconds: 3_600, below: 86_400 },
  { unit: "day", seconds: 86_400, below: 30 * 86_400 },
];
const JUST_NOW_S = 45;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** 90 s ago -> "1 minute ago"; a date beyond 30 days. */
function toWords(date: Date, nowMs: number): string {
  const ageS = (nowMs - date.getTime()) / 1_000;
  if (Math.abs(ageS) < JUST_NOW_S) return ageS >= 0 ? "just now" : "in a moment";
  const step = STEPS.find((entry) => Math.abs(ageS) < entry.below);
  if (!step) return date.toLocaleDateString("en", { dateStyle: "medium" });
  const amount = Math.max(1, Math.round(Math.abs(ageS) / step.seconds));
  return relative.format(ageS >= 0 ? -amount : amount, step.unit);
}

function subscribe(onTick: () => void): () => void {
  const timer = setInterval(onTick, TICK_MS);
  return () => clearInterval(timer);
}
const readTick = () => Math.floor(Date.now() / TICK_MS);
const noTick = () => null;

/**
 * A time relative to now, exact in the tooltip; `fallback` for null. The server does not know the browser's time zone,
 * so the first render shows UTC and hydration replaces it.
 */
export function Time({ value, fallback = "–" }: { value: string | null; fallback?: string }) {
  const tick = useSyncExternalStore<number | null>(subscribe, readTick, noTick);
  if (!value) return <span>{fallback}</span>;
  const date = new Date(value);
  const words = tick === null ? value.slice(0, 16).replace("T", " ") : toWords(date, Date.now());
  const exact = tick === null ? value : date.toLocaleString("en", { dateStyle: "medium", timeStyle: "long" });
  return (
    <Tooltip label={exact}>
      <time dateTime={value} style={{ whiteSpace: "nowrap" }}>
        {words}
      </time>
    </Tooltip>
  );
}
