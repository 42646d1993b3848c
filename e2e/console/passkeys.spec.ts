import type { APIRequestContext, Browser, Page } from "@playwright/test";
import { makeAuthenticator } from "../../test/authenticator";
import type { OwnAccount } from "../support/accounts";
import { codeOf } from "../support/authenticator";
import { barriersOf, violationsOf } from "../support/axe";
import { loseResponse } from "../support/interrupted-requests";
import { connectAuthenticator, passkeyUrl } from "../support/passkeys";
import type { Service } from "../support/service";
import { signIn } from "../support/sign-in";
import { expect, test } from "../test";

/** An empty page of a new browser at the address of passkeys, with an authenticator. */
async function openBrowser(browser: Browser, service: Service) {
  const page = await (await browser.newContext({ baseURL: passkeyUrl(service) })).newPage();
  return { page, authenticator: await connectAuthenticator(page) };
}

const signInAt = (page: Page, service: Service, account: OwnAccount & { code?: string }) =>
  signIn(page, { url: passkeyUrl(service) }, account);

/** Adds a passkey in the settings. */
async function add(page: Page, name: string): Promise<void> {
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const form = page.getByRole("form", { name: "Add a passkey" });
  await form.getByLabel("Name").fill(name);
  await form.getByRole("button", { name: "Continue" }).click();
}

/** The recovery codes that come with the first second factor. */
async function keepCodes(page: Page): Promise<string[]> {
  const shown = page.getByLabel("Your recovery codes", { exact: true });
  await expect(shown).toBeVisible();
  const codes = ((await shown.textContent()) ?? "").trim().split("\n");
  await page.getByRole("button", { name: "I have kept them" }).click();
  return codes;
}

const listOf = (page: Page) => page.getByRole("table", { name: "Passkeys" });

async function giveCredentials(page: Page, { email, password }: OwnAccount): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("a passkey is added, signs in alone and after the password, and is removed", async ({
  account,
  browser,
  service,
}) => {
  const { page, authenticator } = await openBrowser(browser, service);
  await signInAt(page, service, account);
  await add(page, "Work laptop");
  expect(await keepCodes(page)).toHaveLength(10);
  await expect(page.getByRole("heading", { name: "Passkeys" })).toBeFocused();
  await expect(listOf(page)).toContainText("Work laptop");
  await expect(listOf(page)).toContainText("Never");
  await expect(page.getByRole("region", { name: "Recovery codes" })).toContainText("Recovery codes left: 10");
  expect(await authenticator.count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
  expect(await barriersOf(page)).toEqual([]);

  await page.context().clearCookies();
  await page.goto("/sign-in?next=%2Fsettings%2Fsecurity");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL("/settings/security");
  await expect(listOf(page)).not.toContainText("Never");

  await page.context().clearCookies();
  await giveCredentials(page, account);
  const use = page.getByRole("button", { name: "Use your passkey" });
  await expect(use).toBeFocused();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.waitForURL("/");

  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Rename Work laptop" }).click();
  const rename = page.getByRole("form", { name: "Rename Work laptop" });
  await rename.getByLabel("Name").fill("Old laptop");
  await rename.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Remove Old laptop" }).click();
  const form = page.getByRole("form", { name: "Remove Old laptop" });
  // As in dialogs: the button that submits is the last one.
  await expect(form.locator(".mantine-Button-root")).toHaveText(["Cancel", "Use a passkey", "Remove"]);
  await form.getByRole("button", { name: "Use a passkey" }).click();
  await expect(form.getByText("Required", { exact: true })).toBeVisible();
  await form.getByLabel("Password", { exact: true }).fill("wrong");
  await form.getByRole("button", { name: "Use a passkey" }).click();
  await expect(form.getByText("This is not your password")).toBeVisible();
  await form.getByLabel("Password", { exact: true }).fill(account.password);
  await form.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByRole("heading", { name: "Passkeys" })).toBeFocused();
  await expect(listOf(page)).toBeHidden();
  await expect(page.getByRole("region", { name: "Recovery codes" })).toBeHidden();

  await page.goto("/settings/audit");
  const log = page.getByRole("table", { name: "Audit log" });
  for (const action of ["Passkey added", "Passkey renamed", "Passkey removed"]) await expect(log).toContainText(action);
  await page.context().clearCookies();
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "This passkey was not accepted" })).toBeVisible();
  await giveCredentials(page, account);
  await page.waitForURL("/");
  await page.context().close();
});

test("without its person's finger a passkey opens nothing, and a code or another second factor still does", async ({
  account,
  browser,
  service,
}) => {
  const { page, authenticator } = await openBrowser(browser, service);
  await signInAt(page, service, account);
  await add(page, "Phone");
  const [code = ""] = await keepCodes(page);
  await page.getByRole("button", { name: "Set up" }).click();
  const secret = (await page.getByTestId("secret-value").textContent()) ?? "";
  await page.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
  await page.getByRole("button", { name: "Enable" }).click();
  const [newCode = ""] = await keepCodes(page);

  await page.context().clearCookies();
  await authenticator.setVerified(false);
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Try again" })).toBeVisible();
  await giveCredentials(page, account);
  const field = page.getByRole("textbox", { name: "Code" });
  await expect(field).toBeFocused();
  await expect(page.getByText("Use your passkey, or enter the code of your authenticator app.")).toBeVisible();
  await field.fill(code);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("alert").filter({ hasText: "This code is wrong" })).toBeVisible();
  await field.fill(newCode);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("/");
  await page.context().close();
});

