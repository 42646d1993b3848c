import type { Page } from "@playwright/test";
import { barriersOf } from "../support/axe";
import { expect, test } from "../test";

const question = (page: Page) => page.getByRole("dialog", { name: "Leave without the secret?" });

/** Checks that neither the cross nor Escape drops the dialog's secret before it was copied. */
async function isGuarded(page: Page): Promise<void> {
  const secret = page.getByTestId("secret-value");
  await expect(secret).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await expect(question(page)).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(question(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(question(page)).toBeHidden();
  await expect(secret).toBeVisible();
  await secret.click();
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

test("a new API key is not lost with its dialog, nor is a rotated one", async ({ console: page, api }) => {
  await page.goto("/api-keys");
  await page.getByRole("button", { name: "Create API key" }).first().click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Shop");
  await page.getByRole("button", { name: "Create key" }).click();
  await isGuarded(page);
  const { body } = await api.post("/api-keys/create", { name: "CI" });
  await page.goto(`/api-keys/${body.data.id}`);
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("button", { name: "Rotate key" }).click();
  await isGuarded(page);
});

test("a new signing secret is not lost with its dialog, unless the person confirms it", async ({
  console: page,
  api,
  receiver,
}) => {
  await page.goto("/webhooks");
  await page.getByRole("button", { name: "Add endpoint" }).click();
  await page.getByLabel("Endpoint URL").fill(receiver.url);
  await page.getByRole("button", { name: "Create endpoint" }).click();
  await isGuarded(page);
  const { body } = await api.get<{ data: { id: string }[] }>("/webhooks");
  await page.goto(`/webhooks/${body.data.data[0]?.id}`);
  const rotate = async () => {
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("button", { name: "Rotate now" }).click();
  };
  await rotate();
  await isGuarded(page);
  await rotate();
  await expect(page.getByTestId("secret-value")).toBeVisible();
  await expect(page.getByRole("button", { name: "Copy" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(question(page)).toBeVisible();
  expect(await barriersOf(page)).toEqual([]);
  await question(page).getByRole("button", { name: "Leave" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Rotate secret" })).toBeFocused();
});

test("the link of an invitation is not lost with its dialog", async ({ console: page }) => {
  await page.goto("/settings/team");
  await page.getByRole("button", { name: "Invite a member" }).click();
  await page.getByLabel("Email").fill("bob@example.com");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await isGuarded(page);
});
