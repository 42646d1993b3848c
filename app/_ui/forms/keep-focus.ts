/** The element that an action leads back to: for an item of a menu, which is closed by then, the button of the menu. */
function originOf(element: Element | null): HTMLElement | null {
  const button = element?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const origin = button ? document.getElementById(button) : element;
  return origin instanceof HTMLElement && origin !== document.body ? origin : null;
}

let leave = (): void => undefined;

/**
 * Keeps the focus from getting lost over an action that was confirmed: while it is carried out its button may be disabled, and
 * with its row the button may disappear. Whenever nothing has the focus, the button gets it, or the content of the page once
 * the button is gone; until the person goes elsewhere.
 */
function keepFocus(origin: HTMLElement | null): void {
  leave();
  const settle = () => {
    if (document.activeElement !== document.body) return;
    const place = origin?.isConnected ? origin : document.getElementById("content");
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

/** Call it before a question is asked. @returns what keeps the focus once it is answered. */
export function focusKeeper(): () => void {
  const origin = originOf(document.activeElement);
  return () => keepFocus(origin);
}
