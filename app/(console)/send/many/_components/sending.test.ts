import { afterEach, expect, it } from "vitest";
import type { BulkResult } from "@/server/messages/schema";
import { type Plan, readPlan } from "./plan";
import { carryOut, putPlanAway, restorePlan, sendingStore, stopSending } from "./sending";

const plan = (): Plan => ({
  accountId: "acc_1",
  id: "abc",
  startedAt: Date.now(),
  from: "DEMO",
  body: "Hello",
  smart: false,
  rows: Array.from({ length: 1_620 }, (_, at) => ({ line: at + 1, to: `+1415555${at + 1_000}`, variables: {} })),
  results: [],
});

const kept = new Map<string, string>();
const storage = {
  getItem: (name: string) => kept.get(name) ?? null,
  setItem: (name: string, value: string) => void kept.set(name, value),
  removeItem: (name: string) => void kept.delete(name),
};

/** A service that responds to a batch when it is told to. */
function service() {
  const asked: number[] = [];
  const pending: Array<{ resolve: (result: BulkResult) => void; reject: (error: Error) => void }> = [];
  const send = (_: Plan, at: number) => {
    asked.push(at);
    return new Promise<BulkResult>((resolve, reject) => pending.push({ resolve, reject }));
  };
  const settle = async (how: "accept" | "fail") => {
    const batch = pending.shift();
    if (how === "accept") batch?.resolve({ messages: [] } as unknown as BulkResult);
    else batch?.reject(new Error("lost"));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { asked, send, accept: () => settle("accept"), fail: () => settle("fail") };
}

const confirmed = () => sendingStore.read().plan?.results.flat().length;

afterEach(() => putPlanAway(storage));

it("stops after the batch under way, which is counted; then the rest can be discarded, or sent", async () => {
  const { asked, send, accept } = service();
  const over = carryOut(storage, plan(), send);
  await accept();
  expect(confirmed()).toBe(500);
  stopSending();
  expect(sendingStore.read()).toMatchObject({ isSending: true, isStopping: true });
  await accept();
  await over;
  expect(asked).toEqual([0, 1]);
  expect(confirmed()).toBe(1_000);
  const { plan: stopped } = sendingStore.read();
  expect(readPlan(storage)).toEqual(stopped);
  if (!stopped) return;
  const rest = carryOut(storage, stopped, send);
  await accept();
  await accept();
  await rest;
  expect(asked).toEqual([0, 1, 2, 3]);
  expect(sendingStore.read()).toMatchObject({ isSending: false, isStopping: false });
});

it("a running plan is neither discarded nor started twice, and the page finds it on return", async () => {
  const { asked, send, accept } = service();
  const over = carryOut(storage, plan(), send);
  await carryOut(storage, { ...plan(), id: "other" }, send);
  restorePlan(storage, "acc_1");
  expect(sendingStore.read()).toMatchObject({ isSending: true, plan: { id: "abc" } });
  putPlanAway(storage);
  await accept();
  await over;
  expect(asked).toEqual([0]);
  expect(confirmed()).toBe(500);
  putPlanAway(storage);
  expect(sendingStore.read().plan).toBeNull();
  expect(readPlan(storage)).toBeNull();
});

it("a batch that is lost is shown as such, and stays in the plan", async () => {
  const { send, fail } = service();
  const over = carryOut(storage, plan(), send);
  await fail();
  await over;
  expect(sendingStore.read()).toMatchObject({ isSending: false, error: new Error("lost") });
  expect(confirmed()).toBe(0);
});

it("a plan of another account is discarded", () => {
  storage.setItem("messaging.send-many", JSON.stringify(plan()));
  restorePlan(storage, "acc_2");
  expect(sendingStore.read().plan).toBeNull();
  expect(readPlan(storage)).toBeNull();
});
