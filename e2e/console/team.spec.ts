import { randomBytes } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { apiWith } from "../support/api";
import { holdRequests, loseResponse } from "../support/interrupted-requests";
import type { Service } from "../support/service";
import { signIn } from "../support/sign-in";
import { expect, test } from "../test";

const PASSWORD = "correct horse battery staple";
const newEmail = () => `member-${randomBytes(5).toString("hex")}@example.com`;

/** Invites a person on the team page. @returns the link that is shown. */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.goto("/settings/team");
  await page.getByRole("button", { name: "Invite a member" }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("combobox", { name: "Role", exact: true }).selectOption(role);
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const link = await page.getByTestId("secret-value").textContent();
  await page.getByRole("button", { name: "I have copied it" }).click();
  return link ?? "";
}

/** Accepts an invitation as a new person, in a browser of their own. */
async function join(browser: Browser, service: Service, link: string, name: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: service.url });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Accept invitation" }).click();
  await page.waitForURL("/");
  return page;
}

test("leaving is offered once the page knows that another owner remains", async ({ console: page }) => {
  const load = await holdRequests(page, /members\.list/);
  await page.goto("/settings/team");
  const leave = page.getByRole("button", { name: "Leave account" });
  await expect(leave).toBeDisabled();
  load();
  await expect(page.getByRole("table", { name: "Members" })).toBeVisible();
  await expect(leave).toBeDisabled();
});

test("somebody is invited, joins, gets another role, and is out at once when removed", async ({
  console: page,
  browser,
  service,
}) => {
  // Two browsers and a dozen pages.
  test.setTimeout(360_000);
  const email = newEmail();
  const link = await invite(page, email, "Viewer");
  await expect(page.getByRole("table", { name: "Open invitations" })).toContainText(email);
  const member = await join(browser, service, link, "Bob Builder");

  const navigation = member.getByRole("navigation", { name: "Main" });
  await expect(navigation.getByRole("link", { name: "Messages" })).toBeVisible();
  const content = member.getByRole("main");
  await expect(content.getByText("Balance")).toBeVisible();
  await expect(member.getByRole("link", { name: "Send a message" })).toHaveCount(0);
  const forbidden = {
    Messages: "New message",
    Senders: "Register sender",
    Suppressions: "Suppress a number",
    "API keys": "Create API key",
    Webhooks: "Add endpoint",
  };
  for (const [title, action] of Object.entries(forbidden)) {
    await navigation.getByRole("link", { name: title }).click();
    await expect(member.getByRole("heading", { level: 1, name: title })).toBeVisible();
    await expect(content.getByRole("table").or(content.getByText(/^No /)).first()).toBeVisible();
    await expect(content.getByText(action), title).toHaveCount(0);
  }
  await member.goto("/send?again=msg_nothing");
  await expect(content.getByText("Your role cannot send messages")).toBeVisible();
  await expect(member.getByRole("form")).toHaveCount(0);
  await member.goto("/settings/team");
  await expect(member.getByRole("table", { name: "Members" })).toContainText("Bob Builder");
  await expect(member.getByRole("button", { name: "Invite a member" })).toHaveCount(0);
  await expect(member.getByRole("link", { name: "Audit log" })).toHaveCount(0);
  await member.goto("/settings/alerts");
  await expect(content.getByRole("alert")).toContainText("Your role in this account does not allow this");
  await expect(content.getByRole("button", { name: "Try again" })).toHaveCount(0);

  await page.goto("/settings/team");
  await page.getByRole("combobox", { name: "Role of Bob Builder" }).selectOption("Developer");
  await expect(page.getByText("Bob Builder is now a developer")).toBeVisible();
  await expect(page.getByRole("table", { name: "Open invitations" })).toHaveCount(0);
  await member.goto("/");
  await expect(member.getByRole("navigation").getByRole("link", { name: "Send a message" })).toBeVisible();

  await page.getByRole("button", { name: "Remove Bob Builder" }).click();
  await page.getByRole("button", { name: "Remove member" }).click();
  await expect(page.getByText("Bob Builder is no longer a member")).toBeVisible();
  expect((await member.request.get("/api/trpc/auth.viewer")).status()).toBe(401);
  await member.goto("/");
  await expect(member).toHaveURL(/\/sign-in/);
  await member.getByLabel("Email").fill(email);
  await member.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await member.getByRole("button", { name: "Sign in" }).click();
  await expect(member.getByText("You are no longer a member of any account")).toBeVisible();
  await member.context().close();
});

