import { randomInt } from "node:crypto";
import { takesFocus } from "../support/dialogs";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

test("an operator adds a route, reorders its providers, simulates it and deletes it", async ({
  page,
  service,
  account,
  api,
}) => {
  // No country has +999, so no other test's numbers use this route.
  const prefix = `999${randomInt(10_000, 99_999)}`;
  const number = `+${prefix}1234`;
  await signInOperator(page, service);
  await page.setViewportSize({ width: 1_280, height: 600 });
  await page.goto("/operator/routes");
  // The navigation is longer than the window.
  const navigation = page.getByRole("navigation", { name: "Main" });
  await expect(navigation.getByRole("link", { name: "Routes and prices" })).toBeInViewport({ ratio: 1 });

  await test.step("add it", async () => {
    await page.getByRole("button", { name: "Add route" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a route" });
    await dialog.getByLabel("Prefix").fill(`+${prefix}`);
    await dialog.getByRole("button", { name: "Add route" }).click();
    await expect(dialog.getByText("Add at least one provider")).toBeVisible();
    for (const name of ["Telnyx", "Sandbox"]) {
      await dialog.getByRole("combobox", { name: "Add a provider" }).selectOption(name);
    }
    await dialog.getByLabel("Price").fill("0.1234567");
    await expect(dialog.getByLabel("Price")).toHaveValue("0.123456");
    await dialog.getByRole("button", { name: "Add route" }).click();
    await expect(page.getByRole("row", { name: new RegExp(`\\+${prefix}…`) })).toContainText("Telnyx → Sandbox");
  });

  await test.step("reorder its providers by keyboard", async () => {
    await page.getByRole("button", { name: `Edit the route for +${prefix}…` }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("button", { name: "Move Telnyx up" })).toBeDisabled();
    await takesFocus(dialog);
    await dialog.getByRole("button", { name: "Move Sandbox up" }).press("Enter");
    await expect(dialog.getByRole("listitem")).toContainText(["Sandbox", "Telnyx"]);
    await dialog.getByRole("button", { name: "Save route" }).click();
    await expect(page.getByRole("row", { name: new RegExp(`\\+${prefix}…`) })).toContainText("Sandbox → Telnyx");
  });

  await test.step("simulate a number", async () => {
    await page.getByLabel("Number to simulate").fill(number);
    await page.getByRole("button", { name: "Simulate" }).click();
    const matches = page.getByRole("table", { name: `Routes that match ${number}` });
    const rows = matches.getByRole("row");
    await expect(rows.nth(1)).toContainText("Selected");
    await expect(rows.nth(1)).toContainText(`+${prefix}…`);
    await expect(rows.nth(1)).toContainText("(not configured)");
    await expect(rows.nth(1)).toContainText("0.123456");
    await expect(rows.last()).toContainText("All destinations");
    await expect(rows.last()).toContainText("Outranked");
    await expect(page).toHaveURL(new RegExp(`to=%2B${prefix}1234`));
    await page.getByLabel("Number to simulate").fill("030 123");
    await page.getByRole("button", { name: "Simulate" }).click();
    await expect(page.getByText("Must be a phone number in E.164 form")).toBeVisible();
  });

  await test.step("messages cost the simulated price", async () => {
    const send = { to: number, from: account.sender, body: "Hello" };
    await expect.poll(async () => (await api.post("/messages/send", send)).body.data?.cost).toBe(0.123456);
  });

  await test.step("delete it", async () => {
    await page.getByRole("button", { name: `Delete the route for +${prefix}…` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete route" }).click();
    await expect(page.getByRole("row", { name: new RegExp(`\\+${prefix}…`) })).toHaveCount(0);
  });
});
