import type { Browser } from "@playwright/test";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

const LIMIT_KB = 220;
const BYTES_PER_KB = 1_000;

const ACCOUNT_PAGES = [
  "/",
  "/send",
  "/send/many",
  "/messages",
  "/usage",
  "/senders",
  "/suppressions",
  "/api-keys",
  "/webhooks",
  "/events",
  "/audit",
  "/security",
  "/docs",
  "/docs/quick-start",
];
const OPERATOR_PAGES = [
  "/operator",
  "/operator/senders",
  "/operator/accounts",
  "/operator/providers",
  "/operator/providers/sandbox",
  "/operator/routes",
  "/operator/suppressions",
  "/operator/audit",
];

type Visitor = Awaited<ReturnType<Browser["newContext"]>>;

/** Kilobytes of JavaScript, as transferred, that a first visit to a page takes until nothing more is loaded. */
async function weigh(visitor: Visitor, path: string): Promise<number> {
  const page = await visitor.newPage();
  const network = await visitor.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.setCacheDisabled", { cacheDisabled: true });
  const scripts = new Set<string>();
  let bytes = 0;
  network.on("Network.responseReceived", ({ requestId, type }) => type === "Script" && scripts.add(requestId));
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await page.waitForLoadState("networkidle");
  await page.close();
  return Math.round(bytes / BYTES_PER_KB);
}

async function weighAll(visitor: Visitor, paths: readonly string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const path of paths) found[path] = await weigh(visitor, path);
  return found;
}

test(`no page takes more than ${LIMIT_KB} kB of JavaScript`, async ({
  console: page,
  account,
  api,
  receiver,
  browser,
  service,
}) => {
  test.setTimeout(600_000);
  const { body: endpoint } = await api.post("/webhooks/create", { url: receiver.url });
  const { body: message } = await api.post("/messages/send", {
    from: account.sender,
    to: "+15550100001",
    body: "Hello",
  });
  const own = [...ACCOUNT_PAGES, `/messages/${message.data.id}`, `/webhooks/${endpoint.data.id}`];
  const desk = await (await browser.newContext({ baseURL: service.url })).newPage();
  await signInOperator(desk, service);
  const weights = { ...(await weighAll(page.context(), own)), ...(await weighAll(desk.context(), OPERATOR_PAGES)) };
  await desk.context().close();
  for (const [path, kb] of Object.entries(weights)) process.stdout.write(`${String(kb).padStart(6)} kB  ${path}\n`);
  expect(Object.entries(weights).filter(([, kb]) => kb > LIMIT_KB)).toEqual([]);
});
