/**
 * The main functions of any installation, with only one account. Part of the whole suite; `npm run smoke` runs it alone against a
 * running installation (docs/testing.md).
 */
import { CONSOLE_PAGES } from "../support/pages";
import { expect, test } from "../test";

/** Delivered at once where the sandbox is on; for another installation, E2E_RECIPIENT names a number. */
const RECIPIENT = process.env.E2E_RECIPIENT || "+15550100001";

test("the service reports itself healthy and serves its document", { tag: "@smoke" }, async ({ request }) => {
  expect(await (await request.get("/api/health")).json()).toMatchObject({ ok: true });
  const document = await (await request.get("/api/v1/openapi.json")).json();
  expect(Object.keys(document.paths)).toContain("/messages/send");
});

test("a message is priced, accepted, followed to its end and billed as priced", { tag: "@smoke" }, async ({
  api,
  account,
}) => {
  const message = { to: RECIPIENT, from: account.sender, body: "Smoke test" };
  const before = await api.get("/balance");
  const estimate = await api.post("/messages/estimate", message);
  expect(estimate.status).toBe(200);
  const accepted = await api.post("/messages/send", message);
  expect(accepted.body.data).toMatchObject({ status: "pending", cost: estimate.body.data.cost });
  const path = `/messages/${accepted.body.data.id}`;
  await expect.poll(async () => (await api.get(path)).body.data.status, { timeout: 90_000 }).toBe("delivered");
  const { body: listed } = await api.get<Array<{ id: string }>>(
    `/messages?to=${encodeURIComponent(RECIPIENT)}&limit=5`,
  );
  expect(listed.data.map(({ id }) => id)).toContain(accepted.body.data.id);
  const events = await api.get<Array<{ data: { id: string } }>>("/events?limit=100");
  expect(events.body.data.filter(({ data }) => data.id === accepted.body.data.id)).toHaveLength(2);
  const after = await api.get("/balance");
  const spent = Number(before.body.data.balance) - Number(after.body.data.balance);
  expect(spent).toBeCloseTo(Number(estimate.body.data.cost), 6);
});

test("one Idempotency-Key sends once", { tag: "@smoke" }, async ({ api, account }) => {
  const message = { to: RECIPIENT, from: account.sender, body: "Smoke test, once" };
  const headers = { "idempotency-key": crypto.randomUUID() };
  const first = await api.post("/messages/send", message, headers);
  const second = await api.post("/messages/send", message, headers);
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(second.body.data).toEqual(first.body.data);
});

test("a key works until it is revoked", { tag: "@smoke" }, async ({ api, request }) => {
  const made = await api.post("/api-keys/create", { name: "Smoke test", permissions: ["balance:read"] });
  const headers = { authorization: `Bearer ${made.body.data.plain_key}` };
  expect((await request.get("/api/v1/balance", { headers })).status()).toBe(200);
  expect((await request.get("/api/v1/messages", { headers })).status()).toBe(403);
  await api.delete(`/api-keys/${made.body.data.id}`);
  expect((await request.get("/api/v1/balance", { headers })).status()).toBe(401);
});

test("a refusal names the parameter and the reason", { tag: "@smoke" }, async ({ api }) => {
  const refused = await api.post("/messages/send", { to: RECIPIENT, from: "NOBODY-HAS", body: "Smoke test" });
  expect(refused.status).toBe(400);
  expect(refused.body.error).toMatchObject({ param: "from", details: { reason: "sender_not_approved" } });
});

test("the console shows every page without an error", { tag: "@smoke" }, async ({ page, account, baseURL }) => {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on(
    "response",
    (response) => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`),
  );
  page.on("request", (asked) => asked.url().startsWith(baseURL ?? "") || problems.push(`foreign: ${asked.url()}`));
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(account.email);
  await page.getByLabel("Password", { exact: true }).fill(account.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("/");
  for (const path of CONSOLE_PAGES) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("main")).not.toBeEmpty();
  }
  expect(problems).toEqual([]);
});
