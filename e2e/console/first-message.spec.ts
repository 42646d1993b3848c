import { apiWith } from "../support/api";
import { openWebhook } from "../support/signature";
import { expect, test } from "../test";

test("from a new key in the browser to a signed webhook on the customer's server", async ({
  console: page,
  service,
  account,
  receiver,
}) => {
  const signingSecret = await test.step("register a webhook endpoint", async () => {
    await page.goto("/webhooks");
    await page.getByRole("button", { name: "Add endpoint" }).first().click();
    await page.getByLabel("Endpoint URL").fill(receiver.url);
    await page.getByRole("button", { name: "Create endpoint" }).click();
    const [guide] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("link", { name: "How to verify it" }).click(),
    ]);
    await expect(guide.getByRole("heading", { name: "Verify the signature" })).toBeInViewport();
    await guide.close();
    return (await page.getByTestId("secret-value").textContent()) ?? "";
  });

  const key = await test.step("create a key", async () => {
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create API key" }).first().click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("First key");
    await page.getByRole("button", { name: "Create key" }).click();
    const shown = (await page.getByTestId("secret-value").textContent()) ?? "";
    expect(shown).toMatch(/^ds_live_[0-9A-Za-z]{32}$/);
    await expect(page.getByRole("link", { name: "How to send a message with it" })).toHaveAttribute(
      "href",
      "/docs/quick-start",
    );
    return shown;
  });

  const messageId = await test.step("send with it over REST", async () => {
    const body = { to: "+14155550123", from: account.sender, body: "Hello from the test", reference: "order-7" };
    const response = await apiWith(service, key).post("/messages/send", body);
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ success: true, data: { object: "message", status: "pending", cost: 0.01 } });
    return String(response.body.data.id);
  });

  await test.step("see it delivered", async () => {
    await page.goto(`/messages/${messageId}`);
    await expect(page.getByTestId("message-status")).toHaveText(/delivered/i);
    await expect(page.getByText("Hello from the test")).toBeVisible();
  });

  await test.step("receive both events, signed", async () => {
    await expect.poll(() => receiver.received.length).toBe(2);
    const events = receiver.received.map((request) => openWebhook(request, signingSecret));
    const about = { id: messageId, to: "+14155550123", from: account.sender, reference: "order-7" };
    const expected = ["delivered", "sent"].map((status) =>
      expect.objectContaining({
        id: expect.stringMatching(/^evt_/),
        object: "event",
        type: `message.${status}`,
        data: expect.objectContaining({ ...about, status }),
      }),
    );
    // The order in which webhooks arrive is not promised.
    expect(events.sort((a, b) => String(a.type).localeCompare(String(b.type)))).toEqual(expected);
  });
});
