/** Rows can be told apart, on phones too. */
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

const PHONE = { width: 390, height: 844 };

test("a phone shows of which message each delivery of a webhook is", async ({
  console: page,
  api,
  account,
  receiver,
}) => {
  const { body: endpoint } = await api.post("/webhooks/create", { url: receiver.url, events: ["message.delivered"] });
  const send = async () => {
    const { body } = await api.post("/messages/send", { to: "+15550100001", from: account.sender, body: "Hi" });
    return String(body.data.id);
  };
  const ids = [await send(), await send()];
  await page.setViewportSize(PHONE);
  await page.goto(`/webhooks/${endpoint.data.id}`);
  const table = page.getByRole("table", { name: "Deliveries" });
  for (const id of ids) await expect(table.getByText(id)).toBeVisible();
  const beyond = await page.locator(".table-scroll").evaluate((shown) => shown.scrollWidth - shown.clientWidth);
  expect(beyond).toBe(0);
});

test("a phone shows when the latest messages were created", async ({ console: page, api, account }) => {
  await api.post("/messages/send", { to: "+15550100001", from: account.sender, body: "Hi" });
  await page.setViewportSize(PHONE);
  await page.goto("/");
  const row = page.getByRole("table", { name: "Latest messages" }).getByRole("row", { name: /\+15550100001/ });
  await expect(row.getByRole("time").filter({ visible: true })).toHaveCount(1);
});

test("operators get from a sender and a suppressed number to the account, whose name others may have too", async ({
  page,
  service,
  api,
  account,
}) => {
  const number = `+1415556${String(Date.now()).slice(-4)}`;
  await api.post("/suppressions", { number });
  await signInOperator(page, service);
  for (const [size, address] of [
    [{ width: 1_280, height: 800 }, `/operator/senders?status=all&search=${account.sender}`],
    [PHONE, `/operator/senders?status=all&search=${account.sender}`],
    [PHONE, `/operator/suppressions?number=${encodeURIComponent(number)}`],
  ] as const) {
    await page.setViewportSize(size);
    await page.goto(address);
    await expect(page.getByRole("row")).toHaveCount(2);
    await page.getByRole("row").getByRole("link").click();
    await expect(page).toHaveURL(`/operator/accounts/${account.accountId}`);
  }
});

test("an operator sees which message failed and why, and what a ledger entry is about, on a phone too", async ({
  page,
  service,
  operator,
  api,
  account,
}) => {
  const { body } = await api.post("/messages/send", { to: "+15550100003", from: account.sender, body: "Hi" });
  const note = `Invoice 118 ${"of the contract that was renewed in autumn ".repeat(4)}, agreed by phone`;
  await operator.command("account credit", { account: account.accountId, amount: "5", note });
  await page.setViewportSize(PHONE);
  await signInOperator(page, service);
  await page.goto(`/operator/accounts/${account.accountId}`);
  const messages = page.getByRole("table", { name: "Messages" });
  await expect(messages.getByText(String(body.data.id))).toBeVisible();
  await expect(messages.getByText("The number does not exist.").filter({ visible: true })).toHaveCount(1);
  const entry = page.getByRole("table", { name: "Ledger" }).getByRole("row", { name: /Invoice 118/ });
  await expect(entry.getByRole("time").filter({ visible: true })).toHaveCount(1);
  const hidden = await entry.getByText(/^Invoice 118/).evaluate((shown) => shown.scrollWidth - shown.clientWidth);
  expect(hidden).toBe(0);
});

test("a long email address is shown in full on a phone", async ({ console: page, account }) => {
  await page.setViewportSize({ width: 240, height: 700 });
  await page.goto("/settings");
  const shown = page.getByRole("form", { name: "Your name" }).getByText(account.email);
  await expect(shown).toBeVisible();
  expect(await shown.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
});

test("the DLT IDs of a sender for India can be entered on a phone", async ({ console: page, api }) => {
  await api.post("/senders/create", { sender_id: "SHOPIN", country_code: "IN" });
  await page.setViewportSize(PHONE);
  await page.goto("/senders");
  const row = page.getByRole("table", { name: "Senders" }).getByRole("row", { name: /SHOPIN/ });
  await row.getByRole("button", { name: "DLT IDs of SHOPIN" }).click();
  await expect(page.getByRole("dialog").getByLabel("DLT entity ID")).toBeVisible();
});

test("beside a long note no word of a suppression is broken", async ({ console: page, api }) => {
  await api.post("/suppressions", { number: "+14155550190", note: "N".repeat(200) });
  await page.goto("/suppressions");
  const words = page.getByRole("table", { name: "Suppressions" }).getByText("All senders");
  await expect(words).toBeVisible();
  expect(await words.evaluate((element) => element.getClientRects().length)).toBe(1);
});
