import { expect, test } from "../test";

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Pages that follow changes poll once a minute, which is longer than any wait here. */
test("the list of messages, a message and deliveries follow what happens", async ({
  console: page,
  api,
  account,
  receiver,
}) => {
  const { body: endpoint } = await api.post("/webhooks/create", { url: receiver.url, events: ["message.delivered"] });
  const following = () => page.waitForResponse((response) => response.url().includes("/api/trpc/live.changes"));
  const send = () => api.post("/messages/send", { to: "+15550100001", from: account.sender, body: "Hello" });

  await test.step("a new message appears and is delivered without a reload", async () => {
    await Promise.all([following(), page.goto("/messages")]);
    await expect(page.getByText("No messages yet")).toBeVisible();
    await send();
    await expect(page.getByRole("row", { name: /\+15550100001.*Delivered/ })).toBeVisible();
  });

  await test.step("so is its page", async () => {
    const body = { to: "+15550100001", from: account.sender, body: "Later", send_at: inAnHour() };
    const { id } = (await api.post("/messages/send", body)).body.data;
    await Promise.all([following(), page.goto(`/messages/${id}`)]);
    await expect(page.getByTestId("message-status")).toHaveText("Scheduled");
    await api.post(`/messages/${id}/cancel`, {});
    await expect(page.getByTestId("message-status")).toHaveText("Canceled");
  });

  await test.step("deliveries of a webhook appear", async () => {
    await Promise.all([following(), page.goto(`/webhooks/${endpoint.data.id}`)]);
    const rows = page.getByRole("checkbox", { name: /^Select message\.delivered/ });
    await expect(rows).toHaveCount(1);
    await send();
    await expect(rows).toHaveCount(2);
  });
});

test("in test mode pages follow the test account", async ({ console: page, service }) => {
  await page.context().addCookies([{ name: "test-mode", value: "true", url: service.url }]);
  const following = page.waitForResponse((response) => response.url().includes("/api/trpc/live.changes"));
  await Promise.all([following, page.goto("/messages")]);
  await expect(page.getByText("No messages yet")).toBeVisible();
  const tab = await page.context().newPage();
  await tab.goto("/send");
  await tab.getByLabel("To").fill("+15550100009");
  await tab.getByRole("textbox", { name: "Text" }).fill("A trial");
  await tab.getByRole("button", { name: "Send message" }).click();
  await expect(page.getByRole("row", { name: /\+15550100009.*Undelivered/ })).toBeVisible();
});

test("without the live channel pages poll, and they follow it again once it is back", async ({
  console: page,
  api,
  account,
}) => {
  // As in a restart: the service ends the stream, and then a proxy refuses it. Browsers reconnect after neither.
  const ended = { contentType: "text/event-stream", body: "event: connected\ndata: {}\n\nevent: return\ndata:\n\n" };
  let asked = 0;
  await page.route("**/api/trpc/live.changes**", (route) => {
    asked += 1;
    return route.fulfill(asked === 1 ? ended : { status: 502 });
  });
  await page.goto("/messages");
  await expect(page.getByText("No messages yet")).toBeVisible();
  await api.post("/messages/send", { to: "+15550100001", from: account.sender, body: "Hello" });
  await expect(page.getByRole("row", { name: /\+15550100001.*Delivered/ })).toBeVisible();
  await expect.poll(() => asked).toBeGreaterThan(1);
  const followed = page.waitForResponse((response) => response.url().includes("live.changes") && response.ok());
  await page.unroute("**/api/trpc/live.changes**");
  await followed;
});

test("strangers follow nothing", async ({ service }) => {
  const response = await fetch(`${service.url}/api/trpc/live.changes`);
  expect(await response.text()).toContain("no_session");
});
