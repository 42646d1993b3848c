import type { Page } from "@playwright/test";
import { expect, test } from "../test";

test("the list of messages shows newly sent ones, even when everything on it is final", async ({
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
  await expect(table.getByText("The number does not exist.").filter({ visible: true })).toHaveCount(1);
  await sendTo("+15550100001");
  await expect(table.getByText("+15550100001")).toBeVisible();
});

test("a part of a number finds its messages", async ({ console: page, api, account }) => {
  const ids: string[] = [];
  for (const to of ["+14155550182", "+442071838750"]) {
    const { body } = await api.post("/messages/send", { from: account.sender, to, body: "Hello" });
    ids.push(String(body.data.id));
  }
  await page.goto("/messages");
  const table = page.getByRole("table", { name: "Messages" });
  await page.getByRole("searchbox", { name: "Recipient" }).fill("718387");
  await expect(table.getByText("+14155550182")).toBeHidden();
  await expect(table.getByText("+442071838750")).toBeVisible();
  await page.getByRole("searchbox", { name: "Recipient" }).fill("+1415");
  await expect(table.getByText("+14155550182")).toBeVisible();
  await expect(table.getByText("+442071838750")).toBeHidden();

  await test.step("the link back to all messages keeps the filter", async () => {
    await page.getByRole("searchbox", { name: "Recipient" }).fill("718387");
    await expect(table.getByText("+14155550182")).toBeHidden();
    await table.getByText("Hello").filter({ visible: true }).click();
    await page.waitForURL(`/messages/${ids[1]}`);
    await page.getByRole("link", { name: "All messages", exact: true }).click();
    await page.waitForURL("/messages?to=718387");
    await expect(page.getByRole("searchbox", { name: "Recipient" })).toHaveValue("718387");
    await expect(table.getByText("+442071838750")).toBeVisible();
    await expect(table.getByText("+14155550182")).toBeHidden();
  });

  await test.step("a click opens a row, but selecting its text or a click for another tab does not", async () => {
    await page.getByRole("searchbox", { name: "Recipient" }).fill("");
    const bodies = table.getByText("Hello").filter({ visible: true });
    const [later, earlier] = [bodies.first(), bodies.last()];
    await expect(bodies).toHaveCount(2);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const box = await later.boundingBox();
    if (!box) throw new Error("The text is not in sight.");
    const middle = box.y + box.height / 2;
    await page.mouse.move(box.x + 1, middle);
    await page.mouse.down();
    await page.mouse.move(box.x + 30, middle, { steps: 5 });
    await page.mouse.up();
    expect(await page.evaluate(() => getSelection()?.toString())).not.toBe("");
    await later.click({ modifiers: ["ControlOrMeta"] });
    await earlier.click();
    await page.waitForURL(`/messages/${ids[0]}`);
    expect(asked).not.toContain(`/messages/${ids[1]}`);
  });
});

test("a narrow window shows the texts of messages too", async ({ console: page, api, account }) => {
  await api.post("/messages/send", { from: account.sender, to: "+15550100001", body: "Your parcel arrives today" });
  await page.setViewportSize({ width: 390, height: 740 });
  await page.goto("/messages");
  await expect(page.getByText("Your parcel arrives today").filter({ visible: true })).toBeVisible();
});

test("a filter typed just before a click on a link does not cancel that navigation, and is there after going back", async ({
  console: page,
}) => {
  for (const { path, field } of [
    { path: "/messages", field: "Recipient" },
    { path: "/requests", field: "Path" },
  ]) {
    await page.goto(path);
    await page.getByRole("searchbox", { name: field }).fill("718387");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Webhooks" }).click();
    await expect(page).toHaveURL("/webhooks");
    await page.goBack();
    await expect(page).toHaveURL(new RegExp(`${path}\\?.*718387`));
    await expect(page.getByRole("searchbox", { name: field })).toHaveValue("718387");
  }
});

test("a link to the list itself clears the filters, even one that was applied while the link was clicked", async ({
  console: page,
}) => {
  await page.goto("/messages");
  await page.getByRole("button", { name: "More filters" }).click();
  // Slow enough that the navigation is rendered before the address with the filter.
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 6 });
  const self = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Messages" });
  const status = page.getByRole("combobox", { name: "Status" });
  for (const name of ["Recipient", "Reference"]) {
    const field = page.getByRole("searchbox", { name });
    await field.fill("718387");
    await self.click();
    await expect(field).toHaveValue("");
    await expect(page).toHaveURL("/messages");
    await status.selectOption({ index: 1 });
    await expect(page).toHaveURL(/\?status=[^&]+$/);
    await self.click();
    await expect(page).toHaveURL("/messages");
  }
});

test("messages are found by sender, key, provider and reference, which are in the address", async ({
  console: page,
  api,
  account,
}) => {
  await api.post("/messages/send", { from: account.sender, to: "+14155550185", body: "Hi", reference: "order-1" });
  await api.post("/messages/send", { from: account.sender, to: "+14155550186", body: "Hi", reference: "order-2" });
  const table = page.getByRole("table", { name: "Messages" });
  const [first, second] = [table.getByText("+14155550185"), table.getByText("+14155550186")];
  await page.goto("/messages");
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByRole("searchbox", { name: "Reference" }).fill("order-1");
  await expect(second).toBeHidden();
  await expect(first).toBeVisible();
  await page.getByRole("combobox", { name: "Sender" }).selectOption(account.sender);
  await page.getByRole("combobox", { name: "API key" }).selectOption({ index: 1 });
  await page.getByRole("combobox", { name: "Provider" }).selectOption("Sandbox");
  await expect(page).toHaveURL(/reference=order-1&from=[^&]+&key=key_[^&]+&provider=sandbox$/);
  await page.reload();
  await expect(first).toBeVisible();
  await expect(second).toBeHidden();

  await page.getByRole("combobox", { name: "Provider" }).selectOption("Twilio");
  await expect(page.getByRole("heading", { name: "No messages match these filters" })).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page).toHaveURL("/messages");
  await expect(second).toBeVisible();
  await expect(page.getByRole("searchbox", { name: "Reference" })).toHaveValue("");

  await page.goto("/messages?provider=pigeon&key=mine");
  await expect(page.getByText("The list is not filtered by key=mine, provider=pigeon.")).toBeVisible();
});

