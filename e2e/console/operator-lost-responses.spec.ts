import { randomInt } from "node:crypto";
import type { Page } from "@playwright/test";
import { loseResponse } from "../support/interrupted-requests";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
const confirm = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name }).click();

test("a credit whose response is lost is booked once, even if its dialog was closed and opened again", async ({
  page,
  service,
  account,
}) => {
  await signInOperator(page, service);
  await page.goto(`/operator/accounts/${account.accountId}`);
  const enter = async () => {
    await page.getByRole("button", { name: "Credit", exact: true }).click();
    await page.getByLabel("Amount in USD").pressSequentially("12.50");
    await page.getByLabel("Note").fill("Invoice 118");
    await confirm(page, "Credit account");
  };
  await loseResponse(page, "operator.credit");
  await enter();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText(
    "It is unknown whether the credit was booked",
  );
  const booked = page.getByRole("table", { name: "Ledger" }).getByRole("row", { name: "Invoice 118" });
  await expect(booked).toHaveCount(1);
  await confirm(page, "Cancel");
  await enter();
  await expect(page.getByText(`(${account.accountId}) now has $112.50`)).toBeVisible();
  await page.reload();
  await expect(booked).toHaveCount(1);
});

test("a credit that fails after its dialog was closed says so, and where to look", async ({
  page,
  service,
  account,
}) => {
  await signInOperator(page, service);
  await page.goto(`/operator/accounts/${account.accountId}`);
  let fail: () => void = () => undefined;
  const isClosed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  await page.route("**/api/trpc/operator.credit*", (route) => isClosed.then(() => route.abort()), { times: 1 });
  await page.getByRole("button", { name: "Credit", exact: true }).click();
  await page.getByLabel("Amount in USD").pressSequentially("12.50");
  await confirm(page, "Credit account");
  await confirm(page, "Cancel");
  await expect(page.getByRole("dialog")).toBeHidden();
  fail();
  const toast = page.getByRole("alert").filter({ hasText: "It is unknown whether the credit was booked" });
  await expect(toast).toContainText("Look for it in the ledger");
});

test("a route whose response is lost is added once, changed and deleted", async ({ page, service }) => {
  const prefix = `999${randomInt(10_000, 99_999)}`;
  const rows = page.getByRole("table", { name: "Routes" }).getByRole("row", { name: new RegExp(`\\+${prefix}…`) });
  await signInOperator(page, service);
  await page.goto("/operator/routes");
  const dialog = page.getByRole("dialog");
  const enter = async () => {
    await page.getByRole("button", { name: "Add route" }).first().click();
    await dialog.getByLabel("Prefix").fill(prefix);
    await dialog.getByRole("combobox", { name: "Add a provider" }).selectOption("Sandbox");
    await dialog.getByLabel("Price").fill("0.01");
    await confirm(page, "Add route");
  };
  await loseResponse(page, "routes.create");
  await enter();
  await expect(dialog.getByRole("alert")).toContainText("The outcome is unknown");
  await expect(rows).toHaveCount(1);
  await confirm(page, "Cancel");
  await enter();
  await expect(dialog).toBeHidden();
  await page.reload();
  await expect(rows).toHaveCount(1);

  await press(page, `Edit the route for +${prefix}…`);
  await loseResponse(page, "routes.update");
  await dialog.getByLabel("Price").fill("0.02");
  await confirm(page, "Save route");
  await expect(dialog).toBeHidden();
  await expect(rows).toContainText("0.02");
  await loseResponse(page, "routes.delete");
  await press(page, `Delete the route for +${prefix}…`);
  await confirm(page, "Delete route");
  await expect(page.getByText("Route deleted")).toBeVisible();
  await expect(rows).toHaveCount(0);
});

test("limits, suspension and decisions are reported as stored although responses are lost", async ({
  page,
  service,
  account,
}) => {
  await signInOperator(page, service);
  await page.goto(`/operator/accounts?search=${encodeURIComponent(account.email)}`);
  await press(page, /^More actions for /);
  await page.getByRole("menuitem", { name: "Limits" }).click();
  await loseResponse(page, "limitAccount");
  await page.getByLabel("Daily spending cap in USD").fill("12.5");
  await confirm(page, "Save limits");
  await expect(page.getByText(/^Limits of .* saved$/)).toBeVisible();
  await loseResponse(page, "setAccountStatus");
  await press(page, /^More actions for /);
  await page.getByRole("menuitem", { name: "Suspend" }).click();
  await confirm(page, "Suspend account");
  // The row is read again in any case; only the check knows that it shows the requested change.
  await expect(page.getByRole("alert").filter({ hasText: / suspended$/ })).toBeVisible();
  await expect(page.getByText("The outcome is unknown")).toBeHidden();
  await expect(page.getByRole("row").nth(1)).toContainText("Suspended");

  await page.goto(`/operator/senders?status=approved&search=${account.sender}`);
  await press(page, `Set the throughput limit of ${account.sender}`);
  await loseResponse(page, "throttleSender");
  await page.getByLabel("Segments per second").fill("2.5");
  await confirm(page, "Save limit");
  await expect(page.getByText(`${account.sender} limited to 2.5 segments per second`)).toBeVisible();
  await press(page, `Suspend ${account.sender}`);
  await loseResponse(page, "decideSender");
  await confirm(page, "Suspend");
  await expect(page.getByText(`${account.sender} is suspended.`)).toBeVisible();
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("a receipt URL whose rotation got no response is rotated once", async ({ page, service }) => {
  await signInOperator(page, service);
  await page.goto("/operator/providers/infobip");
  const url = page.getByRole("region", { name: "Delivery receipts" }).locator("pre");
  const former = await url.textContent();
  await loseResponse(page, "rotateReceiptUrl");
  await press(page, "Rotate URL");
  await confirm(page, "Rotate");
  await expect(page.getByText("Receipt URL rotated")).toBeVisible();
  await expect(url).not.toHaveText(former ?? "");
});
