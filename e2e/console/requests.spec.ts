import { violationsOf } from "../support/axe";
import { expect, test } from "../test";

test("a request of a program is found in the log, with its reason and without its text", async ({
  console: page,
  api,
  account,
  service,
}) => {
  const sent = await api.post("/messages/send", { to: "+15550100001", from: account.sender, body: "Code 4711" });
  const refused = await api.post("/messages/send", { to: "+15550100001", from: "NOBODY", body: "Code 4711" });
  expect([sent.status, refused.status]).toEqual([201, 400]);
  const table = page.getByRole("table", { name: "Requests" });

  await test.step("both are listed, with the key", async () => {
    await expect(async () => {
      await page.goto("/requests");
      await expect(table.getByRole("row", { name: /POST \/messages\/send/ })).toHaveCount(2);
    }).toPass();
    await expect(table.getByText("400")).toBeVisible();
    expect(await violationsOf(page)).toEqual([]);
  });

  await test.step("keyboards open them by their links, and a missing response is explained", async () => {
    const link = table.getByRole("row", { name: /201/ }).getByRole("link", { name: "POST /messages/send" });
    await link.press("Enter");
    await expect(page).toHaveURL(/open=/);
    const dialog = page.getByRole("dialog", { name: "Request" });
    await expect(dialog.getByRole("region", { name: "Response" })).toContainText("below 400 are not kept");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(link).toBeFocused();
  });

  await test.step("the class of the status filters them", async () => {
    await page.getByRole("combobox", { name: "Status" }).selectOption("Refused (4xx)");
    await expect(page).toHaveURL(/status=4xx/);
    await expect(table.getByText("201")).toBeHidden();
  });

  await test.step("the detail has the masked body and the response", async () => {
    await table.getByRole("row", { name: /POST \/messages\/send/ }).click();
    const dialog = page.getByRole("dialog", { name: "Request" });
    await expect(dialog.getByRole("region", { name: "Request body" })).toContainText("[masked: 9 characters]");
    await expect(dialog.getByRole("region", { name: "Response" })).toContainText("sender_not_approved");
    await expect(dialog).not.toContainText("4711");
    await expect(dialog).toContainText("From 127.0.0.1");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  await test.step("one that was deleted offers no retry", async () => {
    await page.goto("/requests?open=req_unknown");
    await expect(page.getByText("Request not found")).toBeVisible();
    await expect(page.getByRole("button", { name: "Try again" })).toHaveCount(0);
  });

  await test.step("the address that a key was used from is listed, and filters the requests by its beginning", async () => {
    await page.goto("/requests?address=127.0.");
    await expect(table.getByRole("row", { name: /201.*127\.0\.0\.1/ })).toHaveCount(1);
    await page.getByLabel("Address").fill("203.0.113.7");
    await expect(page).toHaveURL(/address=203\.0\.113\.7/);
    await expect(page.getByText("No requests match these filters")).toBeVisible();
    await page.getByRole("button", { name: "Show all requests" }).click();
    await expect(table.getByRole("row", { name: /127\.0\.0\.1/ })).toHaveCount(2);
  });

  await test.step("a request is found by its id", async () => {
    const answer = await fetch(`${service.url}/api/v1/balance`, {
      headers: { authorization: `Bearer ${account.apiKey}` },
    });
    const id = answer.headers.get("request-id") ?? "";
    await expect(async () => {
      await page.goto(`/requests?request=${id}`);
      await expect(table.getByRole("row", { name: /GET \/balance/ })).toHaveCount(1);
    }).toPass();
  });
});

test("a request appears in the open log by itself", async ({ console: page, api }) => {
  await page.goto("/requests");
  await expect(page.getByText("No requests yet")).toBeVisible();
  await api.get("/balance");
  await expect(page.getByRole("row", { name: /GET \/balance/ })).toBeVisible();
});
