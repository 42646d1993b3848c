import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const FOLDER = path.join(import.meta.dirname, "..", "docs", "decisions");
const read = (name: string): string => readFileSync(path.join(FOLDER, name), "utf8");

const names = readdirSync(FOLDER).filter((name) => name !== "README.md");
/** Number and title, then one line each for status, date and any changes. */
const HEAD =
  /^# (\d{4}) (.+)\n\n- Status: (.+)\n- Date: (\d{4}-\d{2}-\d{2})\n(?:- Changed: \d{4}-\d{2}-\d{2} \(.+\)\n)*\n/;
const headOf = (name: string) => {
  const [, number = "", title = "", status = "", date = ""] = HEAD.exec(read(name)) ?? [];
  return { number, title, status, date };
};

test("numbers are unique and without gaps", () => {
  const numbers = names.map((name) => Number(name.slice(0, 4))).sort((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
});

describe.each(names)("%s", (name) => {
  test("begins with its number, title, status and date", () => {
    expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    expect(read(name)).toMatch(HEAD);
    const { number, date } = headOf(name);
    expect(name.startsWith(`${number}-`)).toBe(true);
    expect(Number.isNaN(Date.parse(date))).toBe(false);
  });

  test("is accepted, or links the decision that supersedes it", () => {
    const { status } = headOf(name);
    const [, number, file = ""] = /^superseded by \[(\d{4})\]\((.+\.md)\)$/.exec(status) ?? [];
    if (status === "accepted") return;
    expect(names).toContain(file);
    expect(file.startsWith(`${number}-`)).toBe(true);
  });
});

test("the index lists every decision in order, as its head describes it", () => {
  const rows = read("README.md")
    .split("\n")
    .filter((line) => line.startsWith("| ["));
  const expected = names.sort().map((name) => {
    const { number, title, status, date } = headOf(name);
    return `| [${number}](${name}) | ${title} | ${status} | ${date} |`;
  });
  expect(rows).toEqual(expected);
});
