/** Controls, which a person may want to press through a toast. */
const CONTROL =
  "a[href], button, input, select, textarea, label, summary, [role=button], [role=switch], [tabindex='0']";

const toastsOf = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(".toasts")];

const isWithin = ({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

/** Whether a toast lies at this point of the window, with no control below it. */
function isFreeToast(toasts: readonly HTMLElement[], x: number, y: number): boolean {
  const isToast = toasts.some((each) =>
    [...each.querySelectorAll("[role=alert]")].some((toast) => isWithin(toast.getBoundingClientRect(), x, y)),
  );
  if (!isToast) return false;
  const below = document.elementsFromPoint(x, y).find((element) => !element.closest(".toasts"));
  return !below?.closest(CONTROL);
}

/**
 * Lets a toast receive the pointer where it covers no control: it stays while the pointer rests on it, and its text can be
 * selected. Everywhere else the pointer passes through it.
 * @returns a function that ends this.
 */
export function watchToasts(): () => void {
  let last: { clientX: number; clientY: number } | null = null;
  const decide = () => {
    const toasts = toastsOf();
    const isHeld = last !== null && isFreeToast(toasts, last.clientX, last.clientY);
    for (const each of toasts) each.toggleAttribute("data-held", isHeld);
  };
  const onPointer = (event: PointerEvent) => {
    // A selection may continue beyond the toast. A finger touches without a move before it.
    if (event.type === "pointermove" && event.buttons !== 0) return;
    last = event;
    decide();
  };
  document.addEventListener("pointermove", onPointer, { passive: true });
  document.addEventListener("pointerdown", onPointer, { passive: true, capture: true });
  document.addEventListener("scroll", decide, { passive: true, capture: true });
  return () => {
    document.removeEventListener("pointermove", onPointer);
    document.removeEventListener("pointerdown", onPointer, { capture: true });
    document.removeEventListener("scroll", decide, { capture: true });
  };
}
