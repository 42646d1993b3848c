import { expect, test } from "vitest";
import { QUEUES } from "@/server/core/jobs";
import { recurring } from "./crontab";

test("recurring jobs do not pile up, and take no queue lock that could outlive its holder", () => {
  const items = recurring();
  expect(items.length).toBeGreaterThan(3);
  for (const { task, options } of items) expect(options).toEqual({ backfillPeriod: 0, jobKey: task });
});

test("jobs of every minute have a queue of their own, and jobs of every hour another", () => {
  const [ofMinute, ofHour]: string[][] = [[], []];
  for (const { task, match } of recurring()) {
    const runs = Array.from({ length: 60 }, (_, min) => match({ min, hour: 0, date: 1, month: 1, dow: 1 })).filter(
      Boolean,
    );
    (runs.length > 1 ? ofMinute : ofHour)?.push(task);
  }
  expect(ofMinute?.sort()).toEqual([...QUEUES.sweeps].sort());
  expect(ofHour?.sort()).toEqual([...QUEUES.housekeeping].sort());
});
