import { readFileSync } from "node:fs";
import path from "node:path";
import { collectDefaultMetrics, Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { metrics } from "../core/metrics";

/** Names and types of our metrics as the code declares them. */
const declared = (): string[] =>
  metrics()
    .registry.getMetricsAsArray()
    .map((metric) => `${metric.name} ${"type" in metric ? metric.type : ""}`)
    .sort();

const names = (registry: Registry): string[] => registry.getMetricsAsArray().map(({ name }) => name);

const processNames = (): string[] => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return names(registry);
};

test("docs/operations.md lists every metric with its type, and no other", () => {
  const rows = [...readFileSync("docs/operations.md", "utf8").matchAll(/^\| `(messaging_\w+)` \| (\w+) \|/gm)];
  expect(rows.map(([, name, type]) => `${name} ${type}`).sort()).toEqual(declared());
});

test("names follow Prometheus: a unit at the end, and `_total` for counters only", () => {
  for (const line of declared()) {
    const [name = "", type] = line.split(" ");
    expect(name).toMatch(/^messaging_[a-z_]+$/);
    expect(name.endsWith("_total"), name).toBe(type === "counter");
    if (type === "histogram") expect(name).toMatch(/_(seconds|items)$/);
  }
});

describe.each(["deploy/prometheus/alerts.yml", "deploy/grafana/dashboard.json"])("%s", (file) => {
  test("names only metrics that a process has", () => {
    const known = new Set([...names(metrics().registry), ...processNames()]);
    const text = readFileSync(path.normalize(file), "utf8");
    const used = [...text.matchAll(/\b(?:messaging|nodejs|process)_[a-z_]+\b/g)].map(([name]) => name);
    expect(used.length).toBeGreaterThan(5);
    const unknown = used.filter((name) => !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, "")));
    expect(unknown).toEqual([]);
  });
});