test("an invitation link works once, and not after it was withdrawn", async ({ console: page, browser, service }) => {
  const [used, withdrawn] = [newEmail(), newEmail()];
  const usedLink = await invite(page, used, "Developer");
  const withdrawnLink = await invite(page, withdrawn, "Owner");
  await page.getByRole("button", { name: `Withdraw the invitation for ${withdrawn}` }).click();
  await expect(page.getByText(`The invitation for ${withdrawn} is withdrawn`)).toBeVisible();
  const member = await join(browser, service, usedLink, "Carla");
  await member.context().clearCookies();
  for (const link of [usedLink, withdrawnLink, "/invitation?token=nothing", "/invitation"]) {
    await member.goto(link);
    await expect(member.getByText("This invitation does not work")).toBeVisible();
  }
  await member.context().close();
});

test("an acceptance without a response is found to have succeeded, but not if the invitation was withdrawn meanwhile", async ({
  console: page,
  browser,
  service,
}) => {
  const context = await browser.newContext({ baseURL: service.url });
  const member = await context.newPage();
  const submit = member.getByRole("button", { name: "Accept invitation" });
  const open = async (link: string) => {
    await member.goto(link);
    await member.getByLabel("Your name").fill("Dora");
    await member.getByLabel("Password", { exact: true }).fill(PASSWORD);
  };
  const withdrawn = newEmail();
  await open(await invite(page, withdrawn, "Developer"));
  await page.getByRole("button", { name: `Withdraw the invitation for ${withdrawn}` }).click();
  await expect(page.getByText(`The invitation for ${withdrawn} is withdrawn`)).toBeVisible();
  await member.route("**/api/trpc/members.invitations.accept*", (route) => route.abort(), { times: 1 });
  const looked = member.waitForRequest("**/api/trpc/members.invitations.get*");
  const goOn = await holdRequests(member, "**/api/trpc/members.invitations.get*");
  await submit.click();
  await looked;
  await expect(member.locator("button[type=submit]")).toBeDisabled();
  goOn();
  await expect(member.getByText("This invitation does not work")).toBeVisible();
  await member.unroute("**/api/trpc/members.invitations.get*");

  await loseResponse(member, "invitations.accept");
  await open(await invite(page, newEmail(), "Developer"));
  await submit.click();
  await member.waitForURL("/");
  await context.close();
});

test("a page of another account than the session's cannot change anything, and says so", async ({
  console: page,
  account,
  newAccount,
  browser,
  service,
}) => {
  const other = await newAccount();
  const context = await browser.newContext({ baseURL: service.url });
  const founder = await context.newPage();
  await signIn(founder, service, other);
  const link = await invite(founder, account.email, "Owner");
  await context.close();
  await page.goto("/settings");
  await expect(page.getByLabel("Company")).toBeEditable();
  // Another tab takes the session to the other account.
  const tab = await page.context().newPage();
  await tab.goto(link);
  await tab.getByLabel("Password", { exact: true }).fill(account.password);
  await tab.getByRole("button", { name: "Accept invitation" }).click();
  await tab.waitForURL("/");
  await tab.close();

  await page.getByLabel("Company").fill("Wrong Ltd");
  await page.getByRole("button", { name: "Save account" }).click();
  // In the form, and above the page once it refetches.
  await expect(page.getByText("You have switched to another account in another tab").first()).toBeVisible();
  const change = (shown: string, company_name: string) =>
    page.request.post("/api/trpc/accounts.updateProfile", {
      headers: { "x-shown-account": shown },
      data: { company_name },
    });
  const refused = await change(account.accountId, "Wrong Ltd");
  expect(refused.status()).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { data: { details: { reason: "account_switched" } } } });
  const companies = () =>
    Promise.all(
      [account, other].map(
        async ({ apiKey }) => (await apiWith(service, apiKey).get("/account")).body.data.company_name,
      ),
    );
  expect(await companies()).not.toContain("Wrong Ltd");
  expect((await change(other.accountId, "Right Ltd")).status()).toBe(200);
  expect(await companies()).toEqual([expect.not.stringContaining("Ltd"), "Right Ltd"]);
});

