import { checkAlerts, countTraffic } from "../support/behind-the-api";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

const FIELD = "Unusual traffic, messages per hour";

test("an owner is told that traffic to a country has grown, finds its messages, and sets when to be told", async ({
  console: page,
  account,
  api,
}) => {
  // The overview of an account that has sent nothing shows only the first steps.
  await api.post("/messages/send", { to: "+14155550123", from: account.sender, body: "Hello" });
  await countTraffic(account, "NG", 1_200);
  await checkAlerts();
  await page.goto("/");
  const concern = page.getByRole("listitem").filter({ hasText: "Unusually many messages to Nigeria" });
  await expect(async () => {
    await page.reload();
    await expect(concern).toContainText("1,200 within an hour; the most in the week before was 4.", { timeout: 1_000 });
  }).toPass();
  await expect(concern.getByRole("link", { name: "What to do about SMS pumping" })).toHaveAttribute(
    "href",
    "/docs/sending#sms-pumping",
  );
  await concern.getByRole("link", { name: "Messages", exact: true }).click();
  await page.waitForURL("/messages?to=%2B234");
  await expect(page.getByRole("searchbox", { name: "Recipient" })).toHaveValue("+234");

  await page.goto("/settings/alerts");
  await expect(page.getByRole("table", { name: "Past alerts" })).toContainText(
    "This account sent 1,200 messages to Nigeria within an hour; in the week before it was never more than 4.",
  );
  const field = page.getByLabel(FIELD);
  await expect(field).toHaveValue("100");
  await field.fill("0");
  await page.getByRole("button", { name: "Save alerts" }).click();
  await expect(page.getByText("Must be at least 1")).toBeVisible();
  await field.fill("");
  await page.getByRole("button", { name: "Save alerts" }).click();
  await expect(page.getByText("Alerts are saved")).toBeVisible();
  await page.reload();
  await expect(field).toHaveValue("");
});

test("an operator sees an account whose traffic is unusual, and limits it from its page", async ({
  page,
  service,
  account,
}) => {
  await countTraffic(account, "EE", 300);
  await checkAlerts();
  await signInOperator(page, service);
  await page.goto("/operator");
  const link = page.getByRole("region", { name: "Needs your attention" }).locator(`a[href$="${account.accountId}"]`);
  await link.click();
  await page.waitForURL(`/operator/accounts/${account.accountId}`);
  const notice = page.getByRole("note").filter({ hasText: "Unusual traffic" });
  await expect(notice).toContainText("300 messages to Estonia within an hour; the most in the week before was 4.");
  await notice.getByRole("button", { name: "Set limits" }).click();
  await expect(page.getByRole("dialog").getByLabel("Allowed countries")).toBeVisible();
});
