import type { Page } from "@playwright/test";
import { type Receiver, status } from "@/test/network/receiver";
import type { OwnAccount } from "../support/accounts";
import type { Api } from "../support/api";
import { databaseUrlOf, openDatabase } from "../support/books";
import { REFUSAL, refuseOnce } from "../support/refuse";
import { expect, test } from "../test";

test("an endpoint is changed and keeps its secret", async ({ console: page, api, receiver }) => {
  const { body } = await api.post("/webhooks/create", { url: `${receiver.url}/old`, description: "Old" });
  await page.goto(`/webhooks/${body.data.id}`);
  const dialog = page.getByRole("dialog", { name: "Edit the endpoint" });
  await page.getByRole("button", { name: "Edit" }).click();
  await expect(dialog.getByLabel("Endpoint URL")).toHaveValue(`${receiver.url}/old`);

  await test.step("a wrong URL is refused at its field", async () => {
    await dialog.getByLabel("Endpoint URL").fill("ftp://old.example");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText(/http:\/\/ or https:\/\/ URL/)).toBeVisible();
  });

  await test.step("URL, description and events are saved together", async () => {
    await dialog.getByLabel("Endpoint URL").fill(`${receiver.url}/new`);
    await dialog.getByLabel("Description").fill("");
    await dialog.getByRole("checkbox", { name: /message\.sent/ }).uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText(`${receiver.url}/new`)).toBeVisible();
  });
  const changed = await api.get(`/webhooks/${body.data.id}`);
  expect(changed.body.data).toMatchObject({
    url: `${receiver.url}/new`,
    description: null,
    events: ["message.delivered", "message.failed"],
  });
});

test("an endpoint is paused and resumed, and its events wait meanwhile", async ({
  console: page,
  api,
  account,
  receiver,
}) => {
  const { body } = await api.post("/webhooks/create", { url: receiver.url, events: ["message.sent"] });
  await page.goto(`/webhooks/${body.data.id}`);
  await page.getByRole("button", { name: "Pause" }).click();
  const notice = page.getByRole("note").filter({ hasText: "This endpoint is paused" });
  await expect(notice).toContainText(/Paused .* by .*@.*\. Its events wait/);
  await expect(page.getByRole("region", { name: "Endpoint" })).toContainText("Paused");
  await api.post("/messages/send", { to: "+15550100008", from: account.sender, body: "Hi" });
  await expect(page.getByRole("table", { name: "Deliveries" })).toContainText("Parked");
  await expect(page.getByRole("table", { name: "Deliveries" })).toContainText("+15550100008");
  expect(receiver.received).toHaveLength(0);

  await page.goto("/webhooks");
  await page.getByRole("button", { name: `Resume ${receiver.url}` }).click();
  await expect.poll(() => receiver.received.length).toBe(1);
  await expect(page.getByRole("button", { name: /^Resume/ })).toHaveCount(0);
});

test("a refusal without a field disappears once the form is changed, and does not return", async ({
  console: page,
  api,
  receiver,
}) => {
  const { body } = await api.post("/webhooks/create", { url: receiver.url, description: "Old" });
  await page.goto(`/webhooks/${body.data.id}`);
  await refuseOnce(page, "webhooks.update");
  const dialog = page.getByRole("dialog", { name: "Edit the endpoint" });
  await page.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Description").fill("New");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toContainText(REFUSAL);
  await dialog.getByLabel("Description").fill("Newer");
  await expect(dialog.getByRole("alert")).toBeHidden();
  await dialog.getByLabel("Description").fill("New");
  await expect(dialog.getByLabel("Description")).toHaveValue("New");
  await expect(dialog.getByRole("alert")).toBeHidden();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
});

