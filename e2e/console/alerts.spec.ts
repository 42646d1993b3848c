import { checkAlerts } from "../support/behind-the-api";
import { expect, test } from "../test";

test("an owner is alerted to a low balance at a URL of theirs, and sees it in the settings", async ({
  console: page,
  receiver,
}) => {
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
  await page.reload();
  await expect(page.getByRole("table", { name: "Past alerts" })).toContainText(
    "The balance is 100.00 USD, below 500.00 USD.",
  );
});
