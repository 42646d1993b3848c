import type { Page } from "@playwright/test";
import { databaseUrlOf, openDatabase } from "../support/books";
import { holdRequests, SCRIPTS } from "../support/interrupted-requests";
import type { Service } from "../support/service";
import { signIn as openSession, signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

/** Ends every session of the account, as if it had expired. */
async function endSessions(service: Service, accountId: string): Promise<void> {
  const database = await openDatabase(databaseUrlOf(service));
  await database
    .rows("DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE account_id = $1)", [accountId])
    .finally(database.close);
}

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" });

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("a stranger reaches the requested page after sign-in, even with fields filled in before hydration", async ({
  page,
  account,
}) => {
  // As a password manager does, or somebody who types while the scripts load.
  const load = await holdRequests(page, SCRIPTS);
  await page.goto("/messages?status=failed", { waitUntil: "commit" });
  await page.getByLabel("Email").fill(account.email);
  await page.getByLabel("Password", { exact: true }).fill(account.password);
  load();
  await expect(page.getByRole("link", { name: "Create one" })).toBeVisible();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("/messages?status=failed");
  await expect(page.getByRole("heading", { level: 1, name: "Messages" })).toBeVisible();
});

test("a sign-in without a connection keeps the page and what was entered there", async ({ page, account }) => {
  await page.goto("/sign-in?next=%2Fusage");
  await page.route("**/api/auth/**", (route) => route.abort());
  await signIn(page, account.email, account.password);
  await expect(page.getByRole("alert").filter({ hasText: "could not be reached" })).toBeVisible();
  await page.unroute("**/api/auth/**");
  await expect(page.getByLabel("Email")).toHaveValue(account.email);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("/usage");
});

test("so does a person whose session ended before the page was opened", async ({ console: page, account, service }) => {
  await endSessions(service, account.accountId);
  await page.goto("/usage?days=7");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, account.email, account.password);
  await page.waitForURL("/usage?days=7");
});

test("a session that ends while a message is being written loses neither the text nor the send", async ({
  console: page,
  account,
  service,
}) => {
  await page.goto("/send");
  await page.getByLabel("To").fill("+14155550178");
  await page.getByRole("textbox", { name: "Text" }).fill("Written before the session ended");
  // Otherwise the estimate might ask for the sign-in before the message is sent.
  await expect(page.getByRole("region", { name: "Cost" })).toContainText("Balance after this message");
  await endSessions(service, account.accountId);
  await page.getByRole("button", { name: "Send message" }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByLabel("Email")).toHaveValue(account.email);
  await dialog.getByLabel("Password", { exact: true }).fill("wrong");
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog.getByRole("alert")).toContainText("is wrong");
  await dialog.getByLabel("Password", { exact: true }).fill(account.password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/messages\/msg_/);
  await expect(page.getByText("Written before the session ended")).toBeVisible();
});

test("a sign-in of the same person in another tab is enough, and a person who leaves returns to the page after sign-in", async ({
  console: page,
  account,
  newAccount,
  service,
}) => {
  await page.goto("/messages?status=sent");
  await expect(page.getByRole("heading", { level: 1, name: "Messages" })).toBeVisible();
  await endSessions(service, account.accountId);
  await expect(dialogOf(page).getByLabel("Email")).toHaveValue(account.email);
  const comeBack = async () => {
    const asked = page.waitForResponse(/auth\.viewer/);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    return (await asked).status();
  };
  expect(await comeBack()).toBe(401);
  await openSession(page, service, await newAccount());
  expect(await comeBack()).toBe(409);
  await expect(dialogOf(page)).toBeVisible();
  await openSession(page, service, account);
  expect(await comeBack()).toBe(200);
  await expect(dialogOf(page)).toBeHidden();

  await endSessions(service, account.accountId);
  await dialogOf(page).getByRole("button", { name: "Leave this page" }).click();
  await page.waitForURL(/\/sign-in\?next=/);
  await signIn(page, account.email, account.password);
  await page.waitForURL("/messages?status=sent");
});

test("the question to sign in does not cover the sign-in page", async ({ page, service }) => {
  await signInOperator(page, service);
  await page.goto("/messages");
  await page.context().clearCookies();
  await page.getByRole("combobox", { name: "Status" }).selectOption("failed");
  await expect(dialogOf(page).getByLabel("Email")).toHaveValue(service.email);
  // A navigation that began before the question may end while it is open; this one leads to sign-in.
  await page.locator('nav a[href="/operator/accounts"]').first().dispatchEvent("click");
  await page.waitForURL(/\/sign-in/);
  await expect(page.getByRole("button", { name: "Sign in" })).toHaveCount(1);
  await expect(dialogOf(page)).toHaveCount(0);
  await signIn(page, service.email, service.password);
  await page.waitForURL("/operator/accounts");
});

test("no text and no phone number is sent in an address", async ({ console: page }) => {
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(decodeURIComponent(request.url())));
  await page.goto("/send");
  await page.getByLabel("To").fill("+14155550179");
  await page.getByRole("textbox", { name: "Text" }).fill("Between us alone");
  await expect(page.getByRole("region", { name: "Cost" })).toContainText("$0.01");
  await page.getByRole("button", { name: "Send message" }).click();
  await page.waitForURL(/\/messages\/msg_/);
  expect(addresses.filter((address) => /Between|4155550179/.test(address))).toEqual([]);
});
