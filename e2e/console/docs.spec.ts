import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, test } from "../test";

const GUIDES = [
  "Quick start",
  "Authentication",
  "Test mode",
  "Teams",
  "Sending and segments",
  "Receiving messages",
  "Lists and pages",
  "Errors",
  "Webhooks",
  "Limits",
  "Idempotency",
  "Scenario numbers",
  "Versioning",
  "From Twilio",
  "From Vonage",
  "From MessageBird",
  "Providers (operators)",
];

/** Records the requests to other origins and the errors of a page from now on. */
function watch(page: Page, url: string) {
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) errors.push(`${response.status()} ${response.url()}`);
  });
  page.on("request", (request) => {
    const own = request.url().startsWith(url) || /^(data|blob):/.test(request.url());
    if (!own) foreign.push(request.url());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { foreign, errors };
}

test("the icon is also served at the address that browsers try by default", async ({ service }) => {
  const icon = await fetch(`${service.url}/favicon.ico`);
  expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
});

test("the reference shows every operation with samples and can try them, without a sign-in or another origin", async ({
  page,
  service,
  account,
}) => {
  // The reference is by far the heaviest page, so one test opens it once and checks everything.
  test.setTimeout(360_000);
  const seen = watch(page, service.url);
  await page.goto("/docs/quick-start");
  await page.getByRole("link", { name: "API reference" }).first().click();

  await test.step("every operation is listed with its tag, and opens", async () => {
    const operation = (name: string) => page.getByRole("button", { name: `${name} HTTP` });
    for (const [tag, name] of [
      ["Webhooks", "Rotate the signing secret"],
      ["Events", "List events"],
      ["Webhook requests", "A message was delivered"],
    ] as const) {
      await page.getByRole("button", { name: `${tag} Open Group` }).click();
      await expect(operation(name)).toBeVisible();
      await page.getByRole("button", { name: `${tag} Close Group` }).click();
      await expect(operation(name)).toBeHidden();
    }
    await operation("Send a message").click();
    await expect(page).toHaveURL(/sendMessage$/);
    await expect(page.getByRole("heading", { name: "Send a message" }).first()).toBeInViewport();
  });

  await test.step("its samples have this address", async () => {
    const section = page.getByRole("region", { name: "Send a message" }).first();
    await expect(section.getByText(`${service.url}/api/v1/messages/send`).first()).toBeVisible();
  });

  await test.step("the theme changes", async () => {
    await page.getByRole("button", { name: "Theme" }).click();
    await page.getByRole("menuitem", { name: "Dark" }).click();
    await expect(page.locator("body")).toHaveClass(/dark-mode/);
  });

  await test.step("an operation is tried with an API key", async () => {
    await page.getByRole("button", { name: "Account Open Group" }).click();
    const key = page.getByRole("textbox", { name: "Bearer Token" }).first();
    await key.click();
    // Inserted at once, like pasted text: after each key press the whole page would be rendered again.
    await page.keyboard.insertText(account.apiKey);
    await page.getByRole("button", { name: "Test Request (get /account)" }).click();
    const response = page.waitForResponse((received) => received.url() === `${service.url}/api/v1/account`);
    await page.getByRole("dialog").getByRole("button", { name: "Send get request" }).click();
    expect((await (await response).json()).data).toMatchObject({ object: "account", email: account.email });
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  });

  await page.waitForLoadState("networkidle");
  await page.getByRole("link", { name: "Guides", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Quick start");
  expect(seen).toEqual({ foreign: [], errors: [] });
});

test("the guides are in the navigation and link to one another", async ({ page, service }) => {
  const seen = watch(page, service.url);
  await page.goto("/docs/quick-start");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Quick start");
  const navigation = page.getByRole("navigation", { name: "Guides" });
  for (const name of GUIDES) {
    await navigation.getByRole("link", { name, exact: true }).click();
    await expect(navigation.getByRole("link", { name, exact: true })).toHaveAttribute("aria-current", "page");
    await expect(page.getByRole("article").getByRole("heading", { level: 1 })).toBeVisible();
  }
  await navigation.getByRole("link", { name: "Scenario numbers" }).click();
  await page.getByRole("article").getByRole("link", { name: "errors of a message" }).click();
  await expect(page).toHaveURL("/docs/errors#errors-of-a-message");
  await expect(page.getByRole("cell", { name: "no_final_receipt" })).toBeVisible();
  expect(seen).toEqual({ foreign: [], errors: [] });
});

test("the served API document is the committed one, with the address of this installation", async ({
  request,
  service,
}) => {
  const response = await request.get("/api/v1/openapi.json");
  expect(response.status()).toBe(200);
  const { servers, ...served } = (await response.json()) as { servers: { url: string }[]; info: { contact: object } };
  expect(servers[0]?.url).toBe(`${service.url}/api/v1`);
  const text = readFileSync("openapi.json", "utf8").replaceAll("https://sms.example.com", service.url);
  const committed = JSON.parse(text.replace('"/docs"', `"${service.url}/docs"`));
  expect({ ...served, servers: committed.servers }).toEqual(committed);
});

test("programs read the guides as Markdown, their index and a Postman collection, with this address", async ({
  request,
  service,
}) => {
  const read = async (path: string) => {
    const response = await request.get(path);
    return { status: response.status(), type: response.headers()["content-type"], text: await response.text() };
  };
  for (const path of ["/llms.txt", "/docs/llms.txt"]) {
    const index = await read(path);
    expect([index.status, index.type]).toEqual([200, "text/plain; charset=utf-8"]);
    const linked = [...index.text.matchAll(/\]\((\S+\.md)\)/g)].map(([, url = ""]) => url);
    expect(linked).toHaveLength(GUIDES.length);
    for (const url of linked) {
      expect(url.startsWith(`${service.url}/docs/`)).toBe(true);
      const guide = await read(url);
      expect([guide.status, guide.type], url).toEqual([200, "text/markdown; charset=utf-8"]);
      expect(guide.text).toMatch(/^# \S/);
    }
  }
  expect((await read("/docs/quick-start.md")).text).toContain(`BASE_URL=${service.url}/api/v1`);
  const collection = await read("/docs/postman.json");
  expect([collection.status, collection.type]).toEqual([200, "application/json; charset=utf-8"]);
  expect(JSON.parse(collection.text).variable[0]).toMatchObject({ key: "baseUrl", value: `${service.url}/api/v1` });
  expect((await read("/docs/nowhere.md")).status).toBe(404);
});
