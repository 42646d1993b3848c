import { afterEach, expect, test, vi } from "vitest";

const counts = vi.hoisted(() => ({ made: 0, ended: 0 }));

/** A connection on which no statement is ever carried out. */
vi.mock("pg", () => ({
  default: {
    Client: class {
      on() {}
      async connect() {
        counts.made += 1;
      }
      async query() {
        throw new Error("Query read timeout");
      }
      async end() {
        counts.ended += 1;
      }
    },
  },
}));

afterEach(() => {
  vi.useRealTimers();
});

test("a lease that cannot be taken leaves no connection open", async () => {
  Object.assign(process.env, {
    DATABASE_URL: "postgresql://localhost/none",
    SECRET_KEY: "k".repeat(32),
    LOG_LEVEL: "silent",
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { keepLease } = await import("./lease");
  const taken = expect(keepLease(() => undefined)).rejects.toThrow("Query read timeout");
  await vi.advanceTimersByTimeAsync(62_000);
  await taken;
  expect(counts.made).toBeGreaterThan(1);
  expect(counts.ended).toBe(counts.made);
});
