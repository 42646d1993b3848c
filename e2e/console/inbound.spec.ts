import { replyFromHandset } from "../support/behind-the-api";
import { expect, test } from "../support/contract-test";

const HANDSET = "+14155550123";
const OTHER = "+442071838750";

test("inbound messages appear without a reload, are filtered in the address, and open with their event", async ({
  console: page,
  account,
}) => {
  const table = page.getByRole("table", { name: "Inbound messages" });

  await test.step("an empty list explains itself", async () => {
    await page.goto("/");
    await page.getByRole("link", { name: "Inbound", exact: true }).click();
    await expect(page).toHaveURL(/\/inbound$/);
    await expect(page.getByText("No inbound messages yet")).toBeVisible();
  });

  await test.step("messages appear without a reload, with their effect", async () => {
    await replyFromHandset(HANDSET, account.sender, "Is the table free?");
    await expect(table.getByRole("row", { name: /Is the table free/ })).toBeVisible();
    await replyFromHandset(OTHER, account.sender, "STOP");
    await expect(table.getByRole("row", { name: new RegExp(`\\${OTHER}.*STOP.*Opted out`) })).toBeVisible();
  });

  await test.step("a filter stands in the address, and can be cleared", async () => {
    await page.getByRole("searchbox", { name: "From" }).fill(HANDSET);
    await expect(page).toHaveURL(/from=%2B14155550123/);
    await expect(table.getByText(OTHER)).toBeHidden();
    await page.reload();
    await expect(table.getByRole("row", { name: /Is the table free/ })).toBeVisible();
    await expect(table.getByText(OTHER)).toBeHidden();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect(table.getByText(OTHER)).toBeVisible();
  });

  await test.step("a message opens with its text and event, and is in the list of events", async () => {
    await table.getByRole("link", { name: HANDSET }).click();
    await expect(page.getByRole("heading", { name: `Message from ${HANDSET}` })).toBeVisible();
    await expect(page.getByRole("region", { name: "Text" })).toContainText("Is the table free?");
    await expect(page.getByRole("region", { name: "Details" })).toContainText("Sandbox");
    await expect(page.getByRole("region", { name: "Event" })).toContainText("message.received");
    await expect(page.getByRole("link", { name: "All messages from this number" })).toHaveAttribute(
      "href",
      "/inbound?from=%2B14155550123",
    );
    await page.goto("/events?type=message.received");
    await page.getByRole("table", { name: "Events" }).getByRole("link", { name: HANDSET }).click();
    await expect(page).toHaveURL(/\/inbound\/inb_/);
  });

  await test.step("a reply comes from the sender ID that it was sent to", async () => {
    await page.getByRole("link", { name: "Reply" }).click();
    await expect(page.getByRole("textbox", { name: "To" })).toHaveValue(HANDSET);
    await expect(page.getByRole("combobox", { name: "From" })).toHaveValue(account.sender);
    await page.getByRole("textbox", { name: "Text" }).fill("Yes, it is.");
    await page.getByRole("button", { name: "Send message" }).click();
    await expect(page.getByRole("heading", { level: 1, name: `Message to ${HANDSET}` })).toBeVisible();
    await page.goto("/inbound");
    await table.getByRole("link", { name: OTHER }).click();
    await expect(page.getByRole("region", { name: "Text" })).toContainText("STOP");
    await expect(page.getByRole("link", { name: "Reply" })).toHaveCount(0);
  });
});

test("an unknown inbound message is shown as such", async ({ console: page }) => {
  await page.goto("/inbound/inb_01k9x7t4m2e8v5q3r6w1y0z8ab");
  await expect(page.getByText("Inbound message not found")).toBeVisible();
});
