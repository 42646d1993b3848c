import { expect, test } from "vitest";
import { LOCK_TRIES, patiently } from "./patiently";

/** Work of steps, each of which gets its lock at a certain try. */
function workOf(
  steps: Readonly<Record<string, number>>,
  failure = new Error("canceling statement due to lock timeout"),
) {
  const left = Object.entries(steps);
  const tries: string[] = [];
  const work = async () => {
    for (let [step] = left; step; [step] = left) {
      const [name, needed] = step;
      tries.push(name);
      if (tries.filter((each) => each === name).length < needed) throw failure;
      left.shift();
    }
    return "applied";
  };
  return { work, tries, step: async () => left[0]?.[0] ?? null };
}

test("each step is given all tries, however many the steps before it needed", async () => {
  const { work, tries, step } = workOf({ first: LOCK_TRIES, second: LOCK_TRIES, third: 1 });
  expect(await patiently(work, step, 0)).toBe("applied");
  expect(tries).toHaveLength(2 * LOCK_TRIES + 1);
});

test("a step that never gets its lock fails in the end", async () => {
  const { work, tries, step } = workOf({ first: LOCK_TRIES + 1 });
  await expect(patiently(work, step, 0)).rejects.toThrow("lock timeout");
  expect(tries).toHaveLength(LOCK_TRIES);
});

test("a deadlock with the service is a lock that was not to be had", async () => {
  const { work, step } = workOf({ first: 2 }, new Error("deadlock detected"));
  expect(await patiently(work, step, 0)).toBe("applied");
});

test.each([
  ["of the driver", Object.assign(new Error("Zeitüberschreitung der Sperre"), { code: "55P03" })],
  ["of the driver, by a deadlock", Object.assign(new Error("Verklemmung entdeckt"), { code: "40P01" })],
  ["of the engine", new Error("Database error code: 55P03\nFEHLER: Zeitüberschreitung der Sperre")],
])("a server with translated messages is understood: a failure %s", async (_, failure) => {
  const { work, step } = workOf({ first: 2 }, failure);
  expect(await patiently(work, step, 0)).toBe("applied");
});

test("another failure, and a step that may be half done, are not repeated", async () => {
  const failing = async () => {
    throw new Error("syntax error");
  };
  await expect(patiently(failing, async () => "first", 0)).rejects.toThrow("syntax error");
  const { work, tries } = workOf({ first: 2 });
  await expect(patiently(work, async () => null, 0)).rejects.toThrow("lock timeout");
  expect(tries).toEqual(["first"]);
});
