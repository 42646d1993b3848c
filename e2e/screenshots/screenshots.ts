/**
 * Makes the README's pictures: starts an installation of its own, fills it with a month of messages, and photographs the
 * console in light and dark.
 *
 *   npm run screenshots
 */
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { type Browser, chromium, type Page } from "@playwright/test";
import { getChromium } from "@/scripts/chromium";
import { pool } from "@/server/core/db";
import { shutDown } from "@/server/core/process";
import { admin, type OwnAccount } from "../support/accounts";
import { apiWith } from "../support/api";
import { operatorOf } from "../support/operator";
import start, { runningService, type Service } from "../support/service";

const FOLDER = path.join("docs", "images");
const SIZE = { width: 1_280, height: 860 };
/** What a page of GitHub loads without a pause. */
const BYTES_MAX = 200_000;
const DAYS = 30;
const FINAL_WITHIN_MS = 60_000;

const TEXTS = [
  "Your code is 284917.",
  "Your parcel arrives today between 2 and 4 pm.",
  "Table for two at 7 pm: see you!",
];
const NUMBERS = [
  ["+4915112345678", 6],
  ["+14155550123", 5],
  ["+33612345678", 3],
  ["+447700900123", 3],
  ["+34612345678", 2],
  ["+15550100003", 1],
  ["+15550100009", 1],
] as const;

/** Whole numbers that look like chance and are the same in every run. */
const wobble = (at: number, size: number): number => Math.round(((Math.sin(at * 12.9898) + 1) / 2) * size);

/** Past days, which only the counters know. */
async function fillDays({ accountId }: OwnAccount): Promise<void> {
  for (let ago = 1; ago < 2 * DAYS; ago += 1) {
    const messages = 900 + wobble(ago, 500) - (ago % 7 < 2 ? 420 : 0) - (ago > DAYS ? 180 : 0);
    const [failed, undelivered] = [8 + wobble(ago + 3, 14), 12 + wobble(ago + 5, 18)];
    await pool().query(
      `INSERT INTO usage_days (account_id, day, messages, segments, cost_micros, delivered, failed, undelivered)
       VALUES ($1, (now() AT TIME ZONE 'UTC')::date - $2::int, $3, $3, $3 * 10000, $4, $5, $6)`,
      [accountId, ago, messages, messages - failed - undelivered, failed, undelivered],
    );
  }
}

/** Messages of today, sent like any others, until none is under way. */
async function fillMessages(service: Service, account: OwnAccount): Promise<void> {
  const api = apiWith(service, account.apiKey);
  const sends = NUMBERS.flatMap(([to, times]) => Array.from({ length: times * 4 }, () => to));
  for (const [at, to] of sends.entries()) {
    await api.post("/messages/send", { from: account.sender, to, body: TEXTS[at % TEXTS.length] });
  }
  const deadline = Date.now() + FINAL_WITHIN_MS;
  const underWay = async () => {
    const { rows } = await pool().query<{ open: number }>(
      "SELECT (pending + sent)::int4 AS open FROM usage_days WHERE account_id = $1 AND pending + sent > 0",
      [account.accountId],
    );
    return rows.length > 0;
  };
  while ((await underWay()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 500));
}

async function signIn(page: Page, { email, password }: OwnAccount): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("/");
}

async function take(page: Page, name: string): Promise<void> {
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "hidden" });
  const file = path.join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
  const { size } = statSync(file);
  if (size > BYTES_MAX) throw new Error(`${file} has ${size} bytes; ${BYTES_MAX} are the most.`);
  process.stdout.write(`wrote ${file} (${Math.round(size / 1_000)} kB)\n`);
}

async function photograph(browser: Browser, service: Service, account: OwnAccount): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ baseURL: service.url, viewport: SIZE, colorScheme });
    const page = await context.newPage();
    await signIn(page, account);
    await page.goto("/?days=30");
    await page.getByRole("table", { name: "By country" }).waitFor();
    await take(page, `overview-${colorScheme}`);
    if (colorScheme === "light") {
      await page.goto("/messages");
      await page.getByRole("row").nth(1).waitFor();
      await take(page, "messages");
      await page.goto("/send");
      await page.getByLabel("To", { exact: true }).fill("+14155550123");
      await page
        .getByRole("textbox", { name: "Text", exact: true })
        .fill("Hi Ann, your table is ready – see you at 7!");
      await page.getByTestId("message-cost").waitFor();
      await take(page, "compose");
    }
    await context.close();
  }
}

mkdirSync(FOLDER, { recursive: true });
const stop = await start();
try {
  const service = runningService();
  const owner = ["--email", "ann@example.com", "--name", "Ann Example"];
  const made = await admin(service, "account", "create", ...owner, "--balance", "250", "--sender", "Example");
  const account = made as OwnAccount;
  // Points this process at the database of the installation.
  operatorOf(service);
  await fillDays(account);
  await fillMessages(service, account);
  const executablePath = await getChromium();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  await photograph(browser, service, account);
  await browser.close();
} finally {
  await shutDown();
  await stop();
}
