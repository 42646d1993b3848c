import { expect, test } from "vitest";
import { type HealthSignal, type HealthWindow, healthOf, healthSignalOf, observe, openForMs } from "./breaker";

/** Whether the breaker opens at the last of these signals, which arrive one per second. */
function opensAtLast(signals: HealthSignal[], everyMs = 1_000): boolean {
  const window: HealthWindow = [];
  return signals.map((signal, at) => observe(window, signal, at * everyMs)).at(-1) ?? false;
}

const times = (count: number, signal: HealthSignal): HealthSignal[] => Array.from({ length: count }, () => signal);

test("five failures in a row open it, four do not", () => {
  expect(opensAtLast(times(4, "failed"))).toBe(false);
  expect(opensAtLast(times(5, "failed"))).toBe(true);
  expect(opensAtLast([...times(4, "failed"), "worked", ...times(4, "failed")])).toBe(false);
});

test("half of the calls failing opens it, once there are twenty", () => {
  const mixed = (count: number): HealthSignal[] =>
    Array.from({ length: count }, (_, at) => (at % 2 === 0 ? "worked" : "failed"));
  expect(opensAtLast(mixed(18))).toBe(false);
  expect(opensAtLast(mixed(20))).toBe(true);
  expect(opensAtLast([...times(15, "worked"), ...times(4, "failed")])).toBe(false);
});

test("signals older than half a minute are forgotten", () => {
  expect(opensAtLast(times(5, "failed"), 31_000)).toBe(false);
});

test("a fault of our account opens it at once", () => {
  expect(opensAtLast(["worked", "worked", "account"])).toBe(true);
});

test("each consecutive time it stays open twice as long, up to five minutes", () => {
  expect([0, 1, 2, 5, 40].map(openForMs)).toEqual([10_000, 20_000, 40_000, 300_000, 300_000]);
});

test("refusing a message is a signal of health, and throttling is no signal at all", () => {
  const refusal = { code: "x", detail: "X." };
  expect(healthSignalOf({ kind: "accepted", providerMessageIds: ["1"] })).toBe("worked");
  expect(healthSignalOf({ kind: "refused", ...refusal })).toBe("worked");
  expect(healthSignalOf({ kind: "unknown", ...refusal })).toBe("failed");
  expect(healthSignalOf({ kind: "retryable", fault: "provider", ...refusal })).toBe("failed");
  expect(healthSignalOf({ kind: "retryable", fault: "account", ...refusal })).toBe("account");
  expect(healthSignalOf({ kind: "retryable", fault: "throttled", ...refusal })).toBeNull();
  expect(healthSignalOf({ kind: "retryable", fault: "message", ...refusal })).toBeNull();
});

test("an exchange that a stall of this process has spoilt is no signal", () => {
  const ofStall = { code: "x", detail: "X.", isOurStall: true as const };
  expect(healthSignalOf({ kind: "unknown", ...ofStall })).toBeNull();
  expect(healthSignalOf({ kind: "retryable", fault: "provider", ...ofStall })).toBeNull();
  expect(healthSignalOf({ kind: "retryable", fault: "account", ...ofStall })).toBeNull();
});

test("health is the success share, reduced by slow responses, and never zero", () => {
  expect(healthOf({ worked: 9, failed: 0, slow: 9 })).toBe(1);
  expect(healthOf({ worked: 75, failed: 25, slow: 0 })).toBe(0.75);
  expect(healthOf({ worked: 100, failed: 0, slow: 100 })).toBe(0.5);
  expect(healthOf({ worked: 0, failed: 100, slow: 0 })).toBe(0.05);
});
