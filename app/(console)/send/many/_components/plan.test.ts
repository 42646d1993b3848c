import { expect, it, vi } from "vitest";
import {
  batchesOf,
  dropPlan,
  isFinished,
  isResumable,
  keepPlan,
  keyOf,
  type Plan,
  type PlanStorage,
  readPlan,
} from "./plan";

const mode = vi.hoisted(() => ({ isTest: false }));
vi.mock("@/app/_trpc/test-mode", () => ({ isTestPage: () => mode.isTest }));

const plan: Plan = {
  accountId: "acc_1",
  id: "abc",
  startedAt: 1_000,
  from: "DEMO",
  body: "Hello",
  smart: false,
  rows: Array.from({ length: 600 }, (_, at) => ({ line: at + 1, to: `+1415555${at + 10_000}`, variables: {} })),
  results: [],
};

function memory(): PlanStorage {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  };
}

it("a reload continues with the same batches and keys", () => {
  const storage = memory();
  keepPlan(storage, plan);
  const read = readPlan(storage);
  expect(read).toEqual(plan);
  if (!read) return;
  expect(batchesOf(read)).toEqual(batchesOf(plan));
  expect(batchesOf(plan).map((_, at) => keyOf(plan, at))).toEqual(["console-abc-0", "console-abc-1"]);
  expect(isFinished(plan)).toBe(false);
  expect(isFinished({ ...plan, results: [[], []] })).toBe(true);
  dropPlan(storage);
  expect(readPlan(storage)).toBeNull();
});

it("is resumed only while the service remembers its keys", () => {
  expect(isResumable(plan, 1_000 + 22 * 3_600_000)).toBe(true);
  expect(isResumable(plan, 1_000 + 24 * 3_600_000)).toBe(false);
});

it("unreadable stored data is no plan", () => {
  const storage = memory();
  storage.setItem("messaging.send-many", "{");
  expect(readPlan(storage)).toBeNull();
  storage.setItem("messaging.send-many", "7");
  expect(readPlan(storage)).toBeNull();
});

it("keeps the plans of test mode and of live mode apart", () => {
  const storage = memory();
  mode.isTest = true;
  keepPlan(storage, plan);
  mode.isTest = false;
  expect(readPlan(storage)).toBeNull();
  dropPlan(storage);
  mode.isTest = true;
  expect(readPlan(storage)).toEqual(plan);
  mode.isTest = false;
});
