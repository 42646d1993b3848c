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

/** The labels that the code declares, by metric. */
const labels = (): Map<string, readonly string[]> =>
  new Map(
    metrics()
      .registry.getMetricsAsArray()
      .map((metric) => [metric.name, "labelNames" in metric ? (metric.labelNames as string[]) : []]),
  );

test("docs/operations.md lists every metric with its type and labels, and no other", () => {
  const guide = readFileSync("docs/operations.md", "utf8");
  const rows = [...guide.matchAll(/^\| `(messaging_\w+)` \| (\w+) \| ([a-z, ]*?) ?\|/gm)];
  expect(rows.map(([, name, type]) => `${name} ${type}`).sort()).toEqual(declared());
  const listed = rows.map(([, name = "", , names = ""]) => [name, names.split(", ").filter(Boolean)] as const);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(labels()));
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

  test("names only labels that their metrics have", () => {
    // Prometheus adds these two, and `le` is that of a histogram's buckets.
    const ofScrapes = ["job", "instance", "le"];
    const text = readFileSync(path.normalize(file), "utf8");
    const used = [...text.matchAll(/\b(messaging_[a-z_]+)\{([^}]*)\}/g)].flatMap(([, name = "", selectors = ""]) =>
      [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => ({ name, label })),
    );
    expect(used.length).toBeGreaterThan(0);
    const known = (name: string) => labels().get(name.replace(/_(bucket|sum|count)$/, "")) ?? labels().get(name) ?? [];
    expect(used.filter(({ name, label }) => !known(name).includes(label))).toEqual([]);
    const grouped = [...text.matchAll(/\bby \(([^)]*)\)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)/g)].flatMap(
      ([, names = "", of = ""]) =>
        [...of.matchAll(/\bmessaging_[a-z_]+/g)].flatMap(([name]) =>
          names.split(/, */).map((label) => ({ name, label })),
        ),
    );
    expect(grouped.length).toBeGreaterThan(5);
    const isKnown = ({ name, label }: { name: string; label: string }) =>
      ofScrapes.includes(label) || known(name).includes(label);
    expect(grouped.filter((each) => !isKnown(each))).toEqual([]);
  });
});
