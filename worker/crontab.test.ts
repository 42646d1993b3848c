import { expect, test } from "vitest";
import { recurring } from "./crontab";

test("recurring jobs do not pile up, and take no queue lock that could outlive its holder", () => {
  const items = recurring();
  expect(items.length).toBeGreaterThan(3);
  for (const { task, options } of items) expect(options).toEqual({ backfillPeriod: 0, jobKey: task });
});
