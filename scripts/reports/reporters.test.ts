import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { REPORT_FILE, readReport } from "./report";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "messaging-reporters-"));
  symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function reportOf(files: Record<string, string>, program: string, args: string[]) {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const file = path.join(folder, "report.json");
  const { PATH, HOME } = process.env;
  spawnSync(process.execPath, [path.resolve("node_modules", program), ...args], {
    cwd: folder,
    env: { PATH, HOME, NODE_ENV: "test", [REPORT_FILE]: file },
  });
  return readReport(file);
}

test("Vitest's report names failures in tests, in files that do not load, and outside tests", () => {
  const reporter = path.resolve("scripts/reports/vitest-reporter.ts");
  const files = {
    "a.test.ts": `import { expect, test } from "vitest";
      test("passes", () => undefined);
      test("fails", () => { expect("one").toBe("two"); });
      test.skip("is skipped", () => undefined);`,
    "b.test.ts": `import "./not-there";`,
    "c.test.ts": `import { test } from "vitest";
      test("leaves something behind", async () => {
        void Promise.reject(new Error("nobody caught this"));
        await new Promise((resolve) => setTimeout(resolve, 50));
      });`,
    "vitest.config.mjs": `export default { test: { name: "own" } };`,
  };
  expect(reportOf(files, "vitest/vitest.mjs", ["run", `--reporter=${reporter}`])).toEqual({
    passed: 2,
    failed: 1,
    failures: [
      expect.stringMatching(/^own > b\.test\.ts\n {4}.*not-there/),
      expect.stringMatching(/^own > a\.test\.ts > fails\n {4}AssertionError: expected 'one' to be 'two'/),
      expect.stringMatching(
        /^Outside of a test, during c\.test\.ts > leaves something behind\n {4}Error: nobody caught this\n.*c\.test\.ts/,
      ),
    ],
  });
});

test("Playwright's report names failures in tests and outside them", () => {
  const reporter = path.resolve("scripts/reports/playwright-reporter.ts");
  const files = {
    "a.spec.ts": `import { expect, test } from "@playwright/test";
      test("passes", () => undefined);
      test("fails", () => { expect("one").toBe("two"); });
      test.skip("is skipped", () => undefined);`,
    "playwright.config.ts": `export default { reporter: [[${JSON.stringify(reporter)}]], globalTeardown: "./teardown.ts" };`,
    "teardown.ts": `export default () => { throw new Error("nothing stopped"); };`,
  };
  expect(reportOf(files, "@playwright/test/cli.js", ["test"])).toEqual({
    passed: 1,
    failed: 1,
    failures: [
      expect.stringMatching(/^a\.spec\.ts > fails\n {4}Error: expect\(received\)\.toBe\(expected\)/),
      expect.stringMatching(/^Outside of a test\n {4}Error: nothing stopped/),
    ],
  });
});
