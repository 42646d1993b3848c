import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

const PASSWORD = "correct horse battery staple";

test("an operator makes an account, corrects the address, and the owner signs up by the link", async ({
  page,
  service,
  browser,
  baseURL,
}) => {
  const [wrong, email] = [1, 2].map((at) => `owner-${Date.now()}-${at}@example.com`);
  await signInOperator(page, service);
  await page.goto("/operator/accounts");
  await page.getByRole("button", { name: "New account" }).click();
  const dialog = page.getByRole("dialog", { name: "New account" });
  await dialog.getByRole("button", { name: "Create account" }).click();
  await expect(dialog.getByText("Enter a company")).toBeVisible();
  await dialog.getByLabel("Company").fill(`Acme of ${email}`);
  await dialog.getByLabel("Email of the owner").fill(wrong ?? "");
  await dialog.getByRole("button", { name: "Create account" }).click();
  const made = page.getByRole("dialog", { name: "Account created" });
  const first = String(await made.getByTestId("secret-value").textContent());
  await made.getByRole("button", { name: "I have copied it" }).click();

  await page.getByRole("searchbox").fill(`Acme of ${email}`);
  const row = page.getByRole("row").nth(1);
  await expect(row).toContainText("No owner yet");
  await row.getByRole("link").click();
  const notice = page.getByRole("note").filter({ hasText: "Nobody owns this account yet" });
  await expect(notice).toContainText(`${wrong} was invited`);
  await notice.getByRole("button", { name: "Invite again" }).click();
  const asked = page.getByRole("dialog", { name: "Invite the owner again" });
  await asked.getByLabel("Email of the owner").fill(email ?? "");
  await asked.getByRole("button", { name: "Invite" }).click();
  const again = page.getByRole("dialog");
  const link = String(await again.getByTestId("secret-value").textContent());
  await expect(notice).toContainText(`${email} was invited`);

  const context = await browser.newContext({ baseURL });
  const owner = await context.newPage();
  await owner.goto(first);
  await expect(owner.getByRole("link", { name: "Go to sign-in" })).toBeVisible();
  await owner.goto(link);
  await owner.getByLabel("Your name").fill("Olga");
  await owner.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await owner.getByRole("button", { name: "Accept invitation" }).click();
  await owner.waitForURL("/");
  await owner.goto("/settings/team");
  await expect(owner.getByRole("table", { name: "Members" })).toContainText(email ?? "");
  await context.close();

  await again.getByRole("button", { name: "I have copied it" }).click();
  await page.reload();
  await expect(page.getByRole("region", { name: "Details" })).toContainText("Olga");
  await expect(notice).toBeHidden();
});
