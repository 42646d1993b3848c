import type { Page } from "@playwright/test";
import { expect, test } from "../test";

/** Names of buttons in the content or in a dialog that lie under a toast, wholly or in part. */
const buttonsUnderToasts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const toasts = [...document.querySelectorAll(".toasts [role=alert]")].map((toast) => toast.getBoundingClientRect());
    const isUnder = ({ left, right, top, bottom, width }: DOMRect) =>
      width > 0 &&
      toasts.some((toast) => left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top);
    const within = document.querySelector("[role=dialog]") ?? document.querySelector("main");
    const buttons = [...(within?.querySelectorAll("button, a[href], input") ?? [])];
    return buttons
      .filter((button) => isUnder(button.getBoundingClientRect()))
      .map((button) => button.getAttribute("aria-label") ?? button.textContent ?? "");
  });

for (const { name, size } of [
  { name: "a wide window", size: { width: 1_280, height: 720 } },
  { name: "a phone", size: { width: 390, height: 844 } },
]) {
  test(`a toast covers neither the last row of a table nor the buttons of a dialog, on ${name}`, async ({
    console: page,
    api,
  }) => {
    for (let at = 0; at < 20; at += 1) {
      await api.post("/suppressions", { number: `+141555501${String(at).padStart(2, "0")}` });
    }
    await page.setViewportSize(size);
    await page.goto("/suppressions");
    const remove = page.getByRole("button", { name: /^Remove \+/ });
    await remove.last().click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove suppression" }).click();
    const toast = page.getByRole("alert").filter({ hasText: /^Suppression of .* removed$/ });
    // It stays while the pointer is at its cross.
    await toast.getByRole("button", { name: "Close" }).hover();
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(remove.last()).toBeInViewport({ ratio: 1 });
    expect(await buttonsUnderToasts(page)).toEqual([]);

    await page.evaluate(() => window.scrollTo(0, 0));
    await page.getByRole("button", { name: "Suppress a number" }).press("Enter");
    await expect(page.getByRole("dialog").getByLabel("Phone number")).toBeFocused();
    await expect(toast).toBeVisible();
    expect(await buttonsUnderToasts(page)).toEqual([]);
    await page.keyboard.press("Escape");

    // A control under it in the head of the page is pressed through it.
    await expect(toast).toBeVisible();
    const { x, y } = (await toast.boundingBox()) ?? { x: 0, y: 0 };
    const isPressed = await page.evaluate(
      ([left, top]) => document.elementFromPoint(left + 20, top + 10)?.closest(".toasts") === null,
      [x, y] as const,
    );
    expect(isPressed).toBe(true);
    await toast.getByRole("button", { name: "Close" }).click();
    await expect(toast).toBeHidden();
  });
}
