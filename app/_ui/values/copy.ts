import { valuesTexts as texts } from "@/app/_texts/ui/values";
import { toastProblem } from "../toast";

/** The nearest element before the button that shows exactly the value; null: none does. */
function shownBefore(button: Element, value: string): Element | null {
  for (let at: Element | null = button; at; at = at.parentElement) {
    if (at.previousElementSibling?.textContent === value) return at.previousElementSibling;
  }
  return null;
}

/**
 * Copies a value. Browsers allow the clipboard in secure contexts only, but consoles are also served over plain HTTP: there the
 * value shown before the button is selected, and a toast says that it was not copied.
 * @returns whether it was copied.
 */
export async function copy(value: string, button?: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    const shown = button && shownBefore(button, value);
    if (shown) window.getSelection()?.selectAllChildren(shown);
    toastProblem(texts.notCopied, shown ? texts.onlyHttpsButSelected : texts.onlyHttps);
    return false;
  }
}
