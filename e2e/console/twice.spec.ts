import { randomBytes, randomInt } from "node:crypto";
import type { Locator, Page } from "@playwright/test";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

/**
 * Submits a form twice before the page can render, like a double Enter on a busy machine, then by double click and by Enter, all
 * before the service responds.
 * @returns how many calls of the procedure there were.
 */
async function submitRepeatedly(page: Page, form: Locator, procedure: string): Promise<number> {
  let release = () => {};
  const submitted = new Promise<void>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  const pattern = `**/api/trpc/*${procedure}*`;
  await page.route(pattern, async (route) => {
    calls += 1;
    await submitted;
    await route.continue();
  });
  const field = form.getByRole("textbox").first();
  await form.evaluate((element: HTMLFormElement) => {
    element.requestSubmit();
    element.requestSubmit();
  });
  await form.locator("button[type=submit]").dblclick({ force: true });
  await field.press("Enter");
  await field.press("Enter");
  release();
  await expect(form).toBeHidden();
  await page.unroute(pattern);
  return calls;
}

test("forms of an account make one thing, however often they are submitted", async ({
  console: page,
  api,
  receiver,
}) => {
  const dialog = page.getByRole("dialog");
  const once = async (name: string, procedure: string) =>
    expect(await submitRepeatedly(page, page.getByRole("form", { name }), procedure), name).toBe(1);
  const count = async (path: string) => {
    const { data } = (await api.get<unknown[] | { data: unknown[] }>(path)).body;
    return (Array.isArray(data) ? data : data.data).length;
  };

  await page.goto("/api-keys?create=yes");
  await dialog.getByLabel("Name").fill("Shop");
  await once("New API key", "apiKeys.create");
  expect(await count("/api-keys")).toBe(2);

  await page.goto("/webhooks?create=yes");
  await dialog.getByLabel("Endpoint URL").fill(receiver.url);
  await once("New endpoint", "webhooks.create");
  expect(await count("/webhooks")).toBe(1);

  await page.goto("/senders");
  await page.getByRole("button", { name: "Register sender" }).first().click();
  await dialog.getByLabel("Sender ID").fill("ACME");
  await once("New sender", "senders.create");
  expect(await count("/senders")).toBe(2);

  await page.goto("/suppressions");
  await page.getByRole("button", { name: "Suppress a number" }).first().click();
  await dialog.getByLabel("Phone number").fill("+14155550123");
  await once("New suppression", "suppressions.create");
  expect(await count("/suppressions")).toBe(1);

  await page.goto("/settings/team");
  await page.getByRole("button", { name: "Invite a member" }).click();
  await dialog.getByLabel("Email").fill(`member-${randomBytes(5).toString("hex")}@example.com`);
  await once("New invitation", "invitations.create");

  await page.goto("/send");
  await page.getByLabel("To", { exact: true }).fill("+15550100001");
  await page.getByLabel("Text", { exact: true }).fill("Hello");
  await once("Message", "messages.send");
  expect(await count("/messages")).toBe(1);
});

test("forms of an operator make one thing, however often they are submitted", async ({ page, service, account }) => {
  const dialog = page.getByRole("dialog");
  await signInOperator(page, service);
  await page.goto(`/operator/accounts/${account.accountId}`);
  await page.getByRole("button", { name: "Credit", exact: true }).click();
  await dialog.getByLabel("Amount in USD").pressSequentially("12.50");
  expect(await submitRepeatedly(page, dialog.locator("form"), "operator.credit")).toBe(1);
  await expect(page.getByText(`(${account.accountId}) now has $112.50`)).toHaveCount(1);

  const prefix = `999${randomInt(10_000, 99_999)}`;
  await page.goto("/operator/routes");
  await page.getByRole("button", { name: "Add route" }).first().click();
  await dialog.getByLabel("Prefix").fill(prefix);
  await dialog.getByRole("combobox", { name: "Add a provider" }).selectOption("Sandbox");
  await dialog.getByLabel("Price").fill("0.01");
  expect(await submitRepeatedly(page, dialog.locator("form"), "routes.create")).toBe(1);
  const rows = page.getByRole("row", { name: new RegExp(`\\+${prefix}…`) });
  await expect(rows).toHaveCount(1);
  await page.getByRole("button", { name: `Delete the route for +${prefix}…` }).click();
  await dialog.getByRole("button", { name: "Delete route" }).click();
  await expect(rows).toHaveCount(0);
});