test("a filter that does not exist and a page past the end are shown as such, with a way back", async ({
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

  for (const address of [
    "/messages?created_from=2026-02-31",
    "/usage?created_to=2026-02-31",
    "/inbound?created_from=1950-01-01",
  ]) {
    await page.goto(address);
    await expect(page.getByText(`The list is not filtered by ${address.split("?")[1]}.`)).toBeVisible();
  }
  for (const address of ["/usage?period=decade", "/suppressions?number=1415", "/settings/audit?action=dance"]) {
    await page.goto(address);
    await page.getByRole("button", { name: "Remove the filter" }).click();
    await expect(page).toHaveURL(address.split("?")[0] ?? "");
  }

  await page.goto("/messages?page=99999999999");
  await expect(page.getByRole("heading", { name: "There is no page 1,000,000" })).toBeVisible();
  await page.goto("/messages?page=99");
  await expect(page.getByRole("heading", { name: "There is no page 99" })).toBeVisible();
  await page.getByRole("button", { name: "Back to the first page" }).click();
  await expect(page.getByRole("table", { name: "Messages" }).getByText("+14155550183")).toBeVisible();
});

test("a list arrives with its rows, before any script has run, and compact tables stay compact", async ({
  console: page,
  api,
  account,
  browser,
  baseURL,
}) => {
  await api.post("/messages/send", { from: account.sender, to: "+14155550184", body: "Hi" });
  const row = (of: Page) => of.getByRole("table", { name: "Messages" }).getByRole("row").nth(1);

  await test.step("without scripts", async () => {
    const storageState = await page.context().storageState();
    const plain = await browser.newContext({ javaScriptEnabled: false, baseURL, storageState });
    const still = await plain.newPage();
    // A busy server sends the page without its data.
    await expect(async () => {
      await still.goto("/messages");
      await expect(row(still)).toContainText("+14155550184", { timeout: 1_000 });
    }).toPass();
    await plain.close();
  });

  await test.step("compact, also after a reload", async () => {
    await page.goto("/messages");
    const heightOf = async () => (await row(page).boundingBox())?.height ?? 0;
    await expect(row(page)).toBeVisible();
    const comfortable = await heightOf();
    await page.getByRole("button", { name: "Theme" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Compact tables" }).click();
    await expect.poll(heightOf).toBeLessThan(comfortable);
    await page.reload();
    await expect(row(page)).toBeVisible();
    expect(await heightOf()).toBeLessThan(comfortable);
  });
});

test("times in lists are shown as date and clock time on request, even before any script has run", async ({
  console: page,
  api,
  account,
}) => {
  await api.post("/messages/send", { from: account.sender, to: "+14155550185", body: "Hi" });
  const time = page.getByRole("table", { name: "Messages" }).getByRole("time").filter({ visible: true });
  const exact = /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2}:\d{2}\s[AP]M$/;
  await page.goto("/messages");
  await expect(time).toHaveText("just now");
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Exact times" }).click();
  await expect(time).toHaveText(exact);
  await expect(async () => {
    const html = await (await page.request.get("/messages")).text();
    expect(html).toMatch(/<time [^>]*>[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:/);
  }).toPass();
  await page.reload();
  await expect(time).toHaveText(exact);
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Exact times" }).click();
  await expect(time).not.toHaveText(exact);
});

test("filters that are chosen faster than the page renders are not lost", async ({ console: page }) => {
  await page.goto("/messages");
  await page.getByRole("button", { name: "More filters" }).click();
  const names = ["Sender", "API key", "Provider"];
  const filters = names.map((name) => page.getByRole("combobox", { name, exact: true }));
  for (const filter of filters) await expect(filter.locator("option").nth(1)).toBeAttached();
  const selects = await Promise.all(filters.map((filter) => filter.elementHandle()));
  // Slow enough that the second filter is chosen while the address with the first is rendered.
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 6 });
  await page.evaluate(async (elements) => {
    const [chooseSender, chooseKey, chooseProvider] = elements.map((select) => () => {
      if (!(select instanceof HTMLSelectElement)) return;
      select.selectedIndex = 1;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    });
    chooseSender?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
    chooseKey?.();
    // Next writes each address once it has rendered it: the one with only the sender comes first.
    const { search } = location;
    const until = performance.now() + 1_000;
    while (location.search === search && performance.now() < until) await new Promise((resolve) => setTimeout(resolve));
    chooseProvider?.();
  }, selects);
  await expect(page).toHaveURL(/\?from=[^&]+&key=key_[^&]+&provider=[^&]+$/);
});

test("a list is printed without the frame around it", async ({ console: page }) => {
  await page.goto("/messages");
  const frame = [page.getByRole("banner"), page.getByRole("navigation").first()];
  for (const part of frame) await expect(part).toBeVisible();
  await page.emulateMedia({ media: "print" });
  for (const part of frame) await expect(part).toBeHidden();
  await expect(page.getByRole("heading", { name: "Messages", level: 1 })).toBeVisible();
});
