import type { Page } from "@playwright/test";
import { status } from "@/test/network/receiver";
import { addApiKeys } from "../support/behind-the-api";
import { expect, test } from "../test";

/** Holds the next response of a procedure, so that its button is disabled meanwhile. @returns a function that lets it go. */
async function hold(page: Page, pattern: string): Promise<() => void> {
  let letGo = () => {};
  const wanted = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(
    pattern,
    async (route) => {
      const response = await route.fetch();
      await wanted;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  return letGo;
}

test("a button that is disabled while its work runs has the focus again afterwards", async ({
  console: page,
  api,
  receiver,
}) => {
  const { body: endpoint } = await api.post("/webhooks/create", { url: receiver.url });
  await test.step("a download", async () => {
    await page.goto("/messages");
    const letGo = await hold(page, "**/api/exports");
    const button = page.getByRole("button", { name: "Download CSV" });
    await button.press("Enter");
    await expect(button).toBeDisabled();
    letGo();
    await expect(button).toBeEnabled();
    await expect(button).toBeFocused();
  });

  await test.step("a test event, whose dialog returns the focus", async () => {
    await page.goto(`/webhooks/${endpoint.data.id}`);
    const letGo = await hold(page, "**/api/trpc/webhooks.test*");
    const button = page.getByRole("button", { name: "Send test event" });
    await button.press("Enter");
    await expect(button).toBeDisabled();
    letGo();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(button).toBeFocused();
  });
});

test("the page has the focus once a pressed button is gone", async ({ console: page, api, account, receiver }) => {
  receiver.respondWith(status(500));
  const { body: endpoint } = await api.post("/webhooks/create", { url: receiver.url, events: ["message.delivered"] });
  await api.post("/messages/send", { to: "+15550100001", from: account.sender, body: "Hi" });
  await page.goto(`/webhooks/${endpoint.data.id}`);
  await page.getByRole("checkbox", { name: /^Select message\.delivered/ }).press("Space");
  receiver.respondWith(status(200));
  await page.getByRole("button", { name: "Send again" }).press("Enter");
  await expect(page.getByText("1 event queued to be sent again")).toBeVisible();
  await expect(page.getByText("1 selected")).toBeHidden();
  await expect(page.locator("#content")).toBeFocused();
});

test("the button for the next page keeps the focus on the last page, where it does nothing", async ({
  console: page,
  account,
}) => {
  await addApiKeys(account, 30);
  await page.goto("/api-keys");
  const pages = page.getByRole("navigation", { name: "Pages" });
  const [next, previous] = [
    pages.getByRole("button", { name: "Next page" }),
    pages.getByRole("button", { name: "Previous page" }),
  ];
  for (const [button, shown] of [
    [next, "Page 2"],
    [previous, "Page 1"],
  ] as const) {
    await button.press("Enter");
    await expect(pages.getByRole("button", { name: shown })).toHaveAttribute("aria-current", "page");
    await expect(button).toBeDisabled();
    await expect(button).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(pages.getByRole("button", { name: shown })).toHaveAttribute("aria-current", "page");
  }
});
