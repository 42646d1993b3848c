import { checkAlerts } from "../support/behind-the-api";
import { expect, test } from "../test";

test("an owner is alerted to a low balance at a URL of theirs, and sees it in the settings", async ({
  console: page,
  receiver,
}) => {
  await page.clock.install();
  await page.goto("/settings/alerts");
  await expect(page.getByText("This installation sends no emails")).toBeVisible();
  await page.getByLabel("Low balance").fill("500");
  await page.getByLabel("Alert URL").fill("not a URL");
  await page.getByRole("button", { name: "Save alerts" }).click();
  await expect(page.getByText("Must be an http:// or https:// URL")).toBeVisible();
  await page.getByLabel("Alert URL").fill(receiver.url);
  await page.getByRole("button", { name: "Save alerts" }).click();
  await expect(page.getByTestId("secret-value")).toContainText("whsec_");
  await checkAlerts();
  await expect.poll(() => receiver.received.length).toBe(1);
  const [posted] = receiver.received;
  expect(JSON.parse(String(posted?.body))).toMatchObject({ object: "alert", type: "balance_low", state: "raised" });
  expect(posted?.headers["service-signature"]).toMatch(/^t=\d+,v1=/);
  const settings = page.getByRole("navigation", { name: "Settings" });
  await test.step("leaving the page before its secret was copied asks first", async () => {
    const question = page.getByRole("dialog", { name: "Leave without the secret?" });
    await settings.getByRole("link", { name: "Team" }).click();
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(question).toBeHidden();
    await expect(page.getByTestId("secret-value")).toBeVisible();
    // As on a page over plain HTTP, which selects the secret instead.
    await page.evaluate(() => Reflect.deleteProperty(Navigator.prototype, "clipboard"));
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(page.getByText("Nothing was copied")).toBeVisible();
    await page.keyboard.press("Control+c");
  });
  await test.step("a change saved in another tab is shown, and stays", async () => {
    await settings.getByRole("link", { name: "Team" }).click();
    await expect(page.getByRole("table", { name: "Members" })).toBeVisible();
    const saved = await page.request.post("/api/trpc/alerts.update", {
      data: { low_balance: 250, by_mail: false, url: receiver.url },
      headers: { origin: new URL(page.url()).origin },
    });
    expect(saved.status()).toBe(200);
    // Longer than responses stay fresh.
    await page.clock.fastForward(10_000);
    await settings.getByRole("link", { name: "Alerts" }).click();
    await expect(page.getByLabel("Low balance")).toHaveValue("250 USD");
  });
  await page.reload();
  await expect(page.getByRole("table", { name: "Past alerts" })).toContainText(
    "The balance is 100.00 USD, below 500.00 USD.",
  );
});
