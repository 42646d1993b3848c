import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { loseConnection, loseResponse } from "../support/interrupted-requests";
import { expect, test } from "../test";

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const confirm = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name }).click();

test("settings whose response is lost are reported as saved, because they are", async ({ console: page, receiver }) => {
  await test.step("the person and the account", async () => {
    await page.goto("/settings");
    await loseResponse(page, "auth.rename");
    await page.getByRole("textbox", { name: "Your name" }).fill("Anna Example");
    await press(page, "Save your name");
    await expect(page.getByText("Your name is saved")).toBeVisible();
    await loseResponse(page, "accounts.updateProfile");
    await page.getByLabel("Company").fill("Example Ltd");
    await press(page, "Save account");
    await expect(page.getByText("The account is saved")).toBeVisible();
    await expect(page.getByText("was not saved")).toBeHidden();
  });

  await test.step("quiet hours", async () => {
    await page.goto("/settings/sending");
    await loseResponse(page, "setQuietHours");
    await page.getByRole("switch", { name: "Keep quiet hours" }).click({ force: true });
    await press(page, "Save quiet hours");
    await expect(page.getByText("Quiet hours are saved")).toBeVisible();
  });

  await test.step("alerts, whose secret is lost forever", async () => {
    await page.goto("/settings/alerts");
    await loseResponse(page, "alerts.update");
    // As if pasted: the service stores a URL without tabs.
    await page.getByLabel("Alert URL").fill(receiver.url.replace("127", "1\t27"));
    await press(page, "Save alerts");
    await expect(page.getByText("Alerts are saved")).toBeVisible();
    await expect(page.getByText("The signing secret was lost on the way")).toBeVisible();
    await expect(page.getByTestId("secret-value")).toBeHidden();
    await press(page, "Make a new secret");
    await confirm(page, "Make a new secret");
    await expect(page.getByTestId("secret-value")).toContainText("whsec_");
    await expect(page.getByText("The signing secret was lost on the way")).toBeHidden();
  });
});

test("a secret whose response was lost twice is reported as lost", async ({ console: page, receiver }) => {
  await page.goto("/settings/alerts");
  const url = page.getByLabel("Alert URL");
  await expect(url).toBeEditable();
  const reconnect = await loseConnection(page, "alerts.update");
  await url.fill(receiver.url);
  await press(page, "Save alerts");
  await expect(page.getByRole("main").getByText("It is unknown whether this was saved")).toBeVisible();
  await reconnect();
  await press(page, "Save alerts");
  await expect(page.getByText("Alerts are saved")).toBeVisible();
  await expect(page.getByText("The signing secret was lost on the way")).toBeVisible();
});

test("settings that cannot be checked are reported neither as saved nor as unsaved", async ({ console: page }) => {
  await page.goto("/settings/sending");
  await expect(page.getByRole("switch", { name: "Keep quiet hours" })).toBeAttached();
  const reconnect = await loseConnection(page, "setQuietHours");
  await page.getByRole("switch", { name: "Keep quiet hours" }).click({ force: true });
  await press(page, "Save quiet hours");
  const alert = page.getByRole("main").getByRole("alert");
  await expect(alert).toContainText("It is unknown whether this was saved");
  await expect(page.getByText("Quiet hours were not saved")).toBeHidden();
  await reconnect();
  await press(page, "Save quiet hours");
  await expect(page.getByText("Quiet hours are saved")).toBeVisible();
  await expect(alert).toBeHidden();
});

test("an outcome that a later check has settled stays settled at the next key press", async ({ console: page }) => {
  await page.goto("/settings");
  const name = page.getByRole("textbox", { name: "Your name" });
  await expect(name).toBeEditable();
  const stored = await name.inputValue();
  const reconnect = await loseConnection(page, "auth.rename");
  await name.fill("Anna Example");
  await press(page, "Save your name");
  const alert = page.getByRole("main").getByRole("alert").filter({ hasText: "It is unknown whether this was saved" });
  await expect(alert).toBeVisible();
  await test.step("typing the stored value again proves nothing", async () => {
    await name.fill(stored);
    await expect(alert).toBeVisible();
    await name.fill("Anna Example");
  });
  await reconnect();
  const settings = page.getByRole("navigation", { name: "Settings" });
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await expect(alert).toBeHidden({ timeout: 1_000 });
  }).toPass();
  await name.pressSequentially("s");
  await expect(settings).toBeVisible();
  await expect(alert).toBeHidden();
});

