/**
 * A send to many as the browser stores it until it is over, so that a reload continues with the same batches and keys: the
 * service then carries out each batch once.
 */
import { isTestPage } from "@/app/_trpc/test-mode";
import { type ReadyRow, toBatches } from "./batches";

/** Result of a row. */
export type Result = { line: number; to: string; id: string; status: string; error: string };

export type Plan = {
  accountId: string;
  id: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  from: string;
  body: string;
  smart: boolean;
  rows: ReadyRow[];
  /** The results of the confirmed batches, in order. */
  results: Result[][];
};

/** The part of a browser's storage that plans need. */
export type PlanStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** A plan of test mode, with the keys of its batches, means nothing in live mode, and vice versa. */
const placeOfMode = () => (isTestPage() ? "messaging.send-many.test" : "messaging.send-many");
/** The service remembers keys for 24 hours; an hour is left for clocks that differ. */
const RESUMABLE_FOR_MS = 23 * 3_600_000;

/** The key of a batch: the same whenever the plan is resumed. */
export const keyOf = (plan: Plan, batch: number): string => `console-${plan.id}-${batch}`;

export const batchesOf = (plan: Plan): ReadyRow[][] => toBatches(plan.rows);

export const isFinished = (plan: Plan): boolean => plan.results.length === batchesOf(plan).length;

/** Whether the batches of a plan can still be repeated without being carried out twice. */
export const isResumable = (plan: Plan, nowMs: number): boolean => nowMs - plan.startedAt < RESUMABLE_FOR_MS;

const isPlan = (value: unknown): value is Plan =>
  typeof value === "object" && value !== null && "rows" in value && "results" in value && "startedAt" in value;

/** The stored plan; null: none. */
export function readPlan(storage: PlanStorage): Plan | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(placeOfMode()) ?? "null");
    return isPlan(value) ? value : null;
  } catch {
    return null;
  }
}

/** @throws the browser's error when there is no room; then nothing may be sent. */
export const keepPlan = (storage: PlanStorage, plan: Plan): void =>
  storage.setItem(placeOfMode(), JSON.stringify(plan));

export const dropPlan = (storage: PlanStorage): void => storage.removeItem(placeOfMode());
