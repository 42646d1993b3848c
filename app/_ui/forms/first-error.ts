import { focusKeeper } from "./keep-focus";

/** The form that was submitted last. */
let submitted: HTMLFormElement | null = null;

/** Focuses the first wrong field of the form that was submitted last, because it may be out of sight. */
export function focusFirstError(): void {
  submitted?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

function onSubmit({ target, submitter }: SubmitEvent): void {
  if (!(target instanceof HTMLFormElement)) return;
  // It is disabled until there is a response, and browsers take the focus from what is disabled.
  if (submitter && submitter === document.activeElement) focusKeeper()();
  submitted = target;
  // The form marks its wrong fields during submit; the marks are rendered by the second frame.
  requestAnimationFrame(() => requestAnimationFrame(focusFirstError));
}

/** Watches the forms of the page, whose own checks mark fields during submit, and keeps the focus at their buttons. @returns a function that ends the watch. */
export function watchForms(): () => void {
  document.addEventListener("submit", onSubmit);
  return () => document.removeEventListener("submit", onSubmit);
}