test("a failure of the service differs from a lost response", async ({ console: page }) => {
  await page.goto("/settings");
  const name = page.getByRole("textbox", { name: "Your name" });
  const alert = page.getByRole("main").getByRole("alert");
  const save = async (response: { status: number; contentType: string; body: string }) => {
    await page.route("**/api/trpc/auth.rename*", (route) => route.fulfill(response), { times: 1 });
    await name.fill("Anna Example");
    await press(page, "Save your name");
  };
  const data = { httpStatus: 500, message: "Something went wrong on our side.", details: {} };
  const error = { error: { message: data.message, code: -32603, data } };
  await save({ status: 500, contentType: "application/json", body: JSON.stringify([error]) });
  await expect(alert).toContainText("The service failed, and the stored data differ from what you entered");
  await page.route("**/api/trpc/**", (route) => route.fulfill({ status: 502, body: "<html>Bad gateway</html>" }));
  await press(page, "Save your name");
  await expect(alert.first()).toContainText("The service is not available at the moment");
  await expect(page.getByText("Check your connection")).toBeHidden();
});

test("a change that did not arrive is not reported as saved, and the stored values stay", async ({
  console: page,
  api,
}) => {
  const made = await api.post("/api-keys/create", { name: "Shop", daily_limit: 50 });
  await page.goto(`/api-keys/${made.body.data.id}`);
  await press(page, "Edit limits");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Messages per day").fill("75");
  await page.route("**/api/trpc/*apiKeys.update*", (route) => route.abort(), { times: 1 });
  await confirm(page, "Save changes");
  await expect(dialog.getByRole("alert")).toContainText("the stored data differ from what you entered");
  const stored = await api.patch(`/api-keys/${made.body.data.id}`, {});
  expect(stored.body.data).toMatchObject({ name: "Shop", daily_limit: 50 });
  await confirm(page, "Save changes");
  await expect(page.getByText("API key “Shop” changed")).toBeVisible();
});

test("keys are changed and revoked once although responses are lost", async ({ console: page, api }) => {
  const made = await api.post("/api-keys/create", { name: "Shop", daily_limit: 50 });
  await page.goto(`/api-keys/${made.body.data.id}`);
  await press(page, "Edit limits");
  await loseResponse(page, "apiKeys.update");
  await page.getByRole("dialog").getByLabel("Messages per day").fill("75");
  // Stored as 10.0.0.0/8.
  await page.getByRole("dialog").getByRole("combobox", { name: "Allowed IP addresses" }).fill("10.1.2.3/8");
  await page.keyboard.press("Enter");
  await confirm(page, "Save changes");
  await expect(page.getByText("API key “Shop” changed")).toBeVisible();
  await expect(page.getByRole("dialog")).toBeHidden();
  await loseResponse(page, "apiKeys.revoke");
  await page.goto("/api-keys");
  await press(page, "Revoke Shop");
  await confirm(page, "Revoke key");
  await expect(page.getByText("API key “Shop” revoked")).toBeVisible();
});

test("a key whose response is lost is created once, even if the dialog was closed meanwhile", async ({
  console: page,
  api,
}) => {
  await page.goto("/api-keys");
  const create = async () => {
    await press(page, "Create API key");
    await page.getByRole("dialog").getByLabel("Name").fill("Shop");
    await confirm(page, "Create key");
  };
  await loseResponse(page, "apiKeys.create");
  await create();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("The outcome is unknown");
  await expect(page.getByText("The key was not created")).toBeHidden();
  await expect(page.getByRole("table", { name: "API keys" })).toContainText("Shop");
  await confirm(page, "Cancel");
  await create();
  await expect(page.getByTestId("secret-value")).toContainText("ds_live_");
  const { data } = (await api.get<{ data: { name: string }[] }>("/api-keys")).body;
  expect(data.data.filter(({ name }) => name === "Shop")).toHaveLength(1);
});

