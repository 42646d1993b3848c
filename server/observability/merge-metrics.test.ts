import { expect, test } from "vitest";
import { mergeMetrics } from "./merge-metrics";

const metric = (name: string, ...lines: string[]) =>
  [`# HELP ${name} words`, `# TYPE ${name} gauge`, ...lines].join("\n");

test("a metric of two processes has one help and one type, and the lines of both", () => {
  const own = `${metric("a", "a 1")}\n\n${metric("b", "b 2")}\n`;
  const other = metric("b", 'b{process="pages"} 3');
  expect(mergeMetrics(own, other)).toBe(`${metric("a", "a 1")}\n${metric("b", "b 2", 'b{process="pages"} 3')}\n`);
});

test("a metric that one process alone has stays as it is", () => {
  expect(mergeMetrics(metric("a", "a 1"), metric("c", "c 4"))).toBe(`${metric("a", "a 1")}\n${metric("c", "c 4")}\n`);
  expect(mergeMetrics(metric("a", "a 1"), "")).toBe(`${metric("a", "a 1")}\n`);
});
