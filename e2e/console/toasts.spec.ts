import type { Page } from "@playwright/test";
import { expect, test } from "../test";

/** Names of buttons in the content or in a dialog that a toast covers, wholly or in part. */
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
    // The toast stays while the pointer is on its cross.
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

    // A click reaches a control under the toast.
    await expect(toast).toBeVisible();
    const { x, y } = (await toast.boundingBox()) ?? { x: 0, y: 0 };
    await page.evaluate(
      ([left, top]) => {
        const covered = document.body.appendChild(document.createElement("button"));
        covered.style.cssText = `position: fixed; left: ${left}px; top: ${top}px; width: 40px; height: 40px; z-index: 300`;
        covered.onclick = () => covered.remove();
        covered.id = "covered";
      },
      [x, y] as const,
    );
    await page.mouse.click(x + 20, y + 20);
    await expect(page.locator("#covered")).toHaveCount(0);
    await toast.getByRole("button", { name: "Close" }).click();
    await expect(toast).toBeHidden();
  });
}

test("a toast stays while the pointer rests on it or its cross has the focus, and its text can be selected", async ({
  console: page,
  api,
}) => {
  await api.post("/suppressions", { number: "+14155550123" });
  await page.clock.install();
  await page.goto("/suppressions");
  await page.getByRole("button", { name: /^Remove \+/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove suppression" }).click();
  const toast = page.getByRole("alert").filter({ hasText: /^Suppression of .* removed$/ });
  const text = toast.getByText(/^Suppression of/);
  const { x, y, width, height } = (await text.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await test.step("the pointer", async () => {
    await page.mouse.move(x + 10, y + height / 2);
    await page.mouse.move(x + 12, y + height / 2);
    await page.clock.runFor(60_000);
    await expect(toast).toBeVisible();
    await page.mouse.move(x + 1, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 1, y + height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.evaluate(() => getSelection()?.toString())).toContain("of +14155550123");
  });

  await test.step("the focus", async () => {
    await toast.getByRole("button", { name: "Close" }).focus();
    await page.mouse.move(x, y + 400);
    await page.clock.runFor(60_000);
    await expect(toast).toBeVisible();
    await toast.getByRole("button", { name: "Close" }).blur();
    await page.clock.runFor(60_000);
    await expect(toast).toBeHidden();
  });
});
