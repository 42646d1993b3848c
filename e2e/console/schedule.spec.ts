import type { Page } from "@playwright/test";
import { apiWith } from "../support/api";
import { expect, test } from "../test";

const TO = "+14155550166";
const DAY_MS = 86_400_000;

/** A local time of the browser in the format of its input, without seconds. */
const localInput = (page: Page, aheadMs: number): Promise<string> =>
  page.evaluate((ms) => {
    const at = new Date(Date.now() + ms);
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }, aheadMs);

async function compose(page: Page, aheadMs: number): Promise<void> {
  await page.goto("/send");
  await page.getByLabel("To").fill(TO);
  await page.getByRole("textbox", { name: "Text" }).fill("See you tomorrow");
  await page.getByLabel("Send later").fill(await localInput(page, aheadMs));
  await page.getByRole("button", { name: "Schedule message" }).click();
}

const status = (page: Page) => page.getByTestId("message-status");

test("a message is scheduled, listed as scheduled, and canceled after confirmation", async ({
  console: page,
  service,
  account,
}) => {
  const api = apiWith(service, account.apiKey);
  const balance = async () => (await api.get<{ balance: number }>("/balance")).body.data.balance;
  const before = await balance();
  await compose(page, DAY_MS);
  await page.waitForURL(/\/messages\/msg_/);
  await expect(status(page)).toHaveText("Scheduled");
  await expect(page.getByText(/Scheduled for .+ \d/)).toBeVisible();
  const id = page.url().split("/").at(-1) ?? "";
  expect(before - (await balance())).toBeCloseTo(0.01, 6);

  await page.goto("/messages");
  await expect(page.getByRole("row").filter({ has: page.locator(`a[href="/messages/${id}"]`) })).toContainText(
    "Scheduled",
  );

  await page.goto(`/messages/${id}`);
  await page.getByRole("button", { name: "Cancel message" }).click();
  const question = page.getByRole("dialog");
  await question.getByRole("button", { name: "Keep it" }).click();
  await expect(question).toBeHidden();
  await expect(status(page)).toHaveText("Scheduled");
  await page.getByRole("button", { name: "Cancel message" }).click();
  await question.getByRole("button", { name: "Cancel message" }).click();
  await expect(status(page)).toHaveText("Canceled");
  await expect(page.getByText("The message was canceled before it was sent.")).toBeVisible();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline).toContainText("Canceled");
  await expect(timeline).not.toContainText("Failed");
  await expect(page.getByRole("button", { name: "Cancel message" })).toBeHidden();
  expect(await balance()).toBeCloseTo(before, 6);
  await page.goto("/messages");
  const row = page.getByRole("row").filter({ has: page.locator(`a[href="/messages/${id}"]`) });
  await expect(row).toContainText("Canceled");
  await expect(row).not.toContainText("Failed");
});

test("a time that has passed or is incomplete is refused at its field, and nothing is sent", async ({
  console: page,
  api,
}) => {
  await compose(page, -DAY_MS);
  await expect(page.getByText("Choose a time in the future")).toBeVisible();
  const later = page.getByLabel("Send later");
  await later.fill("");
  await later.focus();
  await page.keyboard.type("1231");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Enter a date and a time")).toBeVisible();
  expect(page.url()).toMatch(/\/send$/);
  expect((await api.get("/messages")).body.data).toEqual([]);
  await later.fill("");
  await page.keyboard.press("Backspace");
  await page.getByRole("button", { name: "Send message" }).click();
  await page.waitForURL(/\/messages\/msg_/);
});

test("a scheduled message gets another time, and is then sent at once", async ({ console: page, service, account }) => {
  const api = apiWith(service, account.apiKey);
  await compose(page, DAY_MS);
  await page.waitForURL(/\/messages\/msg_/);
  const id = page.url().split("/").at(-1) ?? "";
  const scheduledAt = async () => (await api.get<{ scheduled_at: string }>(`/messages/${id}`)).body.data.scheduled_at;
  const before = await scheduledAt();
  await page.getByRole("button", { name: "Reschedule" }).click();
  const dialog = page.getByRole("dialog");
  const time = dialog.getByLabel("New time");
  await expect(time).toHaveValue(await localInput(page, Date.parse(before) - Date.now()));
  await time.fill("");
  await dialog.getByRole("button", { name: "Reschedule" }).click();
  await expect(dialog.getByText("Enter a date and a time")).toBeVisible();
  await time.fill(await localInput(page, 2 * DAY_MS));
  await dialog.getByRole("button", { name: "Reschedule" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/is scheduled for .+ \d/)).toBeVisible();
  await expect.poll(scheduledAt).not.toBe(before);
  await expect(status(page)).toHaveText("Scheduled");

  await page.getByRole("button", { name: "Reschedule" }).click();
  await dialog.getByRole("button", { name: "Send now" }).click();
  await expect(dialog).toBeHidden();
  await expect(status(page)).toHaveText("Delivered");
  await expect(page.getByRole("button", { name: "Reschedule" })).toBeHidden();
});
