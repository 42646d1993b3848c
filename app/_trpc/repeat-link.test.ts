import { type OperationResultEnvelope, TRPCClientError } from "@trpc/client";
import { type Observer, observable } from "@trpc/server/observable";
import { expect, test, vi } from "vitest";
import { repeatOnceSatisfied } from "./repeat-link";

const refused = new TRPCClientError<never>("Your session has ended.");

/** Makes a call through the link. `calls`: those that reach the transport. */
function callThrough(satisfy: (error: unknown) => Promise<boolean>) {
  const calls: Observer<OperationResultEnvelope<unknown, never>, never>[] = [];
  const next = () =>
    observable((observer) => {
      calls.push(observer as never);
      return () => undefined;
    });
  const seen = { next: vi.fn(), error: vi.fn(), complete: vi.fn() };
  const link = repeatOnceSatisfied(satisfy)({} as never);
  const call = link({ op: {} as never, next: next as never }).subscribe(seen);
  return { calls, call, seen };
}

test("a refused call is repeated once the person has done what it requires", async () => {
  const { calls, seen } = callThrough(async () => true);
  calls[0]?.error(refused as never);
  await expect.poll(() => calls.length).toBe(2);
  calls[1]?.next({ result: { type: "data", data: 1 } });
  expect(seen.next).toHaveBeenCalledOnce();
  expect(seen.error).not.toHaveBeenCalled();
});

test("a call whose refusal stands, or that is refused again and again, fails", async () => {
  const denied = callThrough(async () => false);
  denied.calls[0]?.error(refused as never);
  await expect.poll(() => denied.seen.error.mock.calls.length).toBe(1);
  const again = callThrough(async () => true);
  for (const at of [0, 1, 2]) {
    await expect.poll(() => again.calls.length).toBe(at + 1);
    again.calls[at]?.error(refused as never);
  }
  await expect.poll(() => again.seen.error.mock.calls.length).toBe(1);
  expect(again.calls).toHaveLength(3);
});

test("a call that its page abandoned while the person was asked is not repeated", async () => {
  let answer: (isSatisfied: boolean) => void = () => undefined;
  const { calls, call, seen } = callThrough(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  calls[0]?.error(refused as never);
  call.unsubscribe();
  answer(true);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(calls).toHaveLength(1);
  expect(seen.error).not.toHaveBeenCalled();
});
