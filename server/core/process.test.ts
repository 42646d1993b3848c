import { afterEach, expect, test, vi } from "vitest";
import { defineProcessValue, limitStop, onShutdown, runUntilStopped } from "./process";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a process value is made once, at its first use", () => {
  let made = 0;
  const value = defineProcessValue("test.once", () => {
    made += 1;
    return { made };
  });
  expect(made).toBe(0);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});

test("a name that is declared twice is an error", () => {
  defineProcessValue("test.twice", () => 1);
  expect(() => defineProcessValue("test.twice", () => "1")).toThrow('"test.twice" is declared twice');
});

test("a stop that does not finish is cut short in time, and says so first", async () => {
  const before = process.listeners("SIGTERM");
  vi.useFakeTimers();
  const ended: string[] = [];
  vi.spyOn(process, "exit").mockImplementation(((code: number) => ended.push(`exit ${code}`)) as never);
  await runUntilStopped("test", async () => {
    limitStop(35_000, () => ended.push("said"));
    onShutdown(() => new Promise(() => undefined));
  });
  const [stop] = process.listeners("SIGTERM").filter((listener) => !before.includes(listener));
  stop?.("SIGTERM");
  await vi.advanceTimersByTimeAsync(34_999);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual(["said", "exit 1"]);
  for (const signal of ["SIGTERM", "SIGINT"] as const) if (stop) process.off(signal, stop);
  if (stop) process.off("disconnect", stop as never);
});
