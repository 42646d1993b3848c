import { violationsOf } from "../support/axe";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

test("the search works with the keyboard alone", async ({ console: page, api, account }) => {
  const to = "+15550100001";
  const { body } = await api.post("/messages/send", {
    to,
    from: account.sender,
    body: "Hello",
    reference: "order-4711",
  });
  const field = page.getByRole("combobox", { name: "Search" });
  const dialog = page.getByRole("dialog", { name: "Search" });

  await test.step("Ctrl-K opens it, also from a field, and Escape closes it", async () => {
    await page.goto("/messages");
    await page.getByRole("searchbox", { name: "Recipient" }).focus();
    await page.keyboard.press("Control+k");
    await expect(field).toBeFocused();
    await expect(page.getByRole("option", { name: "Overview" })).toBeVisible();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("searchbox", { name: "Recipient" })).toBeFocused();
  });

  await test.step("a slash opens it, but not while somebody types", async () => {
    await page.keyboard.press("/");
    await expect(page.getByRole("searchbox", { name: "Recipient" })).toHaveValue("/");
    await page.getByRole("searchbox", { name: "Recipient" }).fill("");
    await page.getByRole("button", { name: "Search", exact: true }).focus();
    await page.keyboard.press("/");
    await expect(field).toBeFocused();
  });

  await test.step("arrows choose, and the field names the chosen option", async () => {
    await field.fill("webhook");
    const option = page.getByRole("option", { name: "Add a webhook endpoint" });
    await expect(page.getByRole("option", { name: "Webhooks" })).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("ArrowDown");
    await expect(option).toHaveAttribute("aria-selected", "true");
    await expect(field).toHaveAttribute("aria-activedescendant", (await option.getAttribute("id")) ?? "");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/webhooks/);
    await expect(page.getByRole("dialog", { name: "Add a webhook endpoint" })).toBeVisible();
  });

  await test.step("it does not open over an open form", async () => {
    await page.getByLabel("Endpoint URL").fill("https://half.example");
    await page.keyboard.press("Control+k");
    await expect(page.getByLabel("Endpoint URL")).toHaveValue("https://half.example");
    await expect(dialog).toBeHidden();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(page).toHaveURL(/\/webhooks$/);
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });

  for (const [by, text] of [
    ["its reference", "order-4711"],
    ["its id", String(body.data.id)],
    ["a part of its number", "5550100001"],
  ] as const) {
    await test.step(`a message is found by ${by}`, async () => {
      await page.keyboard.press("Control+k");
      await field.fill(text);
      await expect(page.getByRole("option", { name: to })).toBeVisible();
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(new RegExp(`/messages/${body.data.id}$`));
      await expect(dialog).toBeHidden();
    });
  }

  await test.step("searched texts are stored nowhere", async () => {
    await page.keyboard.press("Control+k");
    await expect(field).toHaveValue("");
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, location.href]));
    expect(stored).not.toContain("order-4711");
    await field.fill("nothing has this name");
    await expect(page.getByText("Nothing found")).toBeVisible();
  });
});

test("operators find accounts", async ({ page, service, account }) => {
  await signInOperator(page, service);
  await page.goto("/operator/accounts");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("combobox", { name: "Search" }).fill(account.email);
  await page.getByRole("option", { name: account.email }).click();
  await expect(page).toHaveURL(`/operator/accounts/${account.accountId}`);
  await expect(page.getByText(account.accountId)).toBeVisible();
});

test("the search fits a phone", async ({ console: page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("combobox", { name: "Search" }).fill("sen");
  await expect(page.getByRole("option", { name: "Senders" })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
});
