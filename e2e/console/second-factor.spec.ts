import type { Page } from "@playwright/test";
import { codeOf } from "../support/authenticator";
import { loseConnection } from "../support/lost-responses";
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

/** Enables an authenticator app on the page for security. @returns its secret and the recovery codes. */
async function enrol(page: Page): Promise<{ secret: string; recoveryCodes: string[] }> {
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Set up" }).click();
  await expect(page.getByRole("img", { name: "QR code" })).toBeVisible();
  const secret = (await page.getByTestId("secret-value").textContent()) ?? "";
  await page.getByRole("textbox", { name: "Code" }).fill("000000");
  await page.getByRole("button", { name: "Enable" }).click();
  await expect(page.getByText("This code is wrong")).toBeVisible();
  await page.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
  await page.getByRole("button", { name: "Enable" }).click();
  const shown = page.getByLabel("Recovery codes");
  await expect(shown).toBeVisible();
  const recoveryCodes = ((await shown.textContent()) ?? "").trim().split("\n");
  await page.getByRole("button", { name: "I have kept them" }).click();
  await expect(page.getByText("Enabled")).toBeVisible();
  return { secret, recoveryCodes };
}

test("an app is enrolled, asked for at the sign-in, replaced by a recovery code, and disabled", async ({
  console: page,
  account,
  browser,
  service,
}) => {
  const { secret, recoveryCodes } = await enrol(page);
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

test("recovery codes that were lost are called lost, and new ones are made", async ({ console: page, account }) => {
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
  await page.getByRole("button", { name: "Disable and set up again" }).click();
  const form = page.getByRole("form", { name: "Disable authenticator app" });
  await form.getByLabel("Password", { exact: true }).fill(account.password);
  await form.getByRole("textbox", { name: "Code" }).fill(codeOf(secret, 1));
  await form.getByRole("button", { name: "Disable" }).click();
  await expect(page.getByRole("img", { name: "QR code" })).toBeVisible();
  const another = (await page.getByTestId("secret-value").textContent()) ?? "";
  await code.fill(codeOf(another));
  await page.getByRole("button", { name: "Enable" }).click();
  await expect(page.getByLabel("Recovery codes")).toBeVisible();
});

test("an operator clears the app of somebody who lost it", async ({
  console: page,
  account,
  browser,
  service,
  operator,
}) => {
  await enrol(page);
  await operator.command("account clear-second-factor", { email: account.email });
  const other = await (await browser.newContext({ baseURL: service.url })).newPage();
  await giveCredentials(other, account);
  await other.waitForURL("/");
  await other.context().close();
});
