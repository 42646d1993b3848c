import { randomBytes } from "node:crypto";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { databaseUrlOf, openDatabase } from "../support/books";
import type { Service } from "../support/service";
import { signIn } from "../support/sign-in";
import { expect, test } from "../test";

const NEW_PASSWORD = "staple of another stable";

async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** A separate browser, as on another machine, with these cookies. */
async function openBrowser(
  browser: Browser,
  service: Service,
  cookies?: Awaited<ReturnType<BrowserContext["cookies"]>>,
) {
  const context = await browser.newContext({ baseURL: service.url });
  if (cookies) await context.addCookies(cookies);
  return context.newPage();
}

/** Whether the page's browser is signed in, as the service sees it. */
const isSignedIn = async (page: Page): Promise<boolean> =>
  (await page.request.get("/api/trpc/auth.viewer")).status() === 200;

test("a failed sign-out says so, and a copied cookie is useless after a sign-out", async ({
  console: page,
  browser,
  service,
}) => {
  const copy = await openBrowser(browser, service, await page.context().cookies());
  expect(await isSignedIn(copy)).toBe(true);
  await page.goto("/");
  await page.route("**/api/auth/signout", (route) => route.abort(), { times: 1 });
  const signOut = async () => {
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
  };
  await signOut();
  await expect(page.getByText("could not be reached")).toBeVisible();
  expect(await isSignedIn(copy)).toBe(true);
  await signOut();
  await page.waitForURL(/\/sign-in/);
  await copy.request.get("/api/auth/session");
  expect(await isSignedIn(copy)).toBe(false);
  await copy.goto("/messages");
  await expect(copy).toHaveURL(/\/sign-in/);
  await copy.context().close();
});

