import { holdRequests, SCRIPTS } from "../support/interrupted-requests";
import { expect, test } from "../test";

test("a page is prefetched once somebody points at its link, and no other page is", async ({ console: page }) => {
  const ahead = new Set<string>();
  page.on("request", (request) => {
    if (request.headers()["next-router-prefetch"]) ahead.add(new URL(request.url()).pathname);
  });
  await page.goto("/usage");
  await expect(page.getByRole("heading", { level: 1, name: "Usage" })).toBeVisible();
  const navigation = page.getByRole("navigation").first();
  for (const name of ["Messages", "Senders"]) {
    await navigation.getByRole("link", { name, exact: true }).hover();
    await expect.poll(() => [...ahead]).toContain(`/${name.toLowerCase()}`);
  }
  expect([...ahead]).toEqual(["/messages", "/senders"]);
});

test("a slow page shows the loading bar until it is there, also when opened from a row of a list", async ({
  console: page,
  api,
  account,
}) => {
  const { body } = await api.post("/messages/send", { from: account.sender, to: "+15550100001", body: "Slow" });
  const held: Array<() => void> = [];
  await page.goto("/messages");
  const row = page.getByRole("row", { name: /\+15550100001/ });
  await expect(row).toBeVisible();
  const bar = page.getByRole("progressbar", { name: "Loading" });
  await expect(bar).toHaveCount(0);
  const isPage = (url: URL) => url.searchParams.has("_rsc");
  await page.route(isPage, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  const release = () => {
    for (const go of held.splice(0)) go();
  };

  await page.getByRole("navigation").first().getByRole("link", { name: "Senders", exact: true }).click();
  await expect(bar).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Messages" })).toBeVisible();
  // The prefetch and the page itself may be two requests, one after the other.
  await expect(async () => {
    release();
    await expect(page.getByRole("heading", { level: 1, name: "Senders" })).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(bar).toHaveCount(0);

  await page.goBack();
  await expect(async () => {
    release();
    await expect(row).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(bar).toHaveCount(0);
  await row.getByRole("cell").last().click();
  await expect(bar).toBeVisible();
  await expect(async () => {
    release();
    await expect(page).toHaveURL(`/messages/${body.data.id}`, { timeout: 500 });
  }).toPass();
  await expect(bar).toHaveCount(0);
});

test("so is a dialog that is opened for the first time", async ({ console: page }) => {
  await page.goto("/api-keys");
  const open = page.getByRole("button", { name: "Create API key" }).first();
  await expect(open).toBeVisible();
  await page.waitForLoadState("networkidle");
  const load = await holdRequests(page, SCRIPTS);
  await open.click();
  const bar = page.getByRole("progressbar", { name: "Loading" });
  await expect(bar).toBeVisible();
  load();
  await expect(page.getByRole("dialog", { name: "Create an API key" })).toBeVisible();
  await expect(bar).toHaveCount(0);
});
