/** Lists of an account that has many of everything. */
import { barriersOf } from "../support/axe";
import { addApiKeys, addMemberships, addSenders } from "../support/behind-the-api";
import { expect, test } from "../test";

const MANY = 60;
const PER_PAGE = 25;

test("a long list of API keys has pages and a search", async ({ console: page, account }) => {
  await addApiKeys(account, MANY);
  await page.goto("/api-keys");
  const table = page.getByRole("table", { name: "API keys" });
  const rows = table.getByRole("rowgroup").last().getByRole("row");
  await expect(rows).toHaveCount(PER_PAGE);
  await expect(page.getByRole("status").filter({ hasText: `1–25 of ${MANY + 1}` })).toBeVisible();
  await page.getByRole("button", { name: "Page 3" }).click();
  await expect(rows).toHaveCount((MANY + 1) % PER_PAGE);
  const search = page.getByRole("searchbox", { name: "Search in API keys" });
  await search.fill("program 17");
  await expect(rows).toHaveCount(1);
  await expect(table.getByRole("link", { name: "Program 17" })).toBeVisible();
  expect(await barriersOf(page)).toEqual([]);
  await search.fill("no such program");
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(rows).toHaveCount(PER_PAGE);
});

test("the search and the page of a long list are there after going back, and after a reload", async ({
  console: page,
  account,
}) => {
  await addApiKeys(account, MANY);
  await page.goto("/api-keys");
  const table = page.getByRole("table", { name: "API keys" });
  const rows = table.getByRole("rowgroup").last().getByRole("row");
  const search = page.getByRole("searchbox", { name: "Search in API keys" });
  const third = page.getByRole("button", { name: "Page 3" });
  await third.click();
  await expect(rows).toHaveCount((MANY + 1) % PER_PAGE);
  await table.getByRole("link").first().click();
  await page.waitForURL(/\/api-keys\/key_/);
  await page.goBack();
  await expect(third).toHaveAttribute("aria-current", "page");

  await search.fill("program 17");
  await expect(rows).toHaveCount(1);
  await table.getByRole("link", { name: "Program 17" }).click();
  await page.waitForURL(/\/api-keys\/key_/);
  await page.getByRole("link", { name: "All API keys" }).click();
  await expect(search).toHaveValue("program 17");
  await expect(rows).toHaveCount(1);
  await page.reload();
  await expect(search).toHaveValue("program 17");
  await expect(rows).toHaveCount(1);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "API keys" }).click();
  await expect(search).toHaveValue("");
  await expect(rows).toHaveCount(PER_PAGE);
});

test("a person with many accounts reaches the items below them in the menu, and a filter has every sender ID", async ({
  console: page,
  account,
}) => {
  await addMemberships(account, MANY);
  await addSenders(account, "suspended", 50);
  await addSenders(account, "rejected", 100);
  await page.goto("/messages");
  await page.getByRole("button", { name: "More filters" }).click();
  const filter = page.getByRole("combobox", { name: "Sender" });
  await expect(filter.getByRole("option", { includeHidden: true })).toHaveCount(1 + 50 + 1);
  await page.getByRole("button", { name: "Account menu" }).click();
  await expect(page.getByRole("menuitem", { name: "Shop 1 viewer" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeInViewport({ ratio: 1 });
  expect(await barriersOf(page)).toEqual([]);
});