test("a person with several accounts switches between them in the account menu", async ({
  console: page,
  account,
  browser,
  service,
}) => {
  test.setTimeout(360_000);
  const email = newEmail();
  const context = await browser.newContext({ baseURL: service.url });
  const founder = await context.newPage();
  await founder.goto("/sign-up");
  await founder.getByLabel("Your name").fill("Emil");
  await founder.getByLabel("Company").fill("Emil and Daughters");
  await founder.getByLabel("Email").fill(email);
  await founder.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await founder.getByRole("button", { name: "Create account" }).click();
  await founder.waitForURL("/");
  const link = await invite(founder, account.email, "Viewer");

  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Join Emil and Daughters" })).toBeVisible();
  await page.getByLabel("Password", { exact: true }).fill(account.password);
  await page.getByRole("button", { name: "Accept invitation" }).click();
  await page.waitForURL("/");
  await page.getByRole("button", { name: "Account menu" }).click();
  await expect(page.getByRole("menuitem", { name: /Emil and Daughters/ })).toHaveAttribute("aria-current", "true");
  await page.getByRole("menuitem", { name: /owner/ }).click();
  await expect(page.getByRole("navigation").getByRole("link", { name: "Send a message" })).toBeVisible();
  await page.goto("/settings/team");
  await expect(page.getByRole("table", { name: "Members" })).toContainText(account.email);
  await context.close();
});

test("the former addresses of security and audit log lead to the settings", async ({ console: page }) => {
  await page.goto("/security");
  await expect(page).toHaveURL("/settings/security");
  await page.goto("/audit");
  await expect(page).toHaveURL("/settings/audit");
  await expect(
    page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Audit log" }),
  ).toHaveAttribute("aria-current", "page");
});

test("the profile edits the person's name and the account's profile, and keeps unsaved entries", async ({
  console: page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/settings");
  await page.getByLabel("Company").fill("Example");
  await page.getByRole("textbox", { name: "Your name" }).fill("Anna Example");
  await page.getByRole("button", { name: "Save your name" }).click();
  await expect(page.getByText("Your name is saved")).toBeVisible();
  await page.getByRole("button", { name: "Account menu" }).click();
  await expect(page.getByRole("menu")).toContainText("Anna Example");
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(page.getByLabel("Company")).toHaveValue("Example");
  await expect(page.getByRole("button", { name: "Discard draft" })).toHaveCount(1);
  await page.getByLabel("Company").fill("Example Ltd");
  await page.getByRole("combobox", { name: "Country" }).selectOption("Germany (DE)");
  await page.getByRole("button", { name: "Save account" }).click();
  await expect(page.getByText("The account is saved")).toBeVisible();
  await expect(page.getByRole("button", { name: "Discard draft" })).toBeHidden();
  // A later edit is no restored draft.
  await page.getByLabel("Company").fill("Example Inc");
  await expect(page.getByRole("button", { name: "Discard draft" })).toBeHidden();
  await page.goto("/settings/audit");
  await expect(page.getByRole("table", { name: "Audit log" })).toContainText("Account updated");
});