test("a person whose session has ended goes on with a passkey, on the page that they were on", async ({
  account,
  browser,
  service,
}) => {
  const { page } = await openBrowser(browser, service);
  await signInAt(page, service, account);
  await add(page, "Phone");
  await keepCodes(page);
  await page.goto("/send");
  await page.getByLabel("To").fill("+14155550178");
  await page.context().clearCookies();
  await page.getByRole("textbox", { name: "Text" }).fill("Written before the session ended");
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("textbox", { name: "Text" })).toHaveValue("Written before the session ended");
  await page.context().close();
});

test("adding asks for the password if it was entered long ago, and a lost response is looked after", async ({
  account,
  browser,
  service,
}) => {
  const { page } = await openBrowser(browser, service);
  await signInAt(page, service, account);
  await page.route(
    "**/api/trpc/*passkeys.beginAdd*",
    (route) =>
      route.fulfill({
        status: 403,
        json: [
          {
            error: {
              message: "Confirm your password first.",
              code: -32_003,
              data: { httpStatus: 403, message: "", details: { reason: "confirmation_required" } },
            },
          },
        ],
      }),
    { times: 1 },
  );
  await loseResponse(page, "passkeys.add");
  await add(page, "Phone");
  const dialog = page.getByRole("dialog", { name: "Confirm your password" });
  await dialog.getByLabel("Password", { exact: true }).fill(account.password);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "The recovery codes were lost on the way" })).toBeVisible();
  await expect(listOf(page)).toContainText("Phone");
  await page.getByRole("group", { name: "Your new recovery codes" }).getByRole("button", { name: "New" }).click();
  const form = page.getByRole("form", { name: "New recovery codes" });
  await form.getByLabel("Password", { exact: true }).fill(account.password);
  await form.getByRole("button", { name: "Use a passkey" }).click();
  expect(await keepCodes(page)).toHaveLength(10);
  await expect(page.getByRole("heading", { name: "Recovery codes" })).toBeFocused();
  await page.context().close();
});

test("a device that has a passkey for the person makes no second one, and elsewhere none is offered", async ({
  account,
  browser,
  service,
  console: other,
}) => {
  const { page, authenticator } = await openBrowser(browser, service);
  await signInAt(page, service, account);
  await add(page, "Phone");
  await keepCodes(page);
  await add(page, "Again");
  await expect(
    page.getByRole("alert").filter({ hasText: "already has a passkey of yours for this service" }),
  ).toBeVisible();
  expect(await authenticator.count()).toBe(1);
  await page.context().close();

  await other.goto("/settings/security");
  await expect(other.getByText(`Passkeys work at ${passkeyUrl(service)} only`)).toBeVisible();
  const there = other.getByRole("link", { name: passkeyUrl(service) });
  await expect(there).toHaveAttribute("href", `${passkeyUrl(service)}/settings/security`);
  await other.context().clearCookies();
  await other.goto("/sign-in");
  await expect(other.getByRole("link", { name: "Create one" })).toBeVisible();
  await expect(other.getByRole("button", { name: "Sign in with a passkey" })).toHaveCount(0);
});

/** Calls a procedure as the page's scripts do. */
async function call<Result>(request: APIRequestContext, url: string, procedure: string, input?: object) {
  const response = await request.post(`${url}/api/trpc/auth.passkeys.${procedure}`, {
    data: input ?? "",
    headers: { "content-type": "application/json" },
  });
  return ((await response.json()) as { result: { data: Result } }).result.data;
}

test("a response of another origin or of another browser is refused, and one that was used", async ({
  account,
  playwright,
  page,
  service,
}) => {
  const url = passkeyUrl(service);
  await signInAt(page, service, account);
  const authenticator = makeAuthenticator(url);
  const creation = await call<Parameters<typeof authenticator.create>[0]>(page.request, url, "beginAdd");
  await call(page.request, url, "add", { name: "Software", passkey: authenticator.create(creation) });

  const stranger = await playwright.request.newContext();
  const { csrfToken } = (await (await stranger.get(`${url}/api/auth/csrf`)).json()) as { csrfToken: string };
  const asked = () =>
    call<Parameters<typeof authenticator.get>[0]>(stranger, url, "beginSignIn", { csrf_token: csrfToken });
  const enter = async (assertion: object, request = stranger, token = csrfToken) => {
    const form = { passkey: JSON.stringify(assertion), csrfToken: token, json: "true" };
    return (await request.post(`${url}/api/auth/callback/credentials`, { form, maxRedirects: 0 })).status();
  };
  expect(await enter(authenticator.get(await asked(), { origin: "https://evil.example" }))).toBe(401);

  const thief = await playwright.request.newContext();
  const { csrfToken: theirs } = (await (await thief.get(`${url}/api/auth/csrf`)).json()) as { csrfToken: string };
  const assertion = authenticator.get(await asked());
  expect(await enter(assertion, thief, theirs)).toBe(401);
  expect(await enter(assertion)).toBe(200);
  expect(await enter(assertion)).toBe(401);
  await Promise.all([stranger.dispose(), thief.dispose()]);
});

test("an operator clears the passkeys of somebody who lost them", async ({ account, browser, service, operator }) => {
  const { page } = await openBrowser(browser, service);
  await signInAt(page, service, account);
  await add(page, "Phone");
  await keepCodes(page);
  await operator.command("account clear-second-factor", { email: account.email });
  await page.context().clearCookies();
  await giveCredentials(page, account);
  await page.waitForURL("/");
  await page.context().close();
});
