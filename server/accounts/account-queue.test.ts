import { afterEach, expect, test, vi } from "vitest";
import { databaseUnavailable } from "../core/errors";
import { inAccountQueue } from "./account-queue";

afterEach(() => {
  vi.useRealTimers();
});

/** Work that ends on demand. */
function openWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      ends.set(name, () => resolve(name));
    });
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

const TOO_MANY = { status: 429, retryAfterS: 1, wire: { details: { reason: "too_many_at_once" } } };

test("an account's work is done one after the other, in the order in which it was asked for", async () => {
  const { begun, work, end } = openWork();
  const [one, two, three] = ["one", "two", "three"].map((name) => inAccountQueue("acc_order", work(name)));
  expect(begun).toEqual(["one"]);
  end("one");
  await one;
  await expect.poll(() => begun).toEqual(["one", "two"]);
  end("two");
  await two;
  await expect.poll(() => begun).toEqual(["one", "two", "three"]);
  end("three");
  expect(await three).toBe("three");
});

test("accounts do not wait for each other", () => {
  const { begun, work } = openWork();
  void inAccountQueue("acc_a", work("a"));
  void inAccountQueue("acc_b", work("b"));
  expect(begun).toEqual(["a", "b"]);
});

test("work that fails lets the next begin", async () => {
  const failing = inAccountQueue("acc_fails", () => Promise.reject(new Error("It failed.")));
  const next = inAccountQueue("acc_fails", async () => "done");
  await expect(failing).rejects.toThrow("It failed.");
  expect(await next).toBe("done");
});

test("past a hundred that wait a request is refused at once, and there is room again afterwards", async () => {
  const { work, end } = openWork();
  const first = inAccountQueue("acc_full", work("first"));
  const waiting = Array.from({ length: 100 }, () => inAccountQueue("acc_full", async () => "done"));
  await expect(inAccountQueue("acc_full", async () => "never")).rejects.toMatchObject(TOO_MANY);
  end("first");
  await first;
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["done"]));
  expect(await inAccountQueue("acc_full", async () => "room")).toBe("room");
});

test("a place in the queue that does not come within five seconds is given up, and its work never begins", async () => {
  vi.useFakeTimers();
  const { begun, work, end } = openWork();
  const first = inAccountQueue("acc_slow", work("first"));
  const late = expect(inAccountQueue("acc_slow", work("late"))).rejects.toMatchObject({
    status: 503,
    wire: { details: { reason: "overloaded" } },
  });
  await vi.advanceTimersByTimeAsync(5_000);
  await late;
  end("first");
  await first;
  expect(begun).toEqual(["first"]);
});

test("while the database is away all that wait hear it together with the first", async () => {
  const away = databaseUnavailable({ nothingDone: true });
  const all = ["one", "two", "three"].map(() => inAccountQueue("acc_away", () => Promise.reject(away)));
  expect((await Promise.allSettled(all)).map((end) => end.status === "rejected" && end.reason)).toEqual([
    away,
    away,
    away,
  ]);
  expect(await inAccountQueue("acc_away", async () => "back")).toBe("back");
});
