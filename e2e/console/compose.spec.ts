import type { Page } from "@playwright/test";
import type { BulkResult, Message } from "@/server/messages/schema";
import { signIn } from "../support/sign-in";
import { expect, test } from "../test";

async function compose(page: Page, to: string, body: string): Promise<void> {
  await page.getByLabel("To").fill(to);
  await page.getByRole("textbox", { name: "Text" }).fill(body);
}

const send = (page: Page) => page.getByRole("button", { name: "Send message" }).click();

test("a warning comes before a message that would fail, and its failure is shown as one", async ({
  console: page,
  api,
}) => {
  const suppressed = "+14155550180";
  await api.post("/suppressions", { number: suppressed });
  await page.goto("/send");
  await compose(page, suppressed, "Do you read me?");
  const warning = page.getByRole("note").filter({ hasText: "would fail at once" });
  await expect(warning).toContainText("does not want messages");
  await send(page);
  await page.waitForURL(/\/messages\/msg_/);
  await expect(page.getByText(`The message to ${suppressed} failed`)).toBeVisible();
  await expect(page.getByText(/accepted$/)).toBeHidden();
});

test("a number of no country causes a warning before it is charged", async ({ console: page }) => {
  await page.goto("/send");
  await compose(page, "+999155550123", "Hello?");
  await expect(page.getByRole("note").filter({ hasText: "Check the number" })).toBeVisible();
  await page.getByLabel("To").fill("+14155550123");
  await expect(page.getByRole("note").filter({ hasText: "Check the number" })).toBeHidden();
  await expect(page.getByRole("region", { name: "Cost" })).toContainText("Balance after this message$99.99");
});

