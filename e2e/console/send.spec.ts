import type { Page } from "@playwright/test";
import { apiWith } from "../support/api";
import { violationsOf } from "../support/axe";
import { expect, test } from "../test";

const TO = "+14155550177";

/** Lets the service carry out the next send, but drops its response. */
const loseNextResponse = (page: Page) =>
  page.route(
    /messages\.send/,
    async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    },
    { times: 1 },
  );

const text = (page: Page) => page.getByRole("textbox", { name: "Text" });

async function compose(page: Page, body: string): Promise<void> {
  await page.goto("/send");
  await page.getByLabel("To").fill(TO);
  await text(page).fill(body);
}

const unconfirmed = (page: Page) => page.getByRole("alert").filter({ hasText: "could not confirm" });
const send = (page: Page) => page.getByRole("button", { name: "Send message" }).click();

test("a send whose response is lost is sent and billed once when the person sends it again, even from its draft", async ({
  console: page,
  service,
  account,
}) => {
  const api = apiWith(service, account.apiKey);
  const balance = async () => (await api.get<{ balance: number }>("/balance")).body.data.balance;
  const before = await balance();
  await compose(page, "Once, please");
  await loseNextResponse(page);
  await send(page);
  await expect(unconfirmed(page)).toContainText("only once");
  expect(await violationsOf(page)).toEqual([]);
  await page.reload();
  await expect(text(page)).toHaveValue("Once, please");
  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Senders" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Senders" })).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel("To")).toHaveValue(TO);
  await send(page);
  await page.waitForURL(/\/messages\/msg_/);
  const list = await api.get<{ id: string }[]>(`/messages?to=${encodeURIComponent(TO)}`);
  expect(list.body.data.map(({ id }) => id)).toEqual([page.url().split("/").at(-1)]);
  expect(before - (await balance())).toBeCloseTo(0.01, 6);
  await navigation.getByRole("link", { name: "Send a message" }).click();
  await expect(text(page)).toHaveValue("");
});

test("a send without a connection fails at once, and is not sent later when there is one again", async ({
  console: page,
  context,
  service,
  account,
}) => {
  const api = apiWith(service, account.apiKey);
  await compose(page, "Not yet");
  await context.setOffline(true);
  await send(page);
  await expect(unconfirmed(page)).toBeVisible();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Messages" }).click();
  await page.keyboard.press("Control+k");
  await expect(page.getByText("You are offline")).toBeVisible();
  await text(page).fill("Now, please");
  await context.setOffline(false);
  // The menu, which could not be loaded before, opens now.
  await expect(page.getByRole("combobox", { name: "Search" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByText("You are offline")).toBeHidden();
  const sends: string[] = [];
  page.on("request", (request) => request.url().includes("messages.send") && sends.push(request.url()));
  // A call of the page that arrives proves that the connection is back.
  await page.getByLabel("To").fill("+14155550179");
  await page.waitForResponse(/api\/trpc/);
  expect(sends).toEqual([]);
  await send(page);
  await page.waitForURL(/\/messages\/msg_/);
  const list = await api.get<{ body: string }[]>("/messages");
  expect(list.body.data.map(({ body }) => body)).toEqual(["Now, please"]);
});

test("after a lost response another text is another message, and the first text is still the same one", async ({
  console: page,
  service,
  account,
}) => {
  const api = apiWith(service, account.apiKey);
  await api.post("/suppressions", { number: "+14155550178" });
  await compose(page, "First");
  await page.getByLabel("To").fill("+14155550178");
  // A link in this tab would lose what was written.
  await expect(page.getByRole("link", { name: "View the suppression" })).toHaveAttribute("target", "_blank");
  await page.getByLabel("To").fill(TO);
  await loseNextResponse(page);
  await send(page);
  await expect(unconfirmed(page)).toBeVisible();
  await text(page).fill("Second");
  await loseNextResponse(page);
  await Promise.all([page.waitForEvent("requestfailed"), send(page)]);
  await expect(unconfirmed(page)).toBeVisible();
  await text(page).fill("First");
  await send(page);
  await page.waitForURL(/\/messages\/msg_/);
  const list = await api.get<{ body: string }[]>(`/messages?to=${encodeURIComponent(TO)}`);
  expect(list.body.data.map(({ body }) => body).sort()).toEqual(["First", "Second"]);
});