test("the payload of an event stays open while newer events push the event off the page", async ({
  console: page,
  api,
  account,
}) => {
  const send = (recipients: string[]) => api.post("/messages/bulk", { from: account.sender, body: "Hi", recipients });
  await send(["+15550100003"]);
  await page.goto("/events");
  const table = page.getByRole("table", { name: "Events" });
  await table.getByRole("button", { name: /^View payload/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("+15550100003");
  await send(Array.from({ length: 25 }, (_, at) => `+155501000${at + 10}`));
  await expect(page.getByText(/^1–25 of /)).toHaveCount(1);
  await expect(page.locator("tbody").getByText("+15550100003")).toHaveCount(0);
  await expect(dialog).toContainText("+15550100003");
});

test("a message's timeline links to its deliveries, and these link to what was sent", async ({
  console: page,
  api,
  account,
  receiver,
}) => {
  const { body: endpoint } = await api.post("/webhooks/create", { url: receiver.url });
  const send = async (body: string) =>
    String((await api.post("/messages/send", { to: "+15550100001", from: account.sender, body })).body.data.id);
  const [id] = [await send("Mine"), await send("Another")];
  await expect.poll(() => receiver.received.length).toBe(4);
  await page.goto(`/messages/${id}`);
  const webhooks = page.locator("details", { has: page.getByText("webhook message.delivered") });
  await webhooks.locator("summary").click();
  await webhooks.getByRole("link", { name: receiver.url }).click();
  await expect(page).toHaveURL(`/webhooks/${endpoint.data.id}?message=${id}`);
  await expect(page.getByRole("searchbox", { name: "Message ID" })).toHaveValue(id);
  const table = page.getByRole("table", { name: "Deliveries" });
  await expect(table.getByRole("row")).toHaveCount(3);

  await table.getByRole("button", { name: /^message\.delivered/ }).click();
  await table.getByRole("button", { name: "View payload" }).click();
  const dialog = page.getByRole("dialog", { name: "Payload of message.delivered" });
  await expect(dialog).toContainText('"body": "Mine"');
  const delivered = receiver.received.map(({ body }) => JSON.parse(body.toString()));
  const sent = delivered.find(({ type, data }) => type === "message.delivered" && data.id === id);
  expect(JSON.parse((await dialog.locator("code, pre").first().textContent()) ?? "")).toEqual(sent);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(table.getByRole("button", { name: "View payload" })).toBeFocused();

  await page.getByRole("searchbox", { name: "Message ID" }).fill("msg_nothing");
  await page.getByRole("button", { name: "Show all deliveries" }).click();
  await expect(table.getByRole("row")).toHaveCount(5);
});

test("selected deliveries are sent again together", async ({ console: page, api, account, receiver }) => {
  const { body } = await api.post("/webhooks/create", { url: receiver.url, events: ["message.delivered"] });
  for (let count = 0; count < 3; count += 1) {
    await api.post("/messages/send", { to: "+15550100001", from: account.sender, body: `Number ${count}` });
  }
  await page.goto(`/webhooks/${body.data.id}`);
  const rows = page.getByRole("checkbox", { name: /^Select message\.delivered/ });
  await expect(rows).toHaveCount(3);
  await expect.poll(() => receiver.received.length).toBe(3);
  await rows.first().check();
  await expect(page.getByText("1 selected")).toBeVisible();
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await expect(page.getByText("3 selected")).toBeVisible();
  await page.getByRole("button", { name: "Send again" }).click();
  await expect(page.getByText("3 events queued to be sent again")).toBeVisible();
  await expect.poll(() => receiver.received.length).toBe(6);
  await expect(page.getByText("selected")).toBeHidden();
});

/** Opens the page of an endpoint whose only delivery has failed once. `row`: the row of the delivery. */
async function failingDelivery(page: Page, api: Api, account: OwnAccount, receiver: Receiver) {
  receiver.respondWith(status(500));
  const { body } = await api.post("/webhooks/create", { url: receiver.url, events: ["message.delivered"] });
  await api.post("/messages/send", { to: "+15550100001", from: account.sender, body: "Hi" });
  await page.goto(`/webhooks/${body.data.id}`);
  const row = page.getByRole("table", { name: "Deliveries" }).getByRole("button", { name: /^message\.delivered/ });
  await expect(row).toContainText("Failing, will retry");
  return { endpointId: body.data.id, row };
}

test("a delivery whose schedule will begin again is failing, and can be sent at once, whatever the browser's clock says", async ({
  service,
  console: page,
  api,
  account,
  receiver,
}) => {
  const { endpointId, row } = await failingDelivery(page, api, account, receiver);
  // As after six tries for which the egress proxy was unavailable.
  const database = await openDatabase(databaseUrlOf(service));
  await database
    .rows(
      `UPDATE webhook_deliveries SET round = 1, attempts = 0, next_attempt_at = now() + interval '30 minutes'
       WHERE endpoint_id = $1 RETURNING id`,
      [endpointId],
    )
    .finally(database.close);
  receiver.respondWith(status(200));
  await page.clock.setSystemTime(Date.now() + 3_600_000);
  await page.reload();
  await expect(row).toContainText("Failing, will retry");
  await row.click();
  await page.getByRole("button", { name: "Try again now" }).click();
  await expect(row).toContainText("Delivered");
  // The round that was due to begin had the number 1.
  await expect(page.getByRole("region", { name: "Try 1 of round 2" })).toBeVisible();
  expect(receiver.received).toHaveLength(2);
});

test("a delivery that is left to its due try says by when the try is made", async ({
  service,
  console: page,
  api,
  account,
  receiver,
}) => {
  const { endpointId, row } = await failingDelivery(page, api, account, receiver);
  // As in a backlog: the try has been due for a while, and its job waits for a slot.
  const database = await openDatabase(databaseUrlOf(service));
  await database
    .rows(
      `WITH job AS (
         UPDATE graphile_worker._private_jobs SET run_at = now() + interval '4 minutes' WHERE payload ->> 'endpointId' = $1
       )
       UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 minute' WHERE endpoint_id = $1 RETURNING id`,
      [endpointId],
    )
    .finally(database.close);
  await page.reload();
  await row.click();
  await page.getByRole("button", { name: "Try again now" }).click();
  await expect(page.getByText("1 event was not queued again")).toBeVisible();
  await expect(page.getByText(/^Its own try is due, and is made by .+ at the latest\./)).toBeVisible();
  expect(receiver.received).toHaveLength(1);
});
