import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type { AxeResults } from "axe-core";

/** Axe, minified, because each page has to compile it. */
let source = "";
function axeSource(): string {
  source ||= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  return source;
}

/** Rules that depend on colors, the only thing that a theme changes. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * The violations that axe finds on the current page, a line per rule and element.
 * @param rules Ids of the rules to check; omitted: all.
 */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource());
  const violations = await page.evaluate(async (only) => {
    const { axe } = window as unknown as {
      axe: { run: (context: Document, options: object) => Promise<AxeResults> };
    };
    const options = {
      resultTypes: ["violations"],
      ...(only ? { runOnly: only } : { rules: { "label-content-name-mismatch": { enabled: true } } }),
    };
    return (await axe.run(document, options)).violations;
  }, rules);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}

const WAYS = [
  { name: "light", colorScheme: "light", width: 1_280, height: 800, rules: undefined },
  { name: "dark", colorScheme: "dark", width: 1_280, height: 800, rules: COLOR_RULES },
  { name: "on a phone", colorScheme: "light", width: 360, height: 740, rules: undefined },
] as const;

/** Waits for the heading, what is still loading, and the transitions to another theme or width. */
async function isSettled(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
}

/** Violations on the current page in the light and the dark theme and on a phone, each a line with its view. */
export async function barriersOf(page: Page): Promise<string[]> {
  const barriers: string[] = [];
  for (const { name, colorScheme, width, height, rules } of WAYS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
    await isSettled(page);
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    if (isTooWide) barriers.push(`${name}: the page scrolls sideways`);
    barriers.push(...(await violationsOf(page, rules)).map((violation) => `${name}: ${violation}`));
  }
  return barriers;
}
