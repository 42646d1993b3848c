import type { Page } from "@playwright/test";
import axeCore, { type AxeResults } from "axe-core";

/** The violations that axe finds on the current page, a line per rule and element. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axeCore.source);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run: (context: Document, options: object) => Promise<AxeResults> };
    };
    const options = { rules: { "label-content-name-mismatch": { enabled: true } } };
    return (await axe.run(document, options)).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}
