import type { Page } from "@playwright/test";
import { expect, test } from "../test";

const HOUR_MS = 3_600_000;

/** Shifts the browser's clock by this much, for the pages that are opened from now on. */
const setClockOff = (page: Page, byMs: number) =>
  page.addInitScript((shiftMs) => {
    const now = Date.now.bind(Date);
    const origin = performance.timeOrigin;
    Object.defineProperty(performance, "timeOrigin", { get: () => origin + shiftMs });
    globalThis.Date = new Proxy(Date, {
      construct: (real, given) => Reflect.construct(real, given.length === 0 ? [now() + shiftMs] : given),
      get: (real, name) => (name === "now" ? () => now() + shiftMs : Reflect.get(real, name)),
    });
  }, byMs);

for (const [name, offMs] of [
  ["ahead", 3 * HOUR_MS],
  ["behind", -3 * HOUR_MS],
] as const) {
  test(`states and times are those of the server's clock when the browser's is hours ${name}`, async ({
    console: page,
    api,
    account,
  }) => {
    await setClockOff(page, offMs);
    const soon = new Date(Date.now() + 2 * HOUR_MS).toISOString();
    const { body: key } = await api.post("/api-keys/create", { name: "Gone", expires_at: soon });
    await api.delete(`/api-keys/${key.data.id}`);
    const { body: message } = await api.post("/messages/send", {
      from: account.sender,
      to: "+15550100001",
      body: "Later",
      send_at: soon,
    });

    await page.goto("/messages");
    const row = page.getByRole("row").filter({ hasText: "Later" });
    await expect(row.getByText("Scheduled")).toBeVisible();
    await expect(row.getByText("just now").filter({ visible: true })).toBeVisible();

    await page.goto(`/messages/${message.data.id}`);
    await expect(page.getByTestId("message-status")).toHaveText("Scheduled");
    await expect(page.getByText("in 2 hours").first()).toBeVisible();

    await page.goto("/api-keys");
    await expect(page.getByRole("row").filter({ hasText: "Gone" }).getByText("Revoked")).toBeVisible();
  });
}
