import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violation = { id: string; nodes: { target: unknown[]; failureSummary?: string }[] };

/** All that axe finds wrong with the page as it is shown now: a line per rule and element. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run: (context: Document, options: object) => Promise<{ violations: Violation[] }> };
    };
    const options = { rules: { "label-content-name-mismatch": { enabled: true } } };
    return (await axe.run(document, options)).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}
