import { expect, test } from "../test";

test("the list of messages shows what is sent meanwhile, also when everything on it is final", async ({
  console: page,
  api,
  account,
}) => {
  const sendTo = async (to: string) =>
    (await api.post("/messages/send", { from: account.sender, to, body: "Hi" })).status;
  await sendTo("+15550100003");
  await page.goto("/messages");
  const table = page.getByRole("table", { name: "Messages" });
  await expect(table.getByText("Failed")).toBeVisible();
  await sendTo("+15550100001");
  await expect(table.getByText("+15550100001")).toBeVisible();
});

test("a part of a number finds its messages", async ({ console: page, api, account }) => {
  for (const to of ["+14155550182", "+442071838750"]) {
    await api.post("/messages/send", { from: account.sender, to, body: "Hi" });
  }
  await page.goto("/messages");
  const table = page.getByRole("table", { name: "Messages" });
  await page.getByRole("searchbox", { name: "Recipient" }).fill("718387");
  await expect(table.getByText("+14155550182")).toBeHidden();
  await expect(table.getByText("+442071838750")).toBeVisible();
  await page.getByRole("searchbox", { name: "Recipient" }).fill("+1415");
  await expect(table.getByText("+14155550182")).toBeVisible();
  await expect(table.getByText("+442071838750")).toBeHidden();
});

test("a filter that does not exist and a page past the end are told of, with a way back", async ({
  console: page,
  api,
  account,
}) => {
  await api.post("/messages/send", { from: account.sender, to: "+14155550183", body: "Hi" });
  await page.goto("/messages?status=lost&created_from=yesterday");
  await expect(page.getByText("The list is not filtered by status=lost, created_from=yesterday.")).toBeVisible();
  await expect(page.getByRole("table", { name: "Messages" }).getByText("+14155550183")).toBeVisible();
  await page.getByRole("button", { name: "Remove the filters" }).click();
  await expect(page).toHaveURL("/messages");

  await page.goto("/messages?page=99");
  await expect(page.getByRole("heading", { name: "There is no page 99" })).toBeVisible();
  await page.getByRole("button", { name: "Back to the first page" }).click();
  await expect(page.getByRole("table", { name: "Messages" }).getByText("+14155550183")).toBeVisible();
});
