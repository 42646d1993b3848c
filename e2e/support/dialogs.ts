import { expect, type Locator } from "@playwright/test";

/**
 * Waits until a dialog has taken the focus, a moment after it appears: keys pressed earlier go elsewhere, and a list of options
 * that was opened earlier closes.
 */
export const takesFocus = (dialog: Locator): Promise<void> => expect(dialog.locator(":focus")).toHaveCount(1);
