import type { Locator, Page } from "@playwright/test";
import { REFUSAL, refuseOnce } from "../support/refuse";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

const press = (place: Page | Locator, name: string) => place.getByRole("button", { name, exact: true }).click();
const refusalIn = (place: Page | Locator) => place.getByRole("alert").filter({ hasText: REFUSAL });

test("the refusal of a recovery disappears once another time is entered", async ({ console: page, api, receiver }) => {
  const { body } = await api.post("/webhooks/create", { url: receiver.url });
  await page.goto(`/webhooks/${body.data.id}`);
  await press(page, "Recover events");
  const dialog = page.getByRole("dialog", { name: "Recover missed events" });
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  await expect(dialog.getByLabel("Since")).toHaveAccessibleDescription(`Date and time in ${zone}.`);
  await refuseOnce(page, "webhooks.recover");
  await press(dialog, "Recover events");
  await expect(refusalIn(dialog)).toBeVisible();
  await dialog.getByLabel("Since").fill("2026-01-02T03:04");
  await expect(refusalIn(dialog)).toBeHidden();
  await press(dialog, "Recover events");
  await expect(dialog).toBeHidden();
});

test("the refusal of a decision on a sender disappears with the next letter of its reason, and with its dialog", async ({
  page,
  service,
  account,
}) => {
  await signInOperator(page, service);
  await page.goto(`/operator/senders?status=approved&search=${account.sender}`);
  const dialog = page.getByRole("dialog", { name: `Suspend ${account.sender}` });
  const open = () => press(page, `Suspend ${account.sender}`);
  const refuse = async () => {
    await refuseOnce(page, "operator.decideSender");
    await press(dialog, "Suspend");
    await expect(refusalIn(dialog)).toBeVisible();
  };
  await open();
  await refuse();
  await dialog.getByLabel("Reason").fill("Complaints");
  await expect(refusalIn(dialog)).toBeHidden();
  await refuse();
  await press(dialog, "Cancel");
  await expect(dialog).toBeHidden();
  await open();
  await expect(dialog.getByLabel("Reason")).toHaveValue("");
  await expect(refusalIn(dialog)).toBeHidden();
  await press(dialog, "Suspend");
  await expect(page.getByText(`${account.sender} is suspended.`)).toBeVisible();
});

test("the refusal of a rotation disappears once another period is chosen", async ({ console: page, api }) => {
  const { body } = await api.post("/api-keys/create", { name: "Shop" });
  await page.goto(`/api-keys/${body.data.id}`);
  await press(page, "Rotate");
  const form = page.getByRole("form", { name: "Rotation" });
  await refuseOnce(page, "apiKeys.rotate");
  await press(form, "Rotate key");
  await expect(refusalIn(form)).toBeVisible();
  await form.getByRole("combobox").selectOption("1 hour");
  await expect(refusalIn(form)).toBeHidden();
  await press(form, "Rotate key");
  await expect(page.getByTestId("secret-value")).toBeVisible();
});

test("the refusal of quiet hours disappears once they are changed", async ({ console: page }) => {
  await page.goto("/settings/sending");
  await page.getByRole("switch", { name: "Keep quiet hours" }).click({ force: true });
  await refuseOnce(page, "accounts.setQuietHours");
  await press(page, "Save quiet hours");
  await expect(refusalIn(page)).toBeVisible();
  await page.getByLabel("From").fill("22:00");
  await expect(refusalIn(page)).toBeHidden();
});

test("the refusal of a sign-up disappears once the form is changed", async ({ page, trustingWeb }) => {
  await page.goto(`${trustingWeb.url}/sign-up`);
  await page.getByLabel("Your name").fill("Ann");
  await page.getByLabel("Email").fill("ann@example.com");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
  await refuseOnce(page, "auth.signUp");
  await press(page, "Create account");
  await expect(refusalIn(page)).toBeVisible();
  await page.getByLabel("Email").fill("bob@example.com");
  await expect(refusalIn(page)).toBeHidden();
});

test("the error of a wrong password disappears once another is typed", async ({ console: page, account }) => {
  const wrong = page.getByRole("alert").filter({ hasText: "wrong" });
  await test.step("where the session has ended", async () => {
    await page.goto("/settings");
    await page.getByRole("textbox", { name: "Your name" }).fill("Ann Example");
    await page.context().clearCookies();
    await press(page, "Save your name");
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    const password = dialog.getByLabel("Password", { exact: true });
    await password.fill("wrong");
    await press(dialog, "Sign in");
    await expect(wrong).toBeVisible();
    await password.fill("another");
    await expect(wrong).toBeHidden();
  });
  await test.step("at the sign-in", async () => {
    await page.goto("/sign-in");
    await page.getByLabel("Email").fill(account.email);
    await page.getByLabel("Password", { exact: true }).fill("wrong");
    await press(page, "Sign in");
    await expect(wrong).toBeVisible();
    await page.getByLabel("Password", { exact: true }).fill("another");
    await expect(wrong).toBeHidden();
  });
});

test("the button of a form keeps the focus while it is disabled, also when the form is refused", async ({
  console: page,
  account,
}) => {
  await page.goto("/send");
  await page.getByLabel("From").selectOption(account.sender);
  await page.getByLabel("To").fill("+15550100001");
  await page.getByRole("textbox", { name: "Text" }).fill("Hello");
  const button = page.getByRole("button", { name: "Send message" });
  await refuseOnce(page, "messages.send");
  await button.press("Enter");
  await expect(refusalIn(page)).toBeVisible();
  await expect(button).toBeFocused();
  await button.press("Enter");
  await page.waitForURL("/messages/**");
  await expect(page.locator("#content")).toBeFocused();

  await page.goto("/settings/sending");
  const save = page.getByRole("button", { name: "Save cap" });
  await page.getByLabel("Daily spending cap in USD").fill("100");
  await save.press("Enter");
  await expect(page.getByText("The daily spending cap is saved")).toBeVisible();
  await expect(save).toBeFocused();
});
