/**
 * Checks every regular expression of the product for the work that a hostile input can cause (ReDoS): statically, or, if it has
 * lookarounds, by searching for such an input and counting the steps of a backtracking matcher. Time is not measured.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { parseSync } from "@swc/core";
import { check } from "recheck";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";

const ROOT = path.resolve(import.meta.dirname, "..");
/** The code that reads input from outside: everything in the web process, the worker, the browser and the client. */
const SOURCES = ["server", "worker", "app", "sdk/src"];

type Found = { patterns: { source: string; flags: string }[]; made: number };

/** The regular expressions of a file: its literals, and the number of those built from strings, which cannot be checked here. */
function patternsOf(file: string): Found {
  const found: Found = { patterns: [], made: 0 };
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if ("type" in node && node.type === "RegExpLiteral" && "pattern" in node && "flags" in node)
      found.patterns.push({ source: String(node.pattern), flags: String(node.flags) });
    if ("callee" in node && typeof node.callee === "object" && node.callee !== null)
      if ("value" in node.callee && node.callee.value === "RegExp") found.made += 1;
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(parseSync(readFileSync(path.join(ROOT, file), "utf8"), { syntax: "typescript", tsx: file.endsWith("x") }));
  return found;
}

const files = SOURCES.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => path.join(folder, file)),
)
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.d\.ts$/.test(file))
  .sort();

type Attack = { pattern: string; growth: string; attack: string };

/** An input that costs a pattern more than linear work; null when none is known. */
async function attackOn(source: string, flags: string): Promise<Attack | null> {
  const verdict = await check(source, flags, { timeout: null, attackTimeout: null, incubationTimeout: null });
  if (verdict.status === "safe") return null;
  const pattern = `/${source}/${flags}`;
  if (verdict.status === "unknown") return { pattern, growth: "unknown", attack: JSON.stringify(verdict.error) };
  return { pattern, growth: verdict.complexity.summary, attack: verdict.attack.pattern };
}

/** Whether the checker's native program for this machine exists, which takes a fifth of the JavaScript version's time. */
function hasProgram(): boolean {
  const system = { linux: "linux", darwin: "macos", win32: "windows" }[process.platform as string];
  try {
    createRequire(import.meta.url).resolve(`recheck-${system}-${process.arch}/package.json`);
    return true;
  } catch {
    return false;
  }
}

beforeAll(() => {
  vi.stubEnv("RECHECK_BACKEND", hasProgram() ? "native" : "pure");
});

describe("the judge", () => {
  test.each([
    ["^ |[ ,:;]+$", "g", "2nd degree polynomial"],
    ["^(a+)+$", "", "exponential"],
    ["^\\s*(.*?)\\s*$", "s", "2nd degree polynomial"],
  ])("finds the attack on /%s/", async (source, flags, growth) => {
    expect(await attackOn(source, flags)).toMatchObject({ growth });
  });

  test("accepts a run that is scanned once", async () => {
    expect(await attackOn("(?<![ ,:;])[ ,:;]+$", "")).toBeNull();
  });
});

describe("no input costs a regular expression more than linear work", () => {
  const found = files.map((file) => ({ file, ...patternsOf(file) })).filter(({ patterns }) => patterns.length > 0);

  test("there are expressions to check", () => {
    expect(found.length).toBeGreaterThan(20);
  });

  test.each(found)("$file", async ({ patterns }) => {
    const attacks = await Promise.all(patterns.map(({ source, flags }) => attackOn(source, flags)));
    expect(attacks.filter(Boolean)).toEqual([]);
  });

  test.each([
    ["email", z.regexes.email],
    ["date and time", z.regexes.datetime({ offset: true })],
  ])("expressions of zod itself: %s", async (_, { source, flags }) => {
    expect(await attackOn(source, flags)).toBeNull();
  });
});

test("no regular expression is built from a string", () => {
  expect(files.filter((file) => patternsOf(file).made > 0)).toEqual([]);
});
