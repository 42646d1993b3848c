import { holdRequests } from "../support/interrupted-requests";
import { signIn, signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

const DELIVERED = "+15550100001";
const REFUSED = "+15550100003";

test("the first steps stay until a message is delivered, and then the figures replace them", async ({
  console: page,
  account,
  api,
}) => {
  const steps = page.getByRole("region", { name: "First steps" });
  await page.goto("/");
  await expect(steps).toBeVisible();
  await expect(page.getByRole("region", { name: "Why messages failed" })).toBeHidden();
  await api.post("/messages/send", { from: account.sender, to: REFUSED, body: "Hello" });
  await page.reload();
  await expect(steps).toContainText("No message has been delivered yet");
  const { body } = await api.post("/messages/send", { from: account.sender, to: DELIVERED, body: "Hello" });
  await expect.poll(async () => (await api.get(`/messages/${body.data.id}`)).body.data.status).toBe("delivered");
  await page.reload();
  await expect(page.getByRole("region", { name: "By country" })).toBeVisible();
  await expect(steps).toBeHidden();
});

test("a first step that may already be done is not suggested", async ({ console: page }) => {
  const steps = page.getByRole("region", { name: "First steps" });
  const release = await holdRequests(page, /trpc\/[^?]*senders\.list/);
  await page.goto("/");
  await expect(steps).toBeVisible();
  await expect(steps.getByRole("link", { name: /Register a sender$/ })).toHaveCount(0);
  release();
  await expect(steps.getByText("Register a sender (done)")).toBeVisible();
});

test("a balance of any size fits on one line and hides nothing next to it", async ({ page, newAccount, service }) => {
  const account = await newAccount(123_456_789.12);
  await signIn(page, service, account);
  for (const width of [320, 375, 1_280]) {
    await page.setViewportSize({ width, height: 740 });
    await page.goto("/");
    const figure = page.getByRole("region", { name: "Balance", exact: true }).getByText("$123,456,789.12");
    await expect(figure).toBeVisible();
    const lines = await figure.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getClientRects().length;
    });
    expect(lines, `lines at ${width} pixels`).toBe(1);
    const menu = await page.getByRole("button", { name: /^Account/ }).boundingBox();
    expect((menu?.x ?? width) + (menu?.width ?? 0), `end of the header at ${width} pixels`).toBeLessThanOrEqual(width);
  }
});

