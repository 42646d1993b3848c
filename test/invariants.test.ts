import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

const document = read("docs/invariants.md");
const NAMED = /^\s*- `([^`]+\.(?:test|spec)\.ts)`: "(.+)"$/gm;
const named = [...document.matchAll(NAMED)].map(([, file = "", name = ""]) => ({ file, name }));

test("every invariant names tests", () => {
  const sections = document.split(/^## /m).slice(1);
  expect(sections.length).toBeGreaterThan(0);
  for (const section of sections) expect(section.match(NAMED), section.split("\n")[0]).not.toBeNull();
});

describe("the tests that docs/invariants.md names exist", () => {
  test.each(named)("$file: $name", ({ file, name }) => {
    // In a call with further arguments, the name is on a separate line.
    expect(read(file).replaceAll(/\(\s+"/g, '("')).toContain(`("${name}"`);
  });
});

test("the rows of npm run prove that it names are printed", () => {
  const report = read("e2e/prove/judge/report.ts");
  const rows = [...document.matchAll(/^- `npm run prove`: (.+)$/gm)].map(([, row = ""]) => row);
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    // A name may contain a comma.
    const isNamed = report.includes(`"${row}"`) || row.split(", ").every((name) => report.includes(`"${name}"`));
    expect(isNamed, row).toBe(true);
  }
});
