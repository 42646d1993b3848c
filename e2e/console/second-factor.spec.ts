import type { Page } from "@playwright/test";
import { codeOf } from "../support/authenticator";
import { barriersOf, violationsOf } from "../support/axe";
import { loseConnection, loseResponse } from "../support/interrupted-requests";
import { signIn } from "../support/sign-in";
import { expect, test } from "../test";

async function giveCredentials(page: Page, account: { email: string; password: string }): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(account.email);
  await page.getByLabel("Password", { exact: true }).fill(account.password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function giveCode(page: Page, code: string): Promise<void> {
  await page.getByRole("textbox", { name: "Code" }).fill(code);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The recovery codes that the page shows. */
async function shownCodes(page: Page): Promise<string[]> {
  const shown = page.getByLabel("Your recovery codes", { exact: true });
  await expect(shown).toBeVisible();
  return ((await shown.textContent()) ?? "").trim().split("\n");
}

/** Enables an authenticator app on the page for security. @returns its secret and the recovery codes. */
async function enroll(page: Page): Promise<{ secret: string; recoveryCodes: string[] }> {
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Set up" }).click();
  await expect(page.getByRole("img", { name: "QR code" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Code" })).toBeFocused();
  const secret = (await page.getByTestId("secret-value").textContent()) ?? "";
  await page.getByRole("textbox", { name: "Code" }).fill("000000");
  await page.getByRole("button", { name: "Enable" }).click();
  await expect(page.getByText("This code is wrong")).toBeVisible();
  await page.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
  await page.getByRole("button", { name: "Enable" }).click();
  const recoveryCodes = await shownCodes(page);
  await page.getByRole("button", { name: "I have kept them" }).click();
  await expect(page.getByRole("heading", { name: "Authenticator app" })).toBeFocused();
  await expect(page.getByText("Enabled")).toBeVisible();
  return { secret, recoveryCodes };
}

test("an app is enrolled, required at sign-in, replaced by a recovery code, and disabled", async ({
  console: page,
  account,
  browser,
  service,
}) => {
  const { secret, recoveryCodes } = await enroll(page);
  expect(recoveryCodes).toHaveLength(10);

  const other = await (await browser.newContext({ baseURL: service.url })).newPage();
  await giveCredentials(other, account);
  await giveCode(other, "000000");
  await expect(other.getByRole("alert").filter({ hasText: "This code is wrong" })).toBeVisible();
  await giveCode(other, codeOf(secret, 1));
  await other.waitForURL("/");
  await other.context().close();

  const third = await (await browser.newContext({ baseURL: service.url })).newPage();
  await giveCredentials(third, account);
  await giveCode(third, recoveryCodes[0] ?? "");
  await third.waitForURL("/");

  await page.goto("/settings/audit");
  const log = page.getByRole("table", { name: "Audit log" });
  await expect(log).toContainText("Second factor enabled");
  await expect(log).toContainText("Sign in refused");
  await expect(log).toContainText("cause: wrong_code");

  await page.goto("/settings/security");
  await expect(page.getByText("Recovery codes left: 9")).toBeVisible();
  await page.getByRole("button", { name: "Disable" }).click();
  const form = page.getByRole("form", { name: "Disable authenticator app" });
  await form.getByLabel("Password", { exact: true }).fill(account.password);
  await form.getByRole("textbox", { name: "Code" }).fill(recoveryCodes[1] ?? "");
  // The session ends before the form is sent: signing in again takes a code as well.
  await page.context().clearCookies();
  await form.getByRole("button", { name: "Disable" }).click();
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.getByLabel("Password", { exact: true }).fill(account.password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.getByRole("textbox", { name: "Code" }).fill(recoveryCodes[2] ?? "");
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: "Set up" })).toBeVisible();
  await third.context().close();
});

test("lost recovery codes are reported as lost, and new ones are made", async ({ console: page, account }) => {
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Set up" }).click();
  const secret = (await page.getByTestId("secret-value").textContent()) ?? "";
  const code = page.getByRole("textbox", { name: "Code" });
  const reconnect = await loseConnection(page, "secondFactor.confirm");
  await code.fill(codeOf(secret));
  await page.getByRole("button", { name: "Enable" }).click();
  await expect(page.getByText("It is unknown whether the app is enabled")).toBeVisible();
  await reconnect();
  await page.getByRole("button", { name: "Enable" }).click();
  await expect(page.getByText("The recovery codes were lost on the way")).toBeVisible();
  const lost = page.getByRole("group", { name: "Your new recovery codes" });
  await lost.getByRole("button", { name: "New recovery codes" }).click();
  const form = page.getByRole("form", { name: "New recovery codes" });
  await form.getByLabel("Password", { exact: true }).fill(account.password);
  await form.getByRole("textbox", { name: "Code" }).fill(codeOf(secret, 1));
  await form.getByRole("button", { name: "Make new codes" }).click();
  expect(await shownCodes(page)).toHaveLength(10);
});

test("a warning comes when few recovery codes are left, and the keyboard can replace them with new ones", async ({
  console: page,
  account,
  browser,
  service,
}) => {
  const { recoveryCodes } = await enroll(page);
  const other = await (await browser.newContext({ baseURL: service.url })).newPage();
  for (const code of recoveryCodes.slice(0, 7)) await signIn(other, service, { ...account, code });
  await page.reload();
  await expect(page.getByRole("note").filter({ hasText: "Recovery codes left: 3" })).toContainText("Make new ones");
  expect(await barriersOf(page)).toEqual([]);

  await page.getByRole("button", { name: "New recovery codes" }).press("Enter");
  const form = page.getByRole("form", { name: "New recovery codes" });
  await expect(form.getByLabel("Password", { exact: true })).toBeFocused();
  await page.keyboard.type(account.password);
  await page.keyboard.press("Enter");
  await expect(form.getByRole("textbox", { name: "Code" })).toBeFocused();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.type(recoveryCodes[7] ?? "");
  await page.keyboard.press("Enter");
  const codes = await shownCodes(page);
  await expect(page.getByRole("group", { name: "Your new recovery codes" })).toBeFocused();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Copy" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Recovery codes" })).toBeFocused();
  await expect(page.getByText("Recovery codes left: 10")).toBeVisible();

  await expect(signIn(other, service, { ...account, code: recoveryCodes[8] })).rejects.toThrow();
  await signIn(other, service, { ...account, code: codes[0] });
  await other.context().close();
});