test("the overview shows messages by status and country, why messages failed, and that nothing else is wrong", async ({
  console: page,
  account,
  api,
}) => {
  const sent = await Promise.all(
    [DELIVERED, DELIVERED, REFUSED, "+4915112345678"].map((to) =>
      api.post("/messages/send", { from: account.sender, to, body: "Hello" }),
    ),
  );
  for (const { body } of sent) {
    await expect
      .poll(async () => (await api.get(`/messages/${body.data.id}`)).body.data.status)
      .toMatch(/delivered|failed/);
  }
  await page.goto("/?days=30");
  await expect(page.getByRole("radio", { name: "30 days" })).toBeChecked();
  await expect(page.getByRole("heading", { name: "Nothing needs your attention" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Messages", exact: true })).toContainText("4");
  await expect(page.getByRole("region", { name: "Failed or undelivered" })).toContainText("1");
  const columns = page.getByRole("img", { name: /Messages per day/ }).locator('[style*="height"][style*="background"]');
  expect((await columns.first().boundingBox())?.width).toBeGreaterThan(2);
  const row = (table: string, name: string) => page.getByRole("table", { name: table }).getByRole("row", { name });
  await expect(row("By country", "Germany")).toContainText("100%");
  await expect(row("By sender", account.sender)).toContainText("75%");
  await expect(row("By status", "Failed")).toContainText("25%");
  await expect(page.getByRole("table", { name: "Why messages failed" }).getByRole("row")).toHaveCount(2);
});

test("problems come first, each with its remedy", async ({ console: page, account, api, operator }) => {
  // Nothing listens there.
  const { body: endpoint } = await api.post("/webhooks/create", { url: "http://127.0.0.1:9/hook" });
  await api.post("/messages/send", { from: account.sender, to: DELIVERED, body: "Hello" });
  await operator.suspend(account);
  const concerns = page.getByRole("region", { name: "Needs your attention" });
  const failures = async () => (await api.get(`/webhooks/${endpoint.data.id}`)).body.data.failure_count;
  await expect.poll(failures).toBeGreaterThan(0);
  await page.goto("/");
  await expect(concerns.getByText("A webhook endpoint is failing")).toBeVisible();
  await expect(concerns.getByRole("listitem").first()).toContainText("Your account is suspended");
  await concerns.getByRole("link", { name: "Open endpoint" }).click();
  await expect(page).toHaveURL(/\/webhooks\/whe_/);
});

test("operators see workers, queues and their open tasks; for others the page does not exist", async ({
  console: page,
  api,
  browser,
  service,
}) => {
  expect((await page.goto("/operator"))?.status()).toBe(404);
  const desk = await (await browser.newContext({ baseURL: service.url })).newPage();
  await signInOperator(desk, service);
  await desk.goto("/operator");
  await expect(desk.getByRole("table", { name: "Workers" }).getByText("Alive").first()).toBeVisible();
  await expect(desk.getByRole("region", { name: "Queues" })).toBeVisible();
  await expect(desk.getByRole("table", { name: "Providers, last hour" })).toContainText("Sandbox");
  // Senders are approved automatically after a few seconds here; the page follows and then asks for nothing.
  await expect(async () => {
    await api.post("/senders/create", { sender_id: `W${Date.now() % 1_000_000_000}` });
    await desk.goto("/operator");
    const waiting = desk.getByRole("region", { name: "Needs your attention" }).getByRole("listitem");
    const review = waiting.filter({ hasText: /for your decision/ }).getByRole("link", { name: "Review", exact: true });
    await review.click({ timeout: 5_000 });
    await desk.waitForURL("/operator/senders", { timeout: 5_000 });
  }).toPass();
  await desk.context().close();
});

test("operators see on which routes messages wait, and whether anything can be sent", async ({ page, service }) => {
  await signInOperator(page, service);
  // Draining the sandbox would stop all other tests.
  let reach = '"has_usable_route":true,"waiting_prefixes":["","49"]';
  await page.route("**/api/trpc/*operator.home*", async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('"has_usable_route":true,"waiting_prefixes":[]', () => reach);
    await route.fulfill({ response, body });
  });
  await page.goto("/operator");
  const tasks = page.getByRole("region", { name: "Needs your attention" }).getByRole("listitem");
  const waiting = tasks.filter({
    hasText: "every provider of the routes All destinations, +49… is drained or failing",
  });
  await expect(waiting.getByRole("link", { name: "Open routes" })).toHaveAttribute("href", "/operator/routes");
  reach = '"has_usable_route":false,"waiting_prefixes":[]';
  const nothing = tasks.filter({ hasText: "No message can be sent" });
  await expect(nothing.getByRole("link", { name: "Open providers" })).toHaveAttribute("href", "/operator/providers");
  await expect(waiting).toBeHidden();
});

test("an operator is not told that everything works while the providers could not be loaded", async ({
  page,
  service,
}) => {
  await signInOperator(page, service);
  await page.route("**/api/trpc/*operator.providers.list*", async (route) => {
    const response = await route.fetch();
    const calls = new URL(route.request().url()).pathname.split("/").at(-1)?.split(",") ?? [];
    const results: unknown[] = await response.json();
    const data = { code: "INTERNAL_SERVER_ERROR", httpStatus: 500, path: "operator.providers.list" };
    results[calls.indexOf("operator.providers.list")] = { error: { message: "Failed", code: -32_603, data } };
    await route.fulfill({ response, json: results });
  });
  await page.goto("/operator");
  const tasks = page.getByRole("region", { name: "Needs your attention" }).getByRole("listitem");
  await expect(tasks.filter({ hasText: "The state of the providers is not known" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Everything works" })).toBeHidden();
  await page.unroute("**/api/trpc/*operator.providers.list*");
  await expect(tasks.filter({ hasText: "The state of the providers is not known" })).toBeHidden();
});
