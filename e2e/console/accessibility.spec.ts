import type { Page } from "@playwright/test";
import { barriersOf, violationsOf } from "../support/axe";
import { ACCOUNT_PAGES, OPERATOR_PAGES } from "../support/pages";
import { signIn, signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

/** The accessibility violations of each page, by its path; pages without any are left out. */
async function barriersOn(page: Page, paths: readonly string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const path of paths) {
    await page.goto(path);
    const barriers = await barriersOf(page);
    if (barriers.length > 0) found[path] = barriers;
  }
  return found;
}

test("no page of an account has an accessibility violation, light, dark or on a phone", async ({
  console: page,
  api,
  account,
  receiver,
}) => {
  test.setTimeout(600_000);
  const { body: endpoint } = await api.post("/webhooks/create", { url: receiver.url });
  // Nothing listens there: the timeline of a message shows a failing webhook unfolded.
  await api.post("/webhooks/create", { url: "http://127.0.0.1:9/hook" });
  const { body: message } = await api.post("/messages/send", {
    from: account.sender,
    to: "+15550100001",
    body: "W".repeat(130),
  });
  await api.post("/messages/send", { from: account.sender, to: "+15550100003", body: "שלום" });
  const paths = [...ACCOUNT_PAGES, `/messages/${message.data.id}`, `/webhooks/${endpoint.data.id}`];
  expect(await barriersOn(page, paths)).toEqual({});
});

test("no page for strangers has an accessibility violation, light, dark or on a phone", async ({ page }) => {
  test.setTimeout(600_000);
  const paths = [
    "/sign-in",
    "/sign-up",
    "/forgotten-password",
    "/reset-password",
    "/invitation",
    "/docs/webhooks",
    "/nowhere",
  ];
  expect(await barriersOn(page, paths)).toEqual({});
});

test("no page of the operator has an accessibility violation, light, dark or on a phone", async ({
  page,
  service,
  account,
  api,
}) => {
  test.setTimeout(600_000);
  await api.post("/messages/send", { from: account.sender, to: "+15550100003", body: "Hello" });
  await signInOperator(page, service);
  expect(await barriersOn(page, [...OPERATOR_PAGES, `/operator/accounts/${account.accountId}`])).toEqual({});
});

test("the open menus of the header have no accessibility violation", async ({ console: page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Account menu" }).click();
  await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeVisible();
  expect(await violationsOf(page)).toEqual([]);
  await page.reload();
  await page.getByRole("button", { name: "Theme" }).click();
  await expect(page.getByRole("menuitem", { name: "Dark" })).toBeVisible();
  expect(await violationsOf(page)).toEqual([]);
});

test("the open menu of an account has no accessibility violation", async ({ page, service, account }) => {
  await signInOperator(page, service);
  for (const path of [`/operator/accounts/${account.accountId}`, `/operator/accounts?search=${account.accountId}`]) {
    await page.goto(path);
    await page.getByRole("button", { name: /^More actions for / }).click();
    await expect(page.getByRole("menuitem", { name: "Suspend" })).toBeInViewport({ ratio: 1 });
    expect(await violationsOf(page)).toEqual([]);
  }
});

test("a dialog asks before it drops what was entered, and only then", async ({ console: page }) => {
  await page.goto("/senders");
  const dialog = page.getByRole("dialog", { name: "Register a sender" });
  const open = () => page.getByRole("button", { name: "Register sender" }).first().click();
  await open();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await open();
  await dialog.getByLabel("Sender ID").fill("HALFWAY");
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Discard what you have entered?" });
  await expect(question).toBeVisible();
  expect(await violationsOf(page)).toEqual([]);
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();
  await expect(dialog.getByLabel("Sender ID")).toHaveValue("HALFWAY");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: "Register sender" }).first()).toBeFocused();
});

