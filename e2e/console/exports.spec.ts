import { readFile } from "node:fs/promises";
import { expect, test } from "../test";

test("messages and suppressions are downloaded as they are filtered", async ({ console: page, api, account }) => {
  for (const to of ["+15550100001", "+15550100001", "+15550100003"]) {
    await api.post("/messages/send", { to, from: account.sender, body: '=1+1, said "he"' });
  }
  await api.post("/suppressions", { number: "+14155550123", note: "Asked by mail" });
  const save = async (): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^(messages|suppressions)-\d{4}-\d\d-\d\d\.csv$/);
    return readFile(await download.path(), "utf8");
  };

  await test.step("with a filter only what it shows", async () => {
    await page.goto("/messages?to=0100001");
    const lines = (await save()).trimEnd().split("\r\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^id,created_at,to,from,body,/);
    expect(lines[1]).toContain(`,+15550100001,${account.sender},"'=1+1, said ""he""",`);
    await expect(page.getByText("Download complete")).toBeVisible();
  });

  await test.step("a rarer filter works too", async () => {
    await page.goto(`/messages?from=${account.sender}&provider=twilio`);
    expect((await save()).trimEnd().split("\r\n")).toHaveLength(1);
  });

  await test.step("without one everything", async () => {
    await page.goto("/messages");
    expect((await save()).trimEnd().split("\r\n")).toHaveLength(4);
  });

  await test.step("suppressions", async () => {
    await page.goto("/suppressions");
    expect(await save()).toContain("+14155550123,,manual,Asked by mail,");
  });
});

test("only a signed-in person can download a list, and only from our own pages", async ({ console: page, service }) => {
  const ask = (headers: Record<string, string>, data: unknown = { list: "messages" }) =>
    page.request.post(`${service.url}/api/exports`, {
      headers: { "content-type": "application/json", ...headers },
      data,
    });
  expect((await ask({})).status()).toBe(200);
  expect((await ask({ cookie: "" })).status()).toBe(401);
  expect((await ask({ origin: "https://evil.example", "sec-fetch-site": "cross-site" })).status()).toBe(403);
  expect((await ask({}, { list: "accounts" })).status()).toBe(400);
  expect((await page.request.get(`${service.url}/api/exports`)).status()).toBe(404);
});

test("an unreachable service and a download that breaks off are reported differently", async ({
  console: page,
  api,
}) => {
  await api.post("/suppressions", { number: "+14155550123" });
  await page.goto("/suppressions");
  const download = page.getByRole("button", { name: "Download CSV" });
  const toast = (text: string) => page.getByRole("alert").filter({ hasText: text });
  await page.route("**/api/exports", (route) => route.abort(), { times: 1 });
  await download.click();
  await expect(toast("The service could not be reached")).toContainText("The list was not downloaded");
  await page.route("**/api/exports", (route) => route.fulfill({ status: 502, body: "<html>Bad gateway</html>" }), {
    times: 1,
  });
  await download.click();
  await expect(toast("The service is not available at the moment")).toBeVisible();
  await page.evaluate(() => {
    const own = window.fetch;
    const start = (controller: ReadableStreamDefaultController) => controller.error(new TypeError("network error"));
    window.fetch = async (to, init) =>
      String(to).endsWith("/api/exports") ? new Response(new ReadableStream({ start })) : own(to, init);
  });
  await download.click();
  await expect(toast("connection was lost before the last row")).toBeVisible();
});
