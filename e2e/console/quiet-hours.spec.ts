import { apiWith } from "../support/api";
import { expect, test } from "../test";

/** The time in India, where clocks never change, `minutes` from now. */
const indiaIn = (minutes: number) => new Date(Date.now() + (5.5 * 60 + minutes) * 60_000).toISOString().slice(11, 16);

test("an owner sets quiet hours, a message waits for their end, and an urgent one does not", async ({
  console: page,
  service,
  account,
}) => {
  const api = apiWith(service, account.apiKey);
  await page.goto("/settings/sending");
  await page.getByRole("switch", { name: "Keep quiet hours" }).check();
  await page.getByLabel("From").fill(indiaIn(-60));
  await page.getByLabel("Until").fill(indiaIn(-60));
  await page.getByRole("button", { name: "Save quiet hours" }).click();
  await expect(page.getByText("Must differ from the start")).toBeVisible();
  await page.getByLabel("Until").fill(indiaIn(60));
  await page.getByRole("button", { name: "Save quiet hours" }).click();
  await expect(page.getByText("Quiet hours are saved")).toBeVisible();
  const { body } = await api.get<{ quiet_hours: { ends_at: string } }>("/account");
  expect(body.data.quiet_hours.ends_at).toBe(await page.getByLabel("Until").inputValue());

  await page.goto("/send");
  await page.getByLabel("To", { exact: true }).fill("+919812345678");
  await page.getByRole("textbox", { name: "Text" }).fill("Good night");
  await expect(page.getByText("This one would be sent")).toBeVisible();
  await page.getByRole("button", { name: "Send message" }).click();
  await page.waitForURL(/\/messages\/msg_/);
  await expect(page.getByText("Scheduled for", { exact: true })).toBeVisible();

  await page.goto("/send");
  await page.getByLabel("To", { exact: true }).fill("+919812345678");
  await page.getByRole("textbox", { name: "Text" }).fill("Your code is 4711");
  await page.getByLabel("Send in quiet hours too").check();
  await page.getByRole("button", { name: "Send message" }).click();
  await page.waitForURL(/\/messages\/msg_/);
  const sent = await api.get<{ scheduled_at: string | null }>(`/messages/${page.url().split("/").at(-1)}`);
  expect(sent.body.data.scheduled_at).toBeNull();
});
