import { apiWith } from "../support/api";
import { changeRoles } from "../support/behind-the-api";
import { expect, test } from "../test";

type Kept = { text_retention_days: number | null };

test("an owner sets for how long texts are kept, others read it", async ({ console: page, account, service }) => {
  const api = apiWith(service, account.apiKey);
  const stored = async () => (await api.get<Kept>("/account")).body.data.text_retention_days;
  expect(await stored()).toBeNull();
  await page.goto("/settings/sending");
  const card = page.getByRole("region", { name: "Text retention" });
  const field = card.getByLabel("Days to keep texts");
  await field.fill("0");
  await card.getByRole("button", { name: "Save retention" }).click();
  await expect(card.getByText("Enter whole days, 1 to 3,650")).toBeVisible();
  await field.fill("30");
  await card.getByRole("button", { name: "Save retention" }).click();
  await expect(page.getByText("The time for which texts are kept is saved")).toBeVisible();
  expect(await stored()).toBe(30);
  await page.reload();
  await expect(field).toHaveValue("30");
  await field.fill("");
  await card.getByRole("button", { name: "Save retention" }).click();
  await expect.poll(stored).toBeNull();

  await changeRoles(account, "viewer");
  await page.reload();
  await expect(card).toContainText("Only an owner can change this.");
  await expect(card.getByRole("button")).toHaveCount(0);
});