test("an account without money reads why it cannot send and whom to ask", async ({ page, service, newAccount }) => {
  const account = await newAccount(0);
  await signIn(page, service, account);
  await page.goto("/");
  const notice = page.getByRole("note").filter({ hasText: "Your balance is empty" });
  await expect(notice).toContainText(account.accountId);
  await page.goto("/send");
  await expect(notice).toBeVisible();
  await compose(page, "+14155550123", "Hello");
  await expect(page.getByRole("alert").filter({ hasText: "does not cover this message" })).toBeVisible();
  await notice.getByRole("button", { name: "Switch to test mode" }).click();
  await expect(page.getByRole("complementary", { name: "Test mode" })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Send a message" })).toBeVisible();
  await expect(notice).toBeHidden();
});

test("a failed message says what to do, and every message names the key and request that sent it", async ({
  console: page,
  api,
  account,
}) => {
  const { body } = await api.post("/messages/send", { from: account.sender, to: "+15550100003", body: "Hello" });
  await page.goto(`/messages/${body.data.id}`);
  await expect(page.getByRole("alert").filter({ hasText: "invalid_recipient" })).toContainText(
    "Correct it, or remove it",
  );
  const details = page.getByRole("region", { name: "Details" });
  await expect(details.getByRole("link", { name: "All messages to this number" })).toHaveAttribute(
    "href",
    "/messages?to=%2B15550100003",
  );
  // The log is written a moment after the response.
  const request = details.getByRole("link", { name: "View request" });
  await expect(async () => {
    await page.reload();
    await expect(request).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await request.click();
  const dialog = page.getByRole("dialog", { name: "Request" });
  await expect(dialog).toContainText("POST /api/v1/messages/send");
  await expect(dialog.getByRole("link", { name: "View message" })).toHaveAttribute("href", `/messages/${body.data.id}`);
  await page.goBack();
  const recipients = ["+15550100008", "+15550100009"];
  const bulk = await api.post("/messages/bulk", { from: account.sender, body: "Hello", recipients });
  const { messages } = bulk.body.data as BulkResult;
  await page.goto(`/messages/${messages[1]?.id}`);
  await expect(async () => {
    await page.reload();
    await expect(request).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await request.click();
  await expect(dialog).toContainText("POST /api/v1/messages/bulk");
  await page.goBack();
  await details.getByRole("link", { name: "Admin" }).click();
  await expect(page).toHaveURL(`/api-keys/${account.apiKeyId}`);

  await page.goto("/send");
  await compose(page, "+15550100001", "By hand");
  await page.getByRole("button", { name: "Send message" }).click();
  await expect(page).toHaveURL(/\/messages\/msg_/);
  await expect(details).toContainText("SourceConsole");
});

test("a message is sent again from its page, without its text in an address, until its text is deleted for good", async ({
  console: page,
  api,
  account,
}) => {
  const sent = { from: account.sender, to: "+14155550181", body: "Once more, with feeling", reference: "r-1" };
  const { body } = await api.post("/messages/send", sent);
  await page.goto(`/messages/${body.data.id}`);
  // A time can be read to the second, in its zone, without hovering.
  await expect(page.getByRole("region", { name: "Details" })).toContainText(/:\d\d [AP]M (UTC|GMT)/);
  await page.getByRole("link", { name: "Send again" }).click();
  await expect(page.getByRole("textbox", { name: "Text" })).toHaveValue(sent.body);
  await expect(page.getByLabel("To")).toHaveValue(sent.to);
  expect(page.url()).not.toContain("feeling");

  await page.goBack();
  const text = page.getByRole("region", { name: "Text" });
  await page.getByRole("button", { name: "Delete text" }).click();
  const question = page.getByRole("dialog");
  await expect(question).toContainText("cannot be undone");
  await question.getByRole("button", { name: "Keep it" }).click();
  await expect(text).toHaveText(/Once more, with feeling/);
  await page.getByRole("button", { name: "Delete text" }).click();
  await question.getByRole("button", { name: "Delete text" }).click();
  await expect(text).toHaveText(/Deleted/);
  await expect(text).not.toContainText("feeling");
  for (const role of ["button", "link"] as const) {
    await expect(page.getByRole(role, { name: /Delete text|Send again/ })).toBeHidden();
  }
  expect((await api.get<Message>(`/messages/${body.data.id}`)).body.data).toMatchObject({
    status: "delivered",
    body: "",
  });
});

test("an invalid sender ID gets an error at its field that fits the entry", async ({ console: page }) => {
  await page.goto("/senders");
  await page.getByRole("button", { name: "Register sender" }).first().click();
  for (const { entered, problem } of [
    { entered: "A".repeat(17), problem: "A name has at most 11 characters" },
    { entered: "Bäckerei", problem: "This character is not allowed: ä" },
  ]) {
    await page.getByLabel("Sender ID").fill(entered);
    await page.getByRole("button", { name: "Register", exact: true }).click();
    await expect(page.getByText(problem)).toBeVisible();
  }
});

test("typographic punctuation is replaced on demand, which saves segments", async ({ console: page }) => {
  await page.goto("/send");
  const text = page.getByRole("textbox", { name: "Text", exact: true });
  await text.fill(`“${"a".repeat(98)}”`);
  const meter = page.getByTestId("segment-meter");
  await expect(meter).toContainText("UCS-2");
  await expect(meter).toContainText("Saves 1 segment");
  await page.getByRole("button", { name: "Replace typographic punctuation" }).click();
  await expect(text).toHaveValue(`"${"a".repeat(98)}"`);
  await expect(meter).toContainText("GSM-7");
  await expect(page.getByRole("button", { name: "Replace typographic punctuation" })).toBeHidden();
});

test("each character that makes a text more expensive is named, and can be replaced or found", async ({
  console: page,
}) => {
  await page.goto("/send");
  const text = page.getByRole("textbox", { name: "Text", exact: true });
  await text.fill("It’s ready… 🎉 it’s yours");
  await page.getByRole("button", { name: "Find 🎉 U+1F389" }).click();
  await expect(text).toBeFocused();
  expect(
    await text.evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart, field.selectionEnd)),
  ).toBe("🎉");
  await page.getByRole("button", { name: "Replace ’ U+2019 with '" }).click();
  await expect(text).toHaveValue("It's ready… 🎉 it's yours");
  await page.getByRole("button", { name: "Replace … U+2026 with ..." }).click();
  await expect(text).toHaveValue("It's ready... 🎉 it's yours");
});
