import { expect, test } from "vitest";
import { QUEUES } from "@/server/core/jobs";
import { RECURRING } from "./schedule";

test("jobs of every minute have their own queue, and jobs of every hour another", () => {
  const tasksOf = (isOfMinute: boolean) =>
    RECURRING.filter(({ minute }) => (minute === null) === isOfMinute).map(({ task }) => task);
  expect(tasksOf(true).sort()).toEqual([...QUEUES.sweeps].sort());
  expect(tasksOf(false).sort()).toEqual([...QUEUES.housekeeping].sort());
});
