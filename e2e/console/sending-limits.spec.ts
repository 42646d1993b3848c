import { apiWith } from "../support/api";
import { changeRoles, checkAlerts, countTraffic, limitAccount } from "../support/behind-the-api";
import { expect, test } from "../test";

type Sent = { status: string; error: { code: string; message: string } | null };
type Limits = { sending_limits: { countries: unknown; daily_spend_cap: number | null } };

const NIGERIA = "+2348031234567";

test("in an incident an owner stops a country with two clicks from the overview", async ({
  console: page,
  account,
  service,
}) => {
  const api = apiWith(service, account.apiKey);
  const send = async (to: string) =>
    (await api.post("/messages/send", { to, from: account.sender, body: "Hello" })).body.data as Sent;
  // The overview of an account that has sent nothing shows its first steps only.
  await send("+14155550123");
  await countTraffic(account, "NG", 1_200);
  await checkAlerts();
  await page.goto("/");
  const concern = page.getByRole("listitem").filter({ hasText: "Unusually many messages to Nigeria" });
  await expect(async () => {
    await page.reload();
    await expect(concern).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await concern.getByRole("link", { name: "Limit countries" }).click();
  await page.waitForURL("/settings/sending?without=NG");
  const card = page.getByRole("region", { name: "Countries", exact: true });
  await expect(card.getByRole("note")).toContainText("Nigeria is taken out");
  await expect(card.getByLabel("This account sends to")).toHaveValue("except");
  expect(await send(NIGERIA)).toMatchObject({ status: "pending" });
  await card.getByRole("button", { name: "Save countries" }).click();
  await expect(page.getByText("Countries are saved")).toBeVisible();
  expect(await send(NIGERIA)).toMatchObject({
    status: "failed",
    error: { code: "country_not_allowed", message: expect.stringContaining("Settings, Sending") },
  });
  const { body } = await api.get<Limits>("/account");
  expect(body.data.sending_limits.countries).toEqual({ rule: "except", countries: ["NG"] });
  await page.reload();
  await expect(card.getByLabel("This account sends to")).toHaveValue("except");
  await expect(card.getByRole("note")).toBeHidden();
});

test("an owner keeps to the usual countries, and the alert leads there too", async ({
  console: page,
  account,
  service,
}) => {
  await limitAccount(account, { allowedCountries: ["DE", "NG", "US"] });
  await countTraffic(account, "DE", 12);
  await countTraffic(account, "EE", 3);
  await countTraffic(account, "NG", 1_200);
  await checkAlerts();
  await page.goto("/settings/alerts");
  const past = page.getByRole("table", { name: "Past alerts" });
  await expect(async () => {
    await page.reload();
    await past.getByRole("link", { name: "Limit countries" }).click({ timeout: 1_000 });
  }).toPass();
  await page.waitForURL("/settings/sending?without=NG");
  const card = page.getByRole("region", { name: "Countries", exact: true });
  await expect(card).toContainText("The operator allows Germany, Nigeria, United States.");
  await expect(card).toContainText("Nigeria 1,204 (unusual), Germany 16, Estonia 7");
  await card.getByRole("button", { name: "Choose only Germany" }).click();
  await expect(card.getByLabel("This account sends to")).toHaveValue("only");
  await card.getByRole("button", { name: "Save countries" }).click();
  await expect(page.getByText("Countries are saved")).toBeVisible();
  const { body } = await apiWith(service, account.apiKey).get<Limits>("/account");
  expect(body.data.sending_limits.countries).toEqual({ rule: "only", countries: ["DE"] });
  await card.getByLabel("This account sends to").selectOption("except");
  const excluded = card.getByLabel("Countries not to send to");
  await excluded.press("Backspace");
  // Its list may cover the button.
  await excluded.press("Escape");
  await card.getByRole("button", { name: "Save countries" }).click();
  await expect(card.getByText("Choose at least one country")).toBeVisible();
});

test("an owner caps the spending of a day, within the operator's cap", async ({ console: page, account, service }) => {
  await limitAccount(account, { dailySpendCap: 50 });
  await page.goto("/settings/sending");
  const card = page.getByRole("region", { name: "Daily spending cap" });
  await expect(card).toContainText("The operator’s cap is $50.00. The lower of the two applies.");
  const field = card.getByLabel("Daily spending cap in USD");
  await field.fill("-1");
  await card.getByRole("button", { name: "Save cap" }).click();
  await expect(card.getByText("Enter a number that is not below zero")).toBeVisible();
  await field.fill("0.01");
  await card.getByRole("button", { name: "Save cap" }).click();
  await expect(page.getByText("The daily spending cap is saved")).toBeVisible();
  await page.goto("/send");
  const api = apiWith(service, account.apiKey);
  const body = { to: "+14155550123", from: account.sender, body: "Hello" };
  expect((await api.post("/messages/send", body)).status).toBe(201);
  await page.getByLabel("To", { exact: true }).fill("+14155550123");
  await page.getByRole("textbox", { name: "Text" }).fill("Hello again");
  await expect(page.getByText("daily spending cap that its owners have set").first()).toBeVisible();
});

test("in test mode countries are set for test mode alone, and a link from an alert takes none out", async ({
  console: page,
  account,
  service,
}) => {
  await page.goto("/settings/sending");
  await page.getByRole("switch", { name: "Test mode" }).click({ force: true });
  const banner = page.getByRole("complementary", { name: "Test mode" });
  await expect(banner).toContainText("These settings are for test mode alone.");
  await page.goto("/settings/sending?without=NG");
  await expect(page.getByRole("region", { name: "Daily spending cap" })).toBeHidden();
  const card = page.getByRole("region", { name: "Countries", exact: true });
  await expect(card.getByLabel("This account sends to")).toHaveValue("all");
  await card.getByLabel("This account sends to").selectOption("except");
  await card.getByLabel("Countries not to send to").fill("Germ");
  await page.getByRole("option", { name: "Germany (DE)" }).click();
  await card.getByRole("button", { name: "Save countries" }).click();
  await expect(page.getByText("Countries are saved")).toBeVisible();
  const { body } = await apiWith(service, account.apiKey).get<Limits>("/account");
  expect(body.data.sending_limits.countries).toBeNull();
});

test("a developer sees the limits, which only an owner changes, and sets quiet hours beside them", async ({
  console: page,
  account,
}) => {
  await page.goto("/settings/sending");
  const card = page.getByRole("region", { name: "Countries", exact: true });
  await card.getByLabel("This account sends to").selectOption("only");
  await card.getByLabel("Countries to send to").fill("Germ");
  await page.getByRole("option", { name: "Germany (DE)" }).click();
  await card.getByRole("button", { name: "Save countries" }).click();
  await expect(page.getByText("Countries are saved")).toBeVisible();
  await changeRoles(account, "developer");
  await page.goto("/settings/sending?without=DE");
  await expect(card.getByLabel("This account sends to")).toHaveValue("Only these countries");
  await expect(card).toContainText("Germany (DE)");
  await expect(card).toContainText("Only an owner can change this.");
  await expect(page.getByRole("button", { name: /^Save/ })).toHaveText(["Save quiet hours"]);
});