test("sessions are listed and ended, one or all others", async ({ console: page, browser, service, account }) => {
  const others = [await openBrowser(browser, service), await openBrowser(browser, service)];
  await Promise.all(others.map((other) => signIn(other, service, account)));
  await page.goto("/");
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Security" }).click();
  const rows = page.getByRole("table", { name: "Sessions" }).getByRole("row");
  // The header counts as a row.
  await expect(rows).toHaveCount(4);
  await expect(rows.filter({ hasText: "This session" })).toContainText("127.0.0.1");

  await page
    .getByRole("button", { name: /^Sign out (?!everywhere)/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(rows).toHaveCount(3);
  const open = [await isSignedIn(others[0] as Page), await isSignedIn(others[1] as Page)];
  expect(open.filter(Boolean)).toHaveLength(1);

  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere else" }).click();
  await expect(rows).toHaveCount(2);
  for (const other of others) expect(await isSignedIn(other)).toBe(false);
  expect(await isSignedIn(page)).toBe(true);
  for (const other of others) await other.context().close();
});

test("the password is changed, with errors at their fields", async ({ console: page, browser, service, account }) => {
  const other = await openBrowser(browser, service);
  await fillSignIn(other, account.email, account.password);
  await other.waitForURL("/");
  await page.goto("/settings/security");
  const form = page.getByRole("form", { name: "Change password" });
  const change = async (current: string, next: string) => {
    await form.getByLabel("Current password", { exact: true }).fill(current);
    await form.getByLabel("New password", { exact: true }).fill(next);
    await form.getByRole("button", { name: "Change password" }).click();
  };
  await change("wrong", NEW_PASSWORD);
  await expect(form.getByText("This is not your password")).toBeVisible();
  await change(account.password, "short");
  await expect(form.getByText("Must have at least 10 characters")).toBeVisible();
  await change(account.password, "password1234");
  await expect(form.getByText(/^Too easy to guess\. /)).toBeVisible();
  await change(account.password, NEW_PASSWORD);
  await expect(page.getByText("Password changed")).toBeVisible();
  expect(await isSignedIn(page)).toBe(true);
  expect(await isSignedIn(other)).toBe(false);

  await fillSignIn(other, account.email, account.password);
  await expect(other.getByRole("alert").filter({ hasText: "is wrong" })).toBeVisible();
  await fillSignIn(other, account.email, NEW_PASSWORD);
  await other.waitForURL("/");
  await other.context().close();
});

test("an operator's link gives a new password, once", async ({ page, service, account, operator }) => {
  const { url } = (await operator.command("account reset-password", { email: account.email })) as { url: string };
  expect(url).toMatch(new RegExp(`^${service.url}/reset-password\\?token=[\\w-]{43}$`));
  const choose = async (password: string) => {
    await page.goto(url);
    await page.getByLabel("New password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await choose("password1234");
  await expect(page.getByText(/^Too easy to guess\. /)).toBeVisible();
  await choose(NEW_PASSWORD);
  await expect(page.getByText("Your password is changed")).toBeVisible();
  await choose("another password of mine");
  await expect(page.getByText("This link does not work")).toBeVisible();
  await fillSignIn(page, account.email, NEW_PASSWORD);
  await page.waitForURL("/");
});

test("a link that ended after a lost try is not reported to have changed the password", async ({
  page,
  account,
  operator,
}) => {
  const makeLink = async () =>
    ((await operator.command("account reset-password", { email: account.email })) as { url: string }).url;
  await page.goto(await makeLink());
  await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
  await page.route("**/api/trpc/auth.resetPassword*", (route) => route.abort(), { times: 1 });
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("It is unknown whether the password was changed")).toBeVisible();
  // It replaces the link of the page.
  await makeLink();
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(
    page.getByText("This link no longer works, most likely because your password is already changed"),
  ).toBeVisible();
  await expect(page.getByText("Your password is changed")).toBeHidden();
});

test("a sign-up signs in; one with an existing email address does not reveal that it exists", async ({
  page,
  browser,
  service,
  account,
}) => {
  const signUp = async (at: Page, email: string) => {
    await at.goto("/sign-up");
    await at.getByLabel("Your name").fill("Ann");
    await at.getByLabel("Email").fill(email);
    await at.getByLabel("Password", { exact: true }).fill(NEW_PASSWORD);
    // Read in the route handler, because the page navigates on and the browser then drops the body.
    let answer: unknown;
    await at.route("**/api/trpc/auth.signUp?**", async (route) => {
      const response = await route.fetch();
      answer = await response.json();
      await route.fulfill({ response });
    });
    await at.getByRole("button", { name: "Create account" }).click();
    await expect.poll(() => answer).toBeDefined();
    return answer;
  };
  const free = await signUp(page, `new-${randomBytes(5).toString("hex")}@example.com`);
  await page.waitForURL("/");
  const other = await openBrowser(browser, service);
  expect(await signUp(other, account.email)).toEqual(free);
  await expect(other.getByText("You could not be signed in")).toBeVisible();
  await other.context().close();
});

test("a device is known after its first sign-in, by a cookie that scripts cannot read", async ({
  console: page,
  service,
}) => {
  const cookies = await page.context().cookies(`${service.url}/api/auth/callback`);
  expect(cookies.find(({ name }) => name === "messaging.known-device")).toMatchObject({
    httpOnly: true,
    path: "/api/auth",
    sameSite: "Lax",
  });
});

/** As if every person of the account had signed in ten minutes earlier. */
async function ageConfirmations(service: Service, accountId: string): Promise<void> {
  const database = await openDatabase(databaseUrlOf(service));
  await database
    .rows(
      `UPDATE sessions SET confirmed_at = confirmed_at - interval '10 minutes'
       WHERE user_id IN (SELECT id FROM users WHERE account_id = $1)`,
      [accountId],
    )
    .finally(database.close);
}

test("a while after sign-in a new key requires the password again", async ({ console: page, service, account }) => {
  await ageConfirmations(service, account.accountId);
  await page.goto("/api-keys");
  await page.getByRole("button", { name: "Create API key" }).first().click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Shop");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm your password" });
  await dialog.getByLabel("Password", { exact: true }).fill("wrong");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(dialog.getByText("This is not your password")).toBeVisible();
  await dialog.getByLabel("Password", { exact: true }).fill(account.password);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByTestId("secret-value")).toHaveText(/^ds_live_/);
  await expect(dialog).toBeHidden();
});
