/** The form that was submitted last. */
let submitted: HTMLFormElement | null = null;

/** Focuses the first field of the form that was submitted last that is marked as wrong: it may be out of sight. */
export function focusFirstError(): void {
  submitted?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

function onSubmit({ target }: SubmitEvent): void {
  if (!(target instanceof HTMLFormElement)) return;
  submitted = target;
  // The form's own check has marked its fields while it was submitted; they are drawn by the second frame.
  requestAnimationFrame(() => requestAnimationFrame(focusFirstError));
}

/** Watches all forms of the page, whose own checks mark fields while they are submitted. @returns a function that ends it. */
export function watchForms(): () => void {
  document.addEventListener("submit", onSubmit);
  return () => document.removeEventListener("submit", onSubmit);
}