test("new recovery codes that nobody saw are reported as lost, and others are made", async ({
  console: page,
  account,
}) => {
  const { secret, recoveryCodes } = await enroll(page);
  await page.getByRole("button", { name: "New recovery codes" }).click();
  const form = page.getByRole("form", { name: "New recovery codes" });
  const give = async (code: string) => {
    await form.getByLabel("Password", { exact: true }).fill(account.password);
    await form.getByRole("textbox", { name: "Code" }).fill(code);
    await form.getByRole("button", { name: "Make new codes" }).click();
  };
  await loseResponse(page, "secondFactor.regenerateRecoveryCodes");
  await give(recoveryCodes[0] ?? "");
  await expect(page.getByRole("alert").filter({ hasText: "lost on the way" })).toContainText(
    "the earlier ones no longer work",
  );
  await page.getByRole("button", { name: "New recovery codes" }).click();
  await give(recoveryCodes[1] ?? "");
  await expect(page.getByText("This code is wrong")).toBeVisible();
  const reconnect = await loseConnection(page, "secondFactor.regenerateRecoveryCodes");
  await give(codeOf(secret, 1));
  await expect(page.getByText("It is unknown whether new recovery codes were made")).toBeVisible();
  await reconnect();
});

test("recovery codes that another tab has replaced are no longer shown as if they worked", async ({
  console: page,
  account,
}) => {
  const { recoveryCodes } = await enroll(page);
  const form = (tab: Page) => tab.getByRole("form", { name: "New recovery codes" });
  const renew = async (tab: Page, code: string) => {
    await tab.getByRole("button", { name: "New recovery codes" }).click();
    await form(tab).getByLabel("Password", { exact: true }).fill(account.password);
    await form(tab).getByRole("textbox", { name: "Code" }).fill(code);
    await form(tab).getByRole("button", { name: "Make new codes" }).click();
    return shownCodes(tab);
  };
  const second = await page.context().newPage();
  await second.goto("/settings/security");
  const ended = page.getByRole("alert").filter({ hasText: "These recovery codes no longer work" });

  const first = await renew(page, recoveryCodes[0] ?? "");
  const codes = await renew(second, first[0] ?? "");
  await page.getByRole("button", { name: "I have kept them" }).click();
  await expect(ended).toContainText("New ones have been made since");
  await expect(page.getByText(first[1] ?? "")).toBeHidden();
  expect(await violationsOf(page)).toEqual([]);

  const renewed = await renew(page, codes[1] ?? "");
  await expect(ended).toBeHidden();
  await second.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect(second.getByText("These recovery codes no longer work")).toBeVisible();
  await second.getByRole("button", { name: "Close" }).click();
  await second.getByRole("button", { name: "Disable" }).click();
  const proof = second.getByRole("form", { name: "Disable authenticator app" });
  await proof.getByLabel("Password", { exact: true }).fill(account.password);
  await proof.getByRole("textbox", { name: "Code" }).fill(renewed[0] ?? "");
  await proof.getByRole("button", { name: "Disable" }).click();
  await expect(second.getByRole("button", { name: "Set up" })).toBeVisible();
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect(ended).toContainText("Your second factor has been removed since");
  await page.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("button", { name: "Set up" })).toBeVisible();
});

test("leaving asks first while new recovery codes are being made", async ({ console: page, account }) => {
  const { recoveryCodes } = await enroll(page);
  let respond = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    respond = resolve;
  });
  await page.route("**/api/trpc/*secondFactor.regenerateRecoveryCodes*", async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await page.getByRole("button", { name: "New recovery codes" }).click();
  const form = page.getByRole("form", { name: "New recovery codes" });
  await form.getByLabel("Password", { exact: true }).fill(account.password);
  await form.getByRole("textbox", { name: "Code" }).fill(recoveryCodes[0] ?? "");
  await form.getByRole("button", { name: "Make new codes" }).click();
  await form.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("link", { name: "API keys" }).click();
  const question = page.getByRole("dialog", { name: "Leave without the secret?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  respond();
  expect(await shownCodes(page)).toHaveLength(10);
});

test("an operator clears the app of somebody who lost it", async ({
  console: page,
  account,
  browser,
  service,
  operator,
}) => {
  await enroll(page);
  await operator.command("account clear-second-factor", { email: account.email });
  const other = await (await browser.newContext({ baseURL: service.url })).newPage();
  await giveCredentials(other, account);
  await other.waitForURL("/");
  await other.context().close();
});
