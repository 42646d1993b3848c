import { expect, type Locator } from "@playwright/test";

/**
 * Waits until a dialog has taken the focus, which it does a moment after it is seen: keys that are pressed before go elsewhere, and
 * a list of options that was opened before closes.
 */
export const takesFocus = (dialog: Locator): Promise<void> => expect(dialog.locator(":focus")).toHaveCount(1);
