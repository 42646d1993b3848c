import type { Page } from "@playwright/test";
import { loseResponse } from "../support/interrupted-requests";
import { expect, test } from "../test";

/** A promise, and the function that resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const TABLE = [
  "name,phone",
  "Ann,+14155550101",
  "Bob,+14155550102",
  "Cy,no number",
  ",+14155550104",
  "Dee,+14155550101",
  "Eve,+14155550105",
].join("\n");

async function compose(page: Page, table: string, text: string): Promise<void> {
  await page.goto("/send/many");
  await page.getByLabel("Numbers or table").fill(table);
  await page.getByRole("textbox", { name: "Text", exact: true }).fill(text);
  await page.getByRole("button", { name: "Check every line" }).click();
}

test("a table is checked line by line, sent with a text for each, and its results can be downloaded", async ({
  console: page,
  api,
}) => {
  await api.post("/suppressions", { number: "+14155550105" });
  // The check of another list is still running when the table replaces it.
  const late = gate();
  await page.route(
    "**/api/trpc/messages.estimate*",
    async (route) => {
      const response = await route.fetch();
      await late.opened;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await compose(page, "+14155550107\n+14155550108\n+14155550109", "To others");
  await page.getByLabel("Numbers or table").fill(TABLE);
  await expect(page.getByText("6 lines read")).toBeVisible();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Hello {name}");
  const warning = page.getByRole("alert").filter({ hasText: "{name} is not a placeholder" });
  await warning.getByRole("button", { name: "Write {{name}}" }).click();
  await expect(warning).toBeHidden();
  await expect(page.getByRole("textbox", { name: "Text", exact: true })).toHaveValue("Hello {{name}}");
  await page.getByRole("button", { name: "Check every line" }).click();
  await expect(page.getByRole("region", { name: "Ready to send" })).toBeVisible();
  await Promise.all([page.waitForResponse(/messages\.estimate/), late.open()]);
  await expect(page.getByText("Hello Ann")).toBeVisible();
  const problems = page.getByRole("table", { name: "Lines with problems" });
  for (const text of ["Not a number", "No value for {{name}}", "The same number as in line 2", "suppressions"]) {
    await expect(problems).toContainText(text);
  }
  const check = page.getByRole("region", { name: "Ready to send" });
  await expect(check).toContainText("$0.02");
  await expect(check).toContainText("$99.98");
  await check.getByRole("button", { name: "Send 2 messages" }).click();
  await expect(page.getByRole("heading", { name: "Send complete" })).toBeVisible();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download results" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("send-results.csv");
  const { body } = await api.get<Array<{ to: string; body: string }>>("/messages");
  expect(body.data.map(({ to, body: text }) => [to, text]).sort()).toEqual([
    ["+14155550101", "Hello Ann"],
    ["+14155550102", "Hello Bob"],
  ]);
  await page.getByRole("button", { name: "Send to others" }).click();
  await expect(page.getByLabel("Numbers or table")).toHaveValue("");
  await expect(page.getByRole("region", { name: "Ready to send" })).toBeHidden();
});

test("a send continues while another page is open, stops on request, and a lost response and a reload send nothing twice", async ({
  console: page,
  api,
}) => {
  const numbers = Array.from({ length: 620 }, (_, at) => `+1415555${String(at + 1_000).padStart(4, "0")}`);
  await compose(page, numbers.join("\n"), "Once only");
  let lost = 0;
  const stopped = gate();
  // The service carries out the second batch, but its response never arrives.
  await page.route("**/api/trpc/messages.bulk*", async (route) => {
    const answer = await route.fetch();
    await stopped.opened;
    if ((route.request().postDataJSON() as { recipients: string[] }).recipients.length === 120 && lost === 0) {
      lost += 1;
      return route.abort();
    }
    return route.fulfill({ response: answer });
  });
  await page.getByRole("button", { name: "Send 620 messages" }).click();
  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Messages" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Messages" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Sending…" })).toBeVisible();
  await page.getByRole("button", { name: "Stop sending" }).click();
  stopped.open();
  await expect(page.getByRole("heading", { name: "This send is not complete" })).toBeVisible();
  await expect(page.getByText("500 of 620 confirmed")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("The last batch was not confirmed")).toBeVisible();
  await expect(page.getByText("500 of 620 confirmed")).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { name: "Send complete" })).toBeVisible();
  expect(lost).toBe(1);
  const { body } = await api.get("/messages?limit=1");
  expect(body.pagination).toMatchObject({ total: 620 });
});

test("recipients who may have received it are not offered again once the rest of a send is discarded", async ({
  console: page,
}) => {
  await compose(page, "+14155551001\n+14155551002", "Once only");
  await loseResponse(page, "messages.bulk");
  await page.getByRole("button", { name: "Send 2 messages" }).click();
  await expect(page.getByText("The last batch was not confirmed")).toBeVisible();
  await page.getByRole("button", { name: "Discard the rest" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard the rest" }).click();
  await expect(page.getByLabel("Numbers or table")).toHaveValue("");
});

test("a send that the balance does not cover is refused, and stays until it is discarded", async ({
  console: page,
}) => {
  const numbers = Array.from({ length: 1_000 }, (_, at) => `+1415555${at + 1_000}`);
  await compose(page, numbers.join("\n"), "W".repeat(1_600));
  await expect(page.getByText("Your balance does not cover this")).toBeVisible();
  await expect(page.getByRole("button", { name: "Send 1,000 messages" })).toBeDisabled();
  await page.reload();
  await expect(page.getByText("1,000 lines read")).toBeVisible();
  await page.getByRole("button", { name: "Discard draft" }).click();
  await expect(page.getByText("0 lines read")).toBeVisible();
  await expect(page.getByLabel("Numbers or table")).toBeFocused();
  await page.reload();
  await expect(page.getByLabel("Numbers or table")).toHaveValue("");

  await test.step("a column that was chosen stays while the table is edited, and a file can be read again", async () => {
    const table = page.getByLabel("Numbers or table");
    const lines = ["name,phone,mobile", "Ann,+14155550101,+14155550111", "Bob,+14155550102,+14155550112"];
    await table.fill(lines.slice(0, 2).join("\n"));
    await page.getByLabel("Column of the numbers").selectOption("mobile");
    await table.fill(lines.join("\n"));
    await expect(page.getByText("2 lines read")).toBeVisible();
    await expect(page.getByLabel("Column of the numbers")).toHaveValue("2");
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Upload a CSV file" }).click(),
    ]);
    await chooser.setFiles({ name: "numbers.csv", mimeType: "text/csv", buffer: Buffer.from("+14155550121") });
    await expect(page.getByText("1 line read")).toBeVisible();
    // Otherwise the browser would not report that the same file is chosen.
    await expect(page.locator("input[type=file]")).toHaveValue("");
  });
});
