import { readFile } from "node:fs/promises";
import { apiWith } from "../support/api";
import { takesFocus } from "../support/dialogs";
import { expect, test } from "../test";

const FILE = [
  "name,phone,from",
  "Ann,+1 (415) 555-0101,",
  "Bob,0044 20 7183 8750,SENDER",
  "Cy,unknown,",
  "Dee,+14155550101,",
  "Eve,+14155550103,",
  "Flo,+14155550104,OTHER",
].join("\r\n");

test("a file of opted-out numbers is checked line by line and imported, and its refused lines can be downloaded", async ({
  console: page,
  api,
  service,
  account,
}) => {
  await api.post("/suppressions", { number: "+14155550103", note: "by mail" });
  await page.goto("/suppressions");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Import numbers" });
  await takesFocus(dialog);
  const upload = async (name: string, text: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      dialog.getByRole("button", { name: "Upload a CSV file" }).click(),
    ]);
    await chooser.setFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  };

  await test.step("its columns are guessed, and every line is accounted for", async () => {
    await upload("opted-out.csv", FILE.replace("SENDER", account.sender));
    await expect(dialog.getByText("opted-out.csv")).toBeVisible();
    await expect(dialog.getByLabel("Column of the numbers")).toHaveValue("1");
    await expect(dialog.getByLabel("Column of the sender IDs")).toHaveValue("2");
    await expect(dialog.getByRole("status", { name: "Check of the list" })).toHaveText(
      "Read6To import3Duplicates1Refused2",
    );
    const problems = dialog.getByRole("table", { name: "Lines with problems" });
    await expect(problems.getByRole("row", { name: /^4 unknown Not a number/ })).toBeVisible();
    await expect(problems.getByRole("row", { name: /^7 \+14155550104 “OTHER” is not one/ })).toBeVisible();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download refused lines" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("refused-lines.csv");
    expect((await readFile(await file.path(), "utf8")).split("\r\n").slice(0, 2)).toEqual([
      "line,number,problem",
      '4,unknown,"Not a number in international form, such as +14155550123"',
    ]);
  });

  await test.step("Escape asks before it drops the list", async () => {
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: "Discard what you have entered?" });
    await takesFocus(question);
    await page.keyboard.press("Escape");
    await expect(question).toBeHidden();
    await expect(dialog.getByText("opted-out.csv")).toBeVisible();
  });

  await test.step("new numbers are added, known ones stay as they are", async () => {
    await dialog.getByLabel("Note").fill("From the old system");
    await page.keyboard.press("Enter");
    await expect(dialog.getByRole("heading", { name: "Import complete" })).toBeFocused();
    await expect(dialog.getByRole("status")).toHaveText("3 of 3 confirmed.Added2Suppressed already1");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    const table = page.getByRole("table", { name: "Suppressions" });
    await expect(table.getByRole("row", { name: /\+14155550101.*From the old system.*All senders/ })).toBeVisible();
    await expect(table.getByRole("row", { name: new RegExp(`\\+442071838750.*${account.sender}`) })).toBeVisible();
    await expect(table.getByRole("row", { name: /\+14155550103.*by mail/ })).toBeVisible();
    await expect(table.getByRole("row")).toHaveCount(4);
    const sent = { to: "+14155550101", from: account.sender, body: "Hello" };
    const { body } = await apiWith(service, account.apiKey).post("/messages/send", sent);
    expect(body.data).toMatchObject({ status: "failed", error: { code: "blocklisted" } });
  });

  await test.step("a long list is sent in parts, and a part whose response is lost is repeated without harm", async () => {
    const numbers = Array.from({ length: 10_050 }, (_, at) => `+1415${String(7_000_000 + at)}`);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await takesFocus(dialog);
    // A choice of columns stays while a table is edited, and ends with that table.
    await dialog.getByLabel("Numbers or table").fill("from,phone\nOTHER,+14155550105");
    await dialog.getByLabel("Column of the sender IDs").selectOption("None");
    await dialog.getByLabel("Numbers or table").fill("from,phone\nOTHER,+14155550105\nOTHER,+14155550106");
    await expect(dialog.getByRole("button", { name: "Import 2 numbers" })).toBeVisible();
    await expect(dialog.getByLabel("Column of the sender IDs")).toHaveValue("");
    await upload("long.txt", numbers.join("\n"));
    let calls = 0;
    // The service carries out the second part, but its response never arrives.
    await page.route("**/api/trpc/suppressions.import*", async (route) => {
      calls += 1;
      const answer = await route.fetch();
      return calls === 2 ? route.abort() : route.fulfill({ response: answer });
    });
    await dialog.getByRole("button", { name: "Import 10,050 numbers" }).click();
    await expect(dialog.getByText("The last part was not confirmed")).toBeVisible();
    await expect(dialog.getByText("10,000 of 10,050 confirmed.")).toBeVisible();
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(dialog.getByRole("heading", { name: "Import complete" })).toBeVisible();
    await expect(dialog.getByRole("status")).toHaveText(/Added10,000Suppressed already50$/);
    await dialog.getByRole("button", { name: "Done" }).click();
    const { body: list } = await api.get("/suppressions?limit=1");
    expect(list.pagination).toMatchObject({ total: 10_053 });
  });
});

test("on a phone the headings of refused lines stay whole words", async ({ console: page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/suppressions");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Numbers or table").fill("+14155550105\nnobody");
  const heading = dialog.getByRole("columnheader", { name: "Line" });
  await expect(heading).toBeVisible();
  const lines = await heading.evaluate((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
  });
  expect(lines).toBe(1);
});
