import { status } from "../../test/network/receiver";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

test("the limits of a key are shown, and edited without a new key", async ({ console: page, api }) => {
  await page.goto("/api-keys");
  await page.getByRole("button", { name: "Create API key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("Shop");
  await dialog.getByLabel("Messages per day").fill("500");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  const row = page.getByRole("table", { name: "API keys" }).getByRole("row", { name: /Shop/ });
  await expect(row).toContainText("500 messages per day");

  await row.getByRole("button", { name: "Edit Shop" }).click();
  await expect(dialog.getByLabel("Messages per day")).toHaveValue("500");
  await dialog.getByLabel("Messages per day").fill("750");
  await dialog.getByLabel("Allowed IP addresses").fill("10.1.0.0/16");
  await dialog.getByLabel("Allowed IP addresses").press("Enter");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await expect(row).toContainText("750 messages per day");
  await expect(row).toContainText("only from 10.1.0.0/16");
  const { body } = await api.get<{ data: { id: string; name: string }[] }>("/api-keys");
  const { id } = body.data.data.find(({ name }) => name === "Shop") ?? { id: "" };
  const expected = { name: "Shop", daily_limit: 750, allowed_ips: ["10.1.0.0/16"] };
  expect((await api.patch(`/api-keys/${id}`, {})).body.data).toMatchObject(expected);
});

test("a failing delivery is shown as failing, and is sent again once the server works", async ({
  console: page,
  api,
  account,
  receiver,
}) => {
  test.slow();
  receiver.respondWith(status(500));
  const { body } = await api.post("/webhooks/create", { url: receiver.url, events: ["message.sent"] });
  await api.post("/messages/send", { from: account.sender, to: "+15550100001", body: "Hi" });
  await page.goto(`/webhooks/${body.data.id}`);
  const delivery = page.getByRole("button", { name: /message\.sent.*Failing, will retry/ });
  await delivery.click();
  receiver.respondWith(status(200));
  await page.getByRole("button", { name: "Try again now" }).click();
  await expect(page.getByRole("button", { name: /message\.sent.*Delivered/ })).toBeVisible();
});

test("the reason of a suspension reaches the customer", async ({ console: page, browser, service, account }) => {
  const desk = await browser.newPage({ baseURL: service.url });
  await signInOperator(desk, service);
  await desk.goto(`/operator/senders?status=approved&search=${account.sender}`);
  await desk.getByRole("button", { name: `Suspend ${account.sender}` }).click();
  await desk.getByLabel("Reason").fill("Names a brand of somebody else");
  await desk.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await expect(desk.getByText(`${account.sender} is suspended.`)).toBeVisible();
  await desk.close();

  await page.goto("/senders");
  const row = page.getByRole("table", { name: "Senders" }).getByRole("row", { name: new RegExp(account.sender) });
  await expect(row).toContainText("Suspended");
  await expect(row).toContainText("Names a brand of somebody else");
});
