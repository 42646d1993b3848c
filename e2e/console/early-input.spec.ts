/** Input that people enter before the scripts of a page are loaded. */
import type { Locator, Page } from "@playwright/test";
import { addApiKeys } from "../support/behind-the-api";
import { holdRequests, SCRIPTS } from "../support/interrupted-requests";
import { expect, test } from "../test";

/** Opens a page without its scripts, until it shows `field`. @returns a function that lets them load. */
async function openWithoutScripts(page: Page, address: string, field: Locator): Promise<() => void> {
  const letGo = await holdRequests(page, SCRIPTS);
  // A busy server sends the page without its data.
  await expect(async () => {
    await page.goto(address, { waitUntil: "commit" });
    await expect(field).toBeVisible({ timeout: 2_000 });
  }).toPass();
  return letGo;
}

test("filters that are set before the page's scripts are loaded are applied", async ({
  console: page,
  api,
  account,
}) => {
  for (const to of ["+15550100001", "+15550100003"])
    await api.post("/messages/send", { from: account.sender, to, body: "Hello" });
  const recipient = page.getByRole("searchbox", { name: "Recipient" });
  const letGo = await openWithoutScripts(page, "/messages", recipient);
  await recipient.fill("100003");
  await page.getByRole("combobox", { name: "Status" }).selectOption("Failed");
  await page.getByLabel("Created from").fill("2026-03-01");
  letGo();
  await expect(page).toHaveURL((url) => {
    const { to, status, created_from: from } = Object.fromEntries(url.searchParams);
    return to === "100003" && status === "failed" && from === "2026-03-01";
  });
  await expect(recipient).toHaveValue("100003");
  await expect(page.getByRole("combobox", { name: "Status" })).toHaveValue("failed");
  await expect(page.getByRole("table", { name: "Messages" }).getByText("+15550100001")).toBeHidden();
});

test("a text that is being typed while the scripts arrive keeps its cursor", async ({ console: page, account }) => {
  await addApiKeys(account, 30);
  const search = page.getByRole("searchbox", { name: "Search in API keys" });
  const letGo = await openWithoutScripts(page, "/api-keys", search);
  await search.pressSequentially("Program 1");
  await search.press("ArrowLeft");
  letGo();
  const rows = page.getByRole("table", { name: "API keys" }).getByRole("rowgroup").last().getByRole("row");
  // 1, 10 to 19, and 21.
  await expect(rows).toHaveCount(12);
  await page.keyboard.type("2");
  await expect(search).toHaveValue("Program 21");
  await expect(page.getByRole("link", { name: "Program 21" })).toBeVisible();
});

test("a period that is chosen before the scripts are loaded is shown", async ({ console: page }) => {
  const today = page.getByRole("radio", { name: "Today" });
  const letGo = await openWithoutScripts(page, "/usage", page.getByText("Today", { exact: true }));
  await page.getByText("Today", { exact: true }).click();
  await expect(today).toBeChecked();
  letGo();
  await expect(page).toHaveURL("/usage?period=day");
  await expect(today).toBeChecked();
});
