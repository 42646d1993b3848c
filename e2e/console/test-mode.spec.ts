import type { Page } from "@playwright/test";
import { apiWith } from "../support/api";
import { barriersOf } from "../support/axe";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

const SHOWN_ONCE = "secret-value";

const bannerOf = (page: Page) => page.getByRole("complementary", { name: "Test mode" });
const toggleOf = (page: Page) => page.getByRole("switch", { name: "Test mode" });

/** Switches the mode, once the page is hydrated. */
const setTestMode = (page: Page, isOn: boolean): Promise<void> =>
  expect(async () => {
    if ((await bannerOf(page).isVisible()) !== isOn) await toggleOf(page).press(" ");
    await expect(bannerOf(page)).toBeVisible({ visible: isOn, timeout: 5_000 });
  }).toPass();

test("test mode is switched on in the header, is announced on every page, and makes test keys that work", async ({
  console: page,
  service,
  account,
}) => {
  const banner = bannerOf(page);
  const toggle = toggleOf(page);
  await page.goto("/api-keys");
  await expect(page.getByRole("link", { name: /Balance/ })).toContainText("100.00");
  await expect(banner).toBeHidden();

  await setTestMode(page, true);
  await expect(banner).toBeVisible();
  await expect(toggle).toBeChecked();
  await expect(page).toHaveURL(/\/api-keys$/);
  await expect(page.getByRole("link", { name: /Balance/ })).toContainText("1,000.00");
  await expect(page.getByText("No test keys yet")).toBeVisible();

  await page.getByRole("button", { name: "Create test key" }).first().click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Trial");
  await page.getByRole("button", { name: "Create key" }).click();
  const key = (await page.getByTestId(SHOWN_ONCE).textContent()) ?? "";
  expect(key).toMatch(/^ds_test_[0-9A-Za-z]{32}$/);
  const api = apiWith(service, key);
  const sent = await api.post("/messages/send", { to: "+15550100001", from: "TEST", body: "A trial" });
  expect(sent.status).toBe(201);

  await page.goto(`/messages/${String(sent.body.data.id)}`);
  await expect(banner).toBeVisible();
  await expect(page.getByTestId("message-status")).toHaveText(/delivered/i);

  await page.goto("/senders");
  await expect(page.getByRole("row", { name: /TEST/ })).toBeVisible();
  await expect(page.getByText(account.sender)).toBeHidden();

  await setTestMode(page, false);
  await expect(banner).toBeHidden();
  await expect(page.getByRole("row", { name: account.sender })).toBeVisible();
  await page.goto("/messages");
  await expect(page.getByText("No messages yet")).toBeVisible();
  await expect(page.getByText("+15550100001")).toBeHidden();
  await page.goto("/settings/audit");
  await expect(page.getByRole("row", { name: /API key created in test mode/ })).toBeVisible();
});

test("in test mode a message is sent from the console, free of charge", async ({ console: page, api }) => {
  await page.goto("/send");
  await setTestMode(page, true);
  await expect(page.getByRole("region", { name: "Scenario numbers" })).toBeVisible();
  await page.getByLabel("To").fill("+15550100009");
  await page.getByRole("textbox", { name: "Text" }).fill("A trial");
  await page.getByRole("button", { name: "Send message" }).click();
  await expect(page.getByTestId("message-status")).toHaveText(/undelivered/i);
  expect((await api.get<unknown[]>("/messages")).body.data).toEqual([]);
  expect((await api.get("/balance")).body.data.balance).toBe(100);
});

test("a page stays in its mode when another tab switches, and signing out ends test mode", async ({
  console: page,
}) => {
  await page.goto("/");
  const tab = await page.context().newPage();
  await tab.goto("/senders");
  await setTestMode(tab, true);
  await expect(tab.getByRole("row", { name: /TEST/ })).toBeVisible();
  await page.getByRole("link", { name: "Senders" }).first().click();
  await expect(page.getByRole("table", { name: "Senders" })).toBeVisible();
  await expect(page.getByRole("row", { name: /TEST/ })).toBeHidden();
  await expect(page.getByRole("complementary", { name: "Test mode" })).toBeHidden();
  await tab.getByRole("button", { name: "Account menu" }).click();
  await tab.getByRole("menuitem", { name: "Sign out" }).click();
  await tab.waitForURL(/sign-in/);
  const left = (await page.context().cookies()).filter(({ name }) => name === "test-mode");
  expect(left).toEqual([]);
});

test("operators' pages say that they show live data, and list no test accounts", async ({ page, service, account }) => {
  await signInOperator(page, service);
  await page.goto("/operator/accounts");
  await setTestMode(page, true);
  await expect(page.getByText("Operator pages always show live data.")).toBeVisible();
  await page.getByLabel("Search accounts").fill(account.email);
  await expect(page.getByRole("row", { name: account.email })).toHaveCount(1);
});

test("test mode can be switched on on a phone, and its pages have no accessibility violation, light, dark or on a phone", async ({
  console: page,
}) => {
  test.setTimeout(360_000);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto("/");
  await page.getByRole("button", { name: "Open navigation" }).click();
  await setTestMode(page, true);
  for (const path of ["/", "/api-keys", "/send"]) {
    await page.goto(path);
    await expect(bannerOf(page)).toBeVisible();
    expect(await barriersOf(page), path).toEqual([]);
  }
});
