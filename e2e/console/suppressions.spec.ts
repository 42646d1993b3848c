import { apiWith } from "../support/api";
import { expect, test } from "../test";

const FIRST = "+14155550123";
const SECOND = "+442071838750";

test("numbers are suppressed, searched and removed again", async ({ console: page, service, account }) => {
  const api = apiWith(service, account.apiKey);
  const table = page.getByRole("table", { name: "Suppressions" });
  const statusOf = async (to: string) => {
    const { body } = await api.post("/messages/send", { to, from: account.sender, body: "Hello" });
    return body.data.status;
  };

  const add = async (number: string) => {
    await page.getByRole("button", { name: "Suppress a number" }).first().click();
    await page.getByLabel("Phone number").fill(number);
  };

  await test.step("an empty list explains itself and offers to suppress a number", async () => {
    await page.goto("/");
    await page.getByRole("link", { name: "Suppressions", exact: true }).click();
    await expect(page).toHaveURL(/\/suppressions$/);
    await expect(page.getByText("No suppressed numbers")).toBeVisible();
  });

  await test.step("an invalid number is reported at its field", async () => {
    await add("0123");
    await page.getByRole("button", { name: "Suppress", exact: true }).click();
    await expect(page.getByText(/must be a phone number in E\.164 form/i)).toBeVisible();
    await page.getByRole("button", { name: "Cancel" }).click();
  });

  await test.step("add one for all senders, and one for one sender with a note", async () => {
    await add("+1 (415) 555-0123");
    await page.getByRole("button", { name: "Suppress", exact: true }).click();
    await expect(table.getByRole("row", { name: new RegExp(`\\${FIRST}.*All senders.*Added manually`) })).toBeVisible();
    await add(SECOND);
    await page.getByRole("combobox", { name: "From" }).selectOption(account.sender);
    await page.getByLabel("Note").fill("Asked by mail");
    await page.getByRole("button", { name: "Suppress", exact: true }).click();
    await expect(
      table.getByRole("row", { name: new RegExp(`\\${SECOND}.*Asked by mail.*${account.sender}`) }),
    ).toBeVisible();
    expect([await statusOf(FIRST), await statusOf(SECOND)]).toEqual(["failed", "failed"]);
  });

  await test.step("a number that is added elsewhere appears", async () => {
    await api.post("/suppressions", { number: "+14155550124" });
    await expect(table.getByText("+14155550124")).toBeVisible();
  });

  await test.step("search by number, also for one that is not suppressed", async () => {
    const search = page.getByRole("searchbox", { name: "Number" });
    await search.fill(FIRST);
    await expect(page).toHaveURL(/number=%2B14155550123/);
    await expect(table.getByText(SECOND)).toBeHidden();
    await expect(table.getByText(FIRST)).toBeVisible();
    await search.fill("+15550100001");
    await expect(page.getByText("No suppression of +15550100001")).toBeVisible();
    await page.getByRole("button", { name: "Show all suppressions" }).click();
    await expect(table.getByText(SECOND)).toBeVisible();
    await expect(search).toHaveValue("");
  });

  await test.step("remove one after confirming", async () => {
    const remove = page.getByRole("button", { name: `Remove ${FIRST} from all senders` });
    await remove.click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(table.getByText(FIRST)).toBeVisible();
    await remove.click();
    await page.getByRole("button", { name: "Remove suppression" }).click();
    await expect(table.getByText(FIRST)).toBeHidden();
    await expect(page.locator("#content")).toBeFocused();
    await expect(table.getByText(SECOND)).toBeVisible();
    expect([await statusOf(FIRST), await statusOf(SECOND)]).toEqual(["pending", "failed"]);
  });
});