test("a refused form puts the focus on its first wrong field, whether the page or the service refuses it", async ({
  console: page,
}) => {
  // Changes are rendered some frames late, as on a busy machine.
  await page.addInitScript(() => {
    const LATE_MS = 100;
    const { setTimeout: wait } = globalThis;
    const post = MessagePort.prototype.postMessage as (...values: unknown[]) => void;
    MessagePort.prototype.postMessage = function (this: MessagePort, ...values: unknown[]) {
      wait(() => post.apply(this, values), LATE_MS);
    };
    const later = (run: () => void, ms = 0, ...values: []) => wait(run, Math.max(ms, LATE_MS), ...values);
    globalThis.setTimeout = later as typeof setTimeout;
  });
  await page.setViewportSize({ width: 1_024, height: 480 });
  await page.goto("/api-keys");
  await page.getByRole("button", { name: "Create API key" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Create an API key" });
  await dialog.getByRole("button", { name: "Create key" }).click();
  const name = dialog.getByLabel("Name");
  await expect(name).toBeFocused();
  await expect(name).toBeInViewport();

  await name.fill("CI");
  const addresses = dialog.getByLabel("Allowed IP addresses");
  await addresses.fill("nowhere");
  await addresses.press("Enter");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByText("“nowhere”")).toBeVisible();
  await expect(addresses).toBeFocused();
});

test("the placeholder of a refused empty field does not look like an entry", async ({ console: page }) => {
  await page.goto("/suppressions");
  await page.getByRole("button", { name: "Suppress a number" }).click();
  const dialog = page.getByRole("dialog", { name: "Suppress a number" });
  const number = dialog.getByLabel("Phone number");
  const color = () => number.evaluate((field) => getComputedStyle(field, "::placeholder").color);
  const before = await color();
  await dialog.getByRole("button", { name: "Suppress" }).click();
  await expect(number).toHaveAttribute("aria-invalid", "true");
  await expect(number).toBeFocused();
  expect(await color()).toBe(before);
});

test("Escape cancels the question about unsaved entries, and the form stays", async ({ console: page }) => {
  await page.goto("/senders");
  const dialog = page.getByRole("dialog", { name: "Register a sender" });
  const question = page.getByRole("dialog", { name: "Discard what you have entered?" });
  await page.getByRole("button", { name: "Register sender" }).first().click();
  await dialog.getByLabel("Sender ID").fill("HALFWAY");
  for (let time = 0; time < 2; time += 1) {
    await page.keyboard.press("Escape");
    await expect(question).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(question).toBeHidden();
    await expect(dialog.getByLabel("Sender ID")).toHaveValue("HALFWAY");
  }
});

test("the focus returns to the button whose question was canceled", async ({ console: page, api, account }) => {
  const { body: message } = await api.post("/messages/send", {
    from: account.sender,
    to: "+15550100001",
    body: "Hello",
  });
  await page.goto(`/messages/${message.data.id}`);
  const button = page.getByRole("button", { name: "Delete text" });
  const question = page.getByRole("dialog");
  for (const answer of [
    () => page.keyboard.press("Escape"),
    () => question.getByRole("button", { name: "Keep it" }).click(),
  ]) {
    await button.press("Enter");
    await expect(question).toBeVisible();
    await answer();
    await expect(question).toBeHidden();
    await expect(button).toBeFocused();
  }
});

test("tables fit a narrow window", async ({ console: page, api, browser, service, account }) => {
  // A second session, which has a button to end it.
  const other = await browser.newPage();
  await signIn(other, service, account);
  await other.close();
  await api.post("/suppressions", { number: "+4915112345678", sender_id: account.sender, note: "Asked by phone" });
  await api.post("/webhooks/create", {
    url: `http://127.0.0.1:9/${"segment/".repeat(40)}`,
    description: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk",
  });
  for (const [width, paths] of [
    [320, ["/webhooks", "/api-keys", "/settings/security", "/settings/audit", "/suppressions"]],
    [1_024, ["/webhooks", "/api-keys"]],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    for (const path of paths) {
      await page.goto(path);
      await expect(page.getByRole("table")).toBeVisible();
      const beyond = await page.locator(".table-scroll").evaluate((table) => table.scrollWidth - table.clientWidth);
      expect(beyond, `${path} at ${width}`).toBe(0);
    }
  }
});

test("a tooltip stays inside a narrow window, until Escape", async ({ console: page, api, account }) => {
  await api.post("/messages/send", { from: account.sender, to: "+15550100001", body: "Hello" });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/messages");
  await page.getByRole("row").getByText("just now").filter({ visible: true }).hover();
  const tooltip = page.getByRole("tooltip");
  await expect(tooltip).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Escape");
  await expect(tooltip).toBeHidden();
});

test("a dark page is printed in light colors", async ({ console: page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/usage");
  const schemeAfter = (event: string) =>
    page.evaluate((type) => {
      if (type) window.dispatchEvent(new Event(type));
      return document.documentElement.getAttribute("data-mantine-color-scheme");
    }, event);
  expect(await schemeAfter("")).toBe("dark");
  // Until its scripts have loaded, the page listens to nothing.
  await expect.poll(() => schemeAfter("beforeprint")).toBe("light");
  expect(await schemeAfter("afterprint")).toBe("dark");
});

test("Escape closes the menus of the header, and the focus returns to their buttons", async ({ console: page }) => {
  await page.goto("/");
  for (const name of ["Account menu", "Theme"]) {
    const button = page.getByRole("button", { name });
    for (const open of [() => button.click(), () => button.press("Enter")]) {
      await open();
      await expect(page.getByRole("menu")).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(page.getByRole("menu")).toBeHidden();
      await expect(button).toBeFocused();
    }
  }
});

test("Escape closes a menu whose button still has the focus", async ({ console: page }) => {
  await page.goto("/");
  const button = page.getByRole("button", { name: "Theme" });
  for (let time = 0; time < 2; time += 1) {
    await button.click();
    await expect(page.getByRole("menu")).toBeVisible();
    await button.focus();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toBeHidden();
    await expect(button).toBeFocused();
  }
});
