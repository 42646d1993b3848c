import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type JobName, QUEUES } from "../server/core/jobs";
import { RECURRING } from "./schedule";

type Rule = { alert: string; expr: string };

const { groups } = parse(readFileSync("deploy/prometheus/alerts.yml", "utf8")) as { groups: { rules: Rule[] }[] };

const exprOf = (alert: string): string => {
  const rule = groups.flatMap(({ rules }) => rules).find((own) => own.alert === alert);
  if (!rule) throw new Error(`There is no alert ${alert}.`);
  return rule.expr;
};

const { sweeps, housekeeping, ...others } = QUEUES;
const all: JobName[] = [...sweeps, ...housekeeping, ...Object.values(others).flat()];

/** The jobs that the expression of an alert selects by its label `task`. */
function selectedBy(alert: string): JobName[] {
  const [, operator, pattern] = /task(=~|!~)"([^"]+)"/.exec(exprOf(alert)) ?? [];
  if (pattern === undefined) throw new Error(`${alert} selects no tasks.`);
  const matcher = new RegExp(`^(?:${pattern})$`);
  return all.filter((name) => matcher.test(name) === (operator === "=~")).sort();
}

test("queue lag raises an alert for every job except the recurring ones", () => {
  expect(selectedBy("MessagingQueueLag")).toEqual(Object.values(others).flat().sort());
});

test("every recurring job that is no longer done raises the alert for its interval", () => {
  const ofMinute = RECURRING.flatMap(({ task, minute }) => (minute === null ? [task] : []));
  expect(ofMinute).toContain("sweep_messages");
  expect(selectedBy("MessagingSweepNotDone")).toEqual(ofMinute.sort());
  expect(selectedBy("MessagingHourlyJobNotDone")).toEqual(housekeeping.toSorted());
});

test("a provider is down until its breaker closes or it is drained: a half-open one waits for messages", () => {
  expect(exprOf("MessagingBreakerOpen").split("\n")).toEqual([
    "max by (provider) (messaging_provider_breaker_state) > 0 unless max by (provider) (messaging_provider_drained) > 0",
  ]);
});

test("a ledger that was never compared raises an alert too, however often processes restart", () => {
  // 0 means never and must be included; the last time outlives the process that compared.
  expect(exprOf("MessagingLedgerUnchecked")).toBe(
    "time() - max(max_over_time(messaging_ledger_check_timestamp_seconds[1h])) > 3600",
  );
});