test("an endpoint is changed and deleted, and a number suppressed and freed, although responses are lost", async ({
  console: page,
  api,
  receiver,
}) => {
  const { body } = await api.post("/webhooks/create", { url: `${receiver.url}/old` });
  await page.goto(`/webhooks/${body.data.id}`);
  await press(page, "Edit");
  await loseResponse(page, "webhooks.update");
  await page.getByRole("dialog").getByLabel("Description").fill("Shop");
  await confirm(page, "Save");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByText("Shop").first()).toBeVisible();
  await loseResponse(page, "webhooks.delete");
  await press(page, "Delete");
  await confirm(page, "Delete endpoint");
  await expect(page.getByText("Endpoint deleted")).toBeVisible();

  await page.goto("/suppressions");
  await page.getByRole("button", { name: "Suppress a number" }).first().click();
  await loseResponse(page, "suppressions.create");
  await page.getByLabel("Phone number").fill("+14155550123");
  await confirm(page, "Suppress");
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("The outcome is unknown");
  await confirm(page, "Suppress");
  await expect(page.getByText("+14155550123 is suppressed")).toBeVisible();
  await loseResponse(page, "suppressions.delete");
  await press(page, "Remove +14155550123 from all senders");
  await confirm(page, "Remove suppression");
  await expect(page.getByText("Suppression of +14155550123 removed")).toBeVisible();
  await expect(page.getByText("No suppressed numbers")).toBeVisible();
});

test("an invitation whose response is lost is listed, replaced by the next one, and withdrawn", async ({
  console: page,
}) => {
  const email = `member-${randomBytes(5).toString("hex")}@example.com`;
  await page.goto("/settings/team");
  await press(page, "Invite a member");
  await loseResponse(page, "invitations.create");
  await page.getByLabel("Email").fill(email);
  await confirm(page, "Invite");
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText(
    "It is unknown whether the invitation was made",
  );
  const open = page.getByRole("table", { name: "Open invitations" });
  await expect(open).toContainText(email);
  await confirm(page, "Invite");
  await expect(page.getByTestId("secret-value")).toContainText("/invitation?token=");
  await press(page, "I have copied it");
  await expect(open.getByRole("row")).toHaveCount(2);
  await loseResponse(page, "invitations.withdraw");
  await press(page, `Withdraw the invitation for ${email}`);
  await expect(page.getByText(`The invitation for ${email} is withdrawn`)).toBeVisible();
  await expect(open).toBeHidden();
});

test("a password whose change got no response is not reported as unchanged", async ({ console: page, account }) => {
  await page.goto("/settings/security");
  await loseResponse(page, "changePassword");
  await page.getByLabel("Current password").fill(account.password);
  await page.getByLabel("New password").fill("correct horse battery staple");
  await press(page, "Change password");
  await expect(page.getByRole("main").getByRole("alert")).toContainText(
    "It is unknown whether the password was changed",
  );
  await expect(page.getByText("The password was not changed")).toBeHidden();
});

test("when two people change different fields of the same thing, both changes are stored", async ({
  console: page,
  api,
  receiver,
}) => {
  const made = await api.post("/api-keys/create", { name: "Shop", daily_limit: 50 });
  const { id } = made.body.data as { id: string };
  await page.goto(`/api-keys/${id}`);
  await press(page, "Edit limits");
  await page.getByRole("dialog").getByLabel("Messages per day").fill("75");
  await api.patch(`/api-keys/${id}`, { name: "Shop, Berlin", monthly_limit: 900 });
  await confirm(page, "Save changes");
  await expect(page.getByRole("dialog")).toBeHidden();
  const stored = { name: "Shop, Berlin", daily_limit: 75, monthly_limit: 900 };
  expect((await api.patch(`/api-keys/${id}`, {})).body.data).toMatchObject(stored);

  const { body } = await api.post("/webhooks/create", { url: `${receiver.url}/old`, description: "Old" });
  await page.goto(`/webhooks/${body.data.id}`);
  await press(page, "Edit");
  await page.getByRole("dialog").getByLabel("Description").fill("New");
  await api.patch(`/webhooks/${body.data.id}`, { url: `${receiver.url}/new` });
  await confirm(page, "Save");
  await expect(page.getByRole("dialog")).toBeHidden();
  expect((await api.get(`/webhooks/${body.data.id}`)).body.data).toMatchObject({
    url: `${receiver.url}/new`,
    description: "New",
  });
});
