import type { Locator, Page, Route } from "@playwright/test";
import type { OwnAccount } from "../support/accounts";
import { databaseUrlOf, openDatabase } from "../support/books";
import { takesFocus } from "../support/dialogs";
import type { Service } from "../support/service";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

/** Opens the accounts page filtered to that account, and its menu of actions. */
async function openMenu(page: Page, { email }: OwnAccount): Promise<void> {
  await page.goto(`/operator/accounts?search=${encodeURIComponent(email)}`);
  await page.getByRole("button", { name: /^More actions for / }).click();
}

test("a suspended account's sends are refused until it is reactivated", async ({ page, service, account, api }) => {
  const send = async () => {
    const { status, body } = await api.post("/messages/send", { to: "+14155550123", from: account.sender, body: "Hi" });
    return [status, body.error?.details.reason];
  };
  expect(await send()).toEqual([201, undefined]);
  await signInOperator(page, service);
  await openMenu(page, account);
  await page.getByRole("menuitem", { name: "Suspend" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Suspend account" }).click();
  await expect(page.getByRole("row").nth(1)).toContainText("Suspended");
  await expect(page.getByRole("button", { name: /^More actions for / })).toBeFocused();
  await expect.poll(send).toEqual([403, "account_not_active"]);

  await openMenu(page, account);
  await page.getByRole("menuitem", { name: "Reactivate" }).click();
  await expect(page.getByRole("row").nth(1)).toContainText("Active");
  await expect.poll(send).toEqual([201, undefined]);
});

test("an operator opens an account, reads its money, keys and messages, and credits it once although a response is lost", async ({
  page,
  service,
  account,
  api,
}) => {
  const to = "+15550100001";
  await api.post("/messages/send", { to, from: account.sender, body: "Not for operators" });
  await signInOperator(page, service);
  await page.goto("/operator/accounts");
  const search = page.getByRole("searchbox");
  await search.fill("somebody else");
  await expect(page).toHaveURL(/search=somebody/);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Accounts" }).click();
  await expect(search).toHaveValue("");
  await search.fill(account.email);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("row").nth(1).getByRole("link").click();
  await page.waitForURL(`/operator/accounts/${account.accountId}`);
  await expect(page.getByRole("region", { name: "Details" })).toContainText(account.email);
  await expect(page.getByRole("table", { name: "API keys" }).getByRole("row")).toHaveCount(2);
  const sent = page.getByRole("table", { name: "Messages" }).getByRole("row", { name: new RegExp(`\\${to}`) });
  await expect(sent).toContainText(account.sender);
  await expect(page.getByText("Not for operators")).toHaveCount(0);

  const ledger = page.getByRole("table", { name: "Ledger" });
  await expect(ledger.getByRole("row", { name: /^Reserved/ })).toContainText("−$");
  await page.getByRole("button", { name: "Credit" }).click();
  const dialog = page.getByRole("dialog", { name: /^Credit / });
  await page.route("**/api/trpc/operator.credit*", (route) => route.fetch().then(() => route.abort()), { times: 1 });
  await dialog.getByLabel("Note").fill("Invoice 118");
  await dialog.getByLabel("Amount in USD").pressSequentially("12.50");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("alert")).toContainText("It is unknown whether the credit was booked");
  await dialog.getByRole("button", { name: "Credit account" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(`(${account.accountId}) now has`)).toBeVisible();
  const booked = ledger.getByRole("row", { name: "Invoice 118" });
  await expect(booked).toContainText("+$12.50");
  await expect(booked).toHaveCount(1);
});

test("a comma in an amount separates thousands, as in displayed amounts", async ({ page, service, account }) => {
  await signInOperator(page, service);
  await page.goto(`/operator/accounts/${account.accountId}`);
  const dialog = page.getByRole("dialog", { name: /^Credit / });
  const amount = dialog.getByLabel("Amount in USD");
  for (const { typed, balance } of [
    { typed: "1,000", balance: "$1,100.00" },
    { typed: "1,000.50", balance: "$2,100.50" },
    { typed: "-1,000.50", balance: "$1,100.00" },
  ]) {
    await page.getByRole("button", { name: "Credit" }).click();
    await amount.pressSequentially(typed);
    await expect(amount).toHaveValue(typed);
    await dialog.getByRole("button", { name: "Credit account" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText(balance, { exact: true }).first()).toBeVisible();
  }

  await test.step("a response after its dialog was closed does not close the next one", async () => {
    let arrive = () => {};
    const late = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const answer = async (route: Route) => {
      const response = await route.fetch();
      await late;
      await route.fulfill({ response });
    };
    await page.route("**/api/trpc/operator.credit*", answer, { times: 1 });
    await page.getByRole("button", { name: "Credit" }).click();
    await amount.pressSequentially("5");
    await dialog.getByRole("button", { name: "Credit account" }).click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(dialog).toBeHidden();
    await page.getByRole("button", { name: "Credit" }).click();
    await amount.pressSequentially("7");
    arrive();
    await expect(page.getByText("$1,105.00", { exact: true }).first()).toBeVisible();
    await expect(amount).toHaveValue("7");
  });
});

test("limits are saved and shown again", async ({ page, service, account }) => {
  await signInOperator(page, service);
  await openMenu(page, account);
  await page.getByRole("menuitem", { name: "Limits" }).click();
  const dialog = page.getByRole("dialog", { name: /^Limits of / });
  await takesFocus(dialog);
  await dialog.getByRole("combobox", { name: "Allowed countries" }).fill("Germ");
  await page.getByRole("option", { name: "Germany (DE)" }).click();
  await dialog.getByLabel("Identical texts per number").fill("0");
  await dialog.getByLabel("Daily spending cap in USD").fill("12.5");
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("row").nth(1)).toContainText("DE · Identical texts: no limit · $12.50 per day");

  await page.reload();
  await openMenu(page, account);
  await page.getByRole("menuitem", { name: "Limits" }).click();
  await expect(dialog.getByText("Germany (DE)")).toBeVisible();
  await expect(dialog.getByLabel("Identical texts per number")).toHaveValue("0");
  await expect(dialog.getByLabel("Messages per number")).toHaveValue("");
  await expect(dialog.getByLabel("Daily spending cap in USD")).toHaveValue("12.5");
});

test("limits and quiet hours that the owners have set are shown beside the operator's", async ({
  page,
  service,
  account,
}) => {
  await signInOperator(page, service);
  await page.goto(`/operator/accounts/${account.accountId}`);
  const own = page.getByRole("region", { name: "Details" }).getByRole("definition").filter({ hasText: "None" });
  await expect(own).toHaveCount(1);
  const database = await openDatabase(databaseUrlOf(service));
  await database
    .rows(
      `UPDATE accounts SET own_country_rule = 'except', own_countries = '{FR,DE}', own_daily_spend_cap_micros = 2500000,
         quiet_starts_minute = 1320, quiet_ends_minute = 420, text_retention_days = 30 WHERE id = $1`,
      [account.accountId],
    )
    .finally(database.close);
  await page.reload();
  await expect(page.getByText("Not to Germany, France")).toBeVisible();
  await expect(page.getByText("$2.50 per day")).toBeVisible();
  await expect(page.getByText("Quiet hours: 22:00 to 07:00, recipient’s time")).toBeVisible();
  await expect(page.getByText("Texts kept for 30 days")).toBeVisible();
});

test("a sender gets a throughput limit", async ({ page, service, account }) => {
  await signInOperator(page, service);
  await page.goto(`/operator/senders?status=approved&search=${account.sender}`);
  const row = page.getByRole("row", { name: new RegExp(account.sender) });
  await row.getByRole("button", { name: `Set the throughput limit of ${account.sender}` }).click();
  const dialog = page.getByRole("dialog", { name: `Throughput limit of ${account.sender}` });
  await dialog.getByLabel("Segments per second").fill("2.5");
  await dialog.getByRole("button", { name: "Save limit" }).click();
  await expect(row).toContainText("2.5");
});

/** Suppresses `number` for all senders of the account. */
async function suppress(service: Service, { accountId }: OwnAccount, number: string): Promise<void> {
  const database = await openDatabase(databaseUrlOf(service));
  await database
    .rows("INSERT INTO suppressions (id, account_id, number, reason) VALUES ($1, $2, $3, 'stop')", [
      accountId.replace("acc_", "sup_"),
      accountId,
      number,
    ])
    .finally(database.close);
}

test("operators find the accounts that suppress a number", async ({ page, service, account }) => {
  const number = `+1415555${String(Date.now()).slice(-4)}`;
  await suppress(service, account, number);
  await signInOperator(page, service);
  await page.goto("/operator/suppressions");
  await page.getByLabel("Search by number").fill(number);
  const row = page.getByRole("row", { name: new RegExp(account.accountId) });
  await expect(row).toContainText("Opted out (STOP)");
  await expect(row).toContainText("All senders");
  await expect(page).toHaveURL(/number=/);
  await page.getByLabel("Search by number").fill("999999999999999");
  await expect(page.getByText("No matching number")).toBeVisible();

  await test.step("console pages that they open afterwards still name their account", async () => {
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.getByRole("link", { name: "Webhooks" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
    const asked = page.waitForRequest(/apiKeys\.details/);
    await navigation.getByRole("link", { name: "API keys" }).click();
    expect((await asked).headers()["x-shown-account"]).toMatch(/^acc_/);
  });
});

test("a name that is one long word hides no buttons and stays within cards and dialogs", async ({
  console: page,
  service,
  account,
}) => {
  const name = "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissen1";
  const headers = { origin: service.url };
  for (const [procedure, data] of [
    ["auth.rename", { name }],
    ["accounts.updateProfile", { name, company_name: "", country: "" }],
  ] as const) {
    expect((await page.request.post(`/api/trpc/${procedure}`, { data, headers })).status()).toBe(200);
  }
  await signInOperator(page, service);
  await page.goto(`/operator/senders?status=all&search=${account.sender}`);
  const limit = page.getByRole("button", { name: `Set the throughput limit of ${account.sender}` });
  await expect(limit).toBeInViewport({ ratio: 1 });

  const fits = (place: Locator) => place.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
  await page.goto(`/operator/accounts/${account.accountId}`);
  const details = page.getByRole("region", { name: "Details" });
  await expect(details).toContainText(name);
  expect(await fits(details)).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Credit", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Credit ${name}` });
  await expect(dialog).toBeVisible();
  expect(await fits(dialog)).toBe(true);
});
