import { apiWith } from "../support/api";
import { barriersOf } from "../support/axe";
import { expect, test } from "../test";

test("the page of a key shows its messages, edits its limits, and rotates and revokes it", async ({
  console: page,
  api,
  account,
  service,
}) => {
  const made = await api.post("/api-keys/create", { name: "Shop", daily_limit: 50 });
  const { id, plain_key: plainKey } = made.body.data as { id: string; plain_key: string };
  const shop = apiWith(service, plainKey);
  for (const to of ["+15550100001", "+15550100003"]) {
    await shop.post("/messages/send", { from: account.sender, to, body: "Hi", reference: "order-1" });
  }
  await api.post("/messages/send", { from: account.sender, to: "+14155550182", body: "Hi" });
  const works = async (key: string) => (await apiWith(service, key).get("/account")).status === 200;

  await test.step("the list leads to it", async () => {
    await page.goto("/api-keys");
    await page.getByRole("link", { name: "Shop" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Shop" })).toBeVisible();
    await expect(page).toHaveURL(`/api-keys/${id}`);
  });

  await test.step("its usage and requests belong to this key only", async () => {
    const usage = page.getByRole("region", { name: "Usage" });
    await expect(usage.getByText("2 of 50 messages today")).toBeVisible();
    await expect(usage.getByRole("img")).toHaveAccessibleName(/2 in all/);
    const requests = page.getByRole("table", { name: "Recent requests" });
    await expect(async () => {
      await page.reload();
      await expect(requests.getByRole("row", { name: /POST \/messages\/send/ })).toHaveCount(2, { timeout: 5_000 });
    }).toPass();
    expect(await barriersOf(page)).toEqual([]);
  });

  await test.step("its messages are one click away", async () => {
    await page.getByRole("link", { name: "View its messages" }).click();
    const table = page.getByRole("table", { name: "Messages" });
    await expect(table.getByText("+15550100003")).toBeVisible();
    await expect(table.getByText("+14155550182")).toBeHidden();
    await page.goto(`/api-keys/${id}`);
  });

  await test.step("limits", async () => {
    await page.getByRole("button", { name: "Edit limits" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit API key" });
    // The dialog's buttons stay visible even if its form does not fit into the window.
    await page.setViewportSize({ width: 1_280, height: 400 });
    await expect(dialog.getByRole("button", { name: "Save changes" })).toBeInViewport({ ratio: 1 });
    await page.setViewportSize({ width: 1_280, height: 720 });
    await dialog.getByLabel("Messages per day").fill("75");
    await dialog.getByLabel("Requests per minute").fill("");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(dialog.getByText("Enter a number of requests")).toBeVisible();
    await dialog.getByLabel("Requests per minute").fill("90");
    await dialog.getByLabel("Expiry date").focus();
    await page.keyboard.type("12");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(dialog.getByText("Enter a date")).toBeVisible();
    await dialog.getByLabel("Expiry date").fill("");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText("2 of 75 messages today")).toBeVisible();
  });

  await test.step("rotation", async () => {
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.route("**/api/trpc/apiKeys.rotate*", (route) => route.fetch().then(() => route.abort()), { times: 1 });
    await page.getByRole("button", { name: "Rotate key" }).click();
    await expect(page.getByRole("dialog").getByRole("alert")).toContainText("could not be reached");
    await page.getByRole("button", { name: "Rotate key" }).click();
    const secret = page.getByTestId("secret-value");
    await expect(secret).toBeVisible();
    const newKey = (await secret.textContent()) ?? "";
    expect(newKey).not.toBe(plainKey);
    expect(await works(newKey)).toBe(true);
    expect(await works(plainKey)).toBe(true);
    const { body } = await api.get<{ data: { name: string }[] }>("/api-keys");
    expect(body.data.data.filter(({ name }) => name === "Shop")).toHaveLength(2);
    // As on a page over plain HTTP.
    await page.evaluate(() => Reflect.deleteProperty(Navigator.prototype, "clipboard"));
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(page.getByText("Nothing was copied")).toBeVisible();
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(newKey);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await expect(page.getByText(/in 24 hours|tomorrow|in 1 day/)).toBeVisible();
  });

  await test.step("its end", async () => {
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    const details = page.getByRole("region", { name: "Details" });
    await expect(details).toContainText("StateRevoked");
    await expect(details).toContainText("Revokedjust now");
    await expect(page.getByRole("button", { name: "Rotate" })).toBeHidden();
    await expect.poll(() => works(plainKey)).toBe(false);
  });

  await test.step("a key that does not exist", async () => {
    await page.goto("/api-keys/key_nothing");
    await expect(page.getByRole("heading", { level: 1, name: "API key not found" })).toBeVisible();
  });
});
