import { defineConfig } from "@playwright/test";
import { installedChromium } from "./scripts/debian-chromium";

/** Against an installation that already runs: the smoke tests only, one after another, since they share its account. */
const smoke = process.env.E2E_BASE_URL ? { grep: /@smoke/, workers: 1 } : {};

/** Not against an installation that already runs: its books and logs are nobody's business here. */
const finalChecks = process.env.E2E_BASE_URL ? {} : { teardown: "final checks" };

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  globalSetup: "./e2e/support/service.ts",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // Two more than the cores of a small machine: many tests wait for a process to start, or for a retry. A third one makes it slower.
  workers: 4,
  retries: 0,
  // Generous: a slow machine is no failure.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  ...smoke,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [["list"], ["json"]] : [["list"]],
  use: {
    // A trace of every test costs a third of the browser's time. For one that fails: `npm run test:e2e -- --trace on <file>`.
    screenshot: "only-on-failure",
    // Without `executablePath` Playwright takes the Chromium that it has installed itself.
    launchOptions: {
      executablePath: installedChromium(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    },
  },
  projects: [
    { name: "api", testMatch: "{api,security}/**/*.spec.ts", teardown: "final checks" },
    { name: "final checks", testMatch: "api/*.teardown.ts" },
    { name: "console", testMatch: "{console,smoke}/**/*.spec.ts", ...finalChecks },
  ],
});
