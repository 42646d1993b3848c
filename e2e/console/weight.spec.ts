import { statSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { ACCOUNT_PAGES, OPERATOR_PAGES } from "../support/pages";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

/** The limit for the scripts that a page loads before anything is opened, compressed with Brotli. */
const LIMIT_KB = 220;

const SCRIPT = /<script [^>]*src="\/_next\/(static\/[^"?]+\.js)/g;
/** Scripts for browsers without modules; no other browser loads them. */
const OLD_BROWSERS = /<script [^>]*noModule[^>]*>/gi;

/** Kilobytes of the scripts that a page names, as the build compressed them. */
async function weightOf(page: Page, address: string): Promise<number> {
  const html = (await (await page.request.get(address)).text()).replace(OLD_BROWSERS, "");
  const scripts = new Set([...html.matchAll(SCRIPT)].map(([, script = ""]) => script));
  expect(scripts.size, `scripts of ${address}`).toBeGreaterThan(5);
  const bytes = [...scripts].map((script) => statSync(path.join(".next", `${decodeURIComponent(script)}.br`)).size);
  return Math.round(bytes.reduce((sum, size) => sum + size, 0) / 1_000);
}

test(`no page's scripts weigh more than ${LIMIT_KB} kB`, async ({
  console: page,
  api,
  account,
  receiver,
  browser,
  service,
}) => {
  const { body: endpoint } = await api.post("/webhooks/create", { url: receiver.url });
  const { body: message } = await api.post("/messages/send", {
    from: account.sender,
    to: "+15550100001",
    body: "Weighed",
  });
  const desk = await browser.newPage({ baseURL: service.url });
  const stranger = await browser.newPage({ baseURL: service.url });
  await signInOperator(desk, service);
  const weights: Record<string, number> = {};
  const weigh = async (by: Page, addresses: readonly string[]) => {
    for (const address of addresses) weights[address] = await weightOf(by, address);
  };
  await weigh(page, [...ACCOUNT_PAGES, `/messages/${message.data.id}`, `/webhooks/${endpoint.data.id}`]);
  await weigh(desk, [...OPERATOR_PAGES, `/operator/accounts/${account.accountId}`]);
  await weigh(stranger, ["/sign-in", "/sign-up", "/forgotten-password"]);
  test.info().annotations.push({ type: "kB of scripts", description: JSON.stringify(weights) });
  const heavy = Object.entries(weights).filter(([, weight]) => weight > LIMIT_KB);
  expect(Object.fromEntries(heavy)).toEqual({});
  await desk.close();
  await stranger.close();
});
