import { defineConfig } from "@playwright/test";
import { installedChromium } from "./scripts/debian-chromium";

/** Against an installation that already runs: the smoke tests only, one after another, since they share its account. */
const smoke = process.env.E2E_BASE_URL ? { grep: /@smoke/, workers: 1 } : {};

/** Not against an installation that already runs: its books and logs are nobody's business here. */
const finalChecks = process.env.E2E_BASE_URL ? {} : { teardown: "final checks" };

const UNFINISHED_REQUESTS = "security/receipts.spec.ts";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  globalSetup: "./e2e/support/service.ts",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  workers: 6,
  retries: 0,
  // Generous: a slow machine is no failure.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  ...smoke,
  reporter: [["list"], ["./scripts/reports/playwright-reporter.ts"]],
  use: {
    // A trace of every test costs a third of the browser's time. For one that fails: `npm run test:e2e -- --trace on <file>`.
    screenshot: "only-on-failure",
    // Transitions cost a tenth of the browsers' time, and no test is about them.
    contextOptions: { reducedMotion: "reduce" },
    // Without `executablePath` Playwright takes the Chromium that it has installed itself.
    launchOptions: {
      executablePath: installedChromium(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    },
  },
  // Beside one another, since tests of the API mostly wait, for a process to start or for a retry, and those of the console never do.
  projects: [
    // First, since one of its tests waits for half a minute: at the end of the run nothing would be left to do meanwhile.
    { name: "unfinished requests", workers: 1, testMatch: UNFINISHED_REQUESTS, ...finalChecks },
    {
      name: "api",
      workers: 3,
      testMatch: "{api,security}/**/*.spec.ts",
      testIgnore: UNFINISHED_REQUESTS,
      ...finalChecks,
    },
    { name: "final checks", workers: 1, testMatch: "api/*.teardown.ts" },
    { name: "console", workers: 2, testMatch: "{console,smoke}/**/*.spec.ts", ...finalChecks },
  ],
});
