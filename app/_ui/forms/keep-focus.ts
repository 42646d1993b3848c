/** The element that gets the focus back after an action: for a menu item, whose menu is closed by then, the menu's button. */
function originOf(element: Element | null): HTMLElement | null {
  const button = element?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const origin = button ? document.getElementById(button) : element;
  return origin instanceof HTMLElement && origin !== document.body ? origin : null;
}

let leave = (): void => undefined;

/**
 * Keeps an action from losing the focus: its button may be disabled while the action runs, and may disappear with its row.
 * Whenever nothing has the focus, the button gets it, or, once the button is gone, its dialog or the page content. This ends when
 * the person uses another element.
 */
function keepFocus(origin: HTMLElement | null): void {
  leave();
  const settle = () => {
    if (document.activeElement !== document.body) return;
    const dialog = Array.from(document.querySelectorAll<HTMLElement>("[role=dialog]")).at(-1);
    const place = origin?.isConnected ? origin : (dialog ?? document.getElementById("content"));
    place?.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(settle);
  // A dialog may ask for the password meanwhile.
  const onUse = ({ target }: Event) => {
    if (target instanceof Element && target !== origin && !target.closest("[role=dialog]")) leave();
  };
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  document.addEventListener("focusin", onUse);
  document.addEventListener("pointerdown", onUse);
  leave = () => {
    observer.disconnect();
    document.removeEventListener("focusin", onUse);
    document.removeEventListener("pointerdown", onUse);
  };
}

/** Call it before a question is asked. @returns a function to call once it is answered, which keeps the focus. */
export function focusKeeper(): () => void {
  const origin = originOf(document.activeElement);
  return () => keepFocus(origin);
}

/**
 * The press of a button may start work that disables it. A confirmed action or a form that begins with it decides on the focus
 * itself, afterwards; a dialog that a button of its own closes returns the focus itself.
 */
function onClick({ target }: MouseEvent): void {
  const button = target instanceof Element ? target.closest("button") : null;
  if (button && button === document.activeElement && !button.closest("[role=dialog]")) focusKeeper()();
}

/** Keeps the focus at the buttons of the page that are pressed. @returns a function that ends this. */
export function watchButtons(): () => void {
  document.addEventListener("click", onClick, { capture: true });
  return () => document.removeEventListener("click", onClick, { capture: true });
}
