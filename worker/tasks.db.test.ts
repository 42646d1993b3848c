import type { JobHelpers } from "graphile-worker";
import { expect, test } from "vitest";
import { metrics } from "@/server/core/metrics";
import { exclusively } from "./lease";
import { sweepTasks } from "./tasks";

const fold = async () =>
  sweepTasks.fold_list_totals({}, {
    job: { id: "1", attempts: 1 },
    abortSignal: new AbortController().signal,
  } as unknown as JobHelpers);

/** Counts of runs of the job, by outcome. */
async function runs(): Promise<Record<string, number>> {
  const { values } = await metrics().jobs.get();
  return Object.fromEntries(
    values
      .filter(({ metricName, labels }) => metricName?.endsWith("_count") && labels.task === "fold_list_totals")
      .map(({ labels, value }) => [labels.outcome, value]),
  );
}

test("a recurring job that finds another run in progress counts as skipped, not done: otherwise a hanging one would seem done", async () => {
  await fold();
  expect(await runs()).toEqual({ done: 1 });
  await exclusively("fold_list_totals", fold);
  expect(await runs()).toEqual({ done: 1, skipped: 1 });
});
