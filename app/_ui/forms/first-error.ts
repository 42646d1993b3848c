/** The form that was submitted last. */
let submitted: HTMLFormElement | null = null;

/** Focuses the first field of that form that is marked as wrong, once the marks are drawn: it may be out of sight. */
export function focusFirstError(): void {
  const form = submitted;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()),
  );
}

function onSubmit({ target }: SubmitEvent): void {
  if (!(target instanceof HTMLFormElement)) return;
  submitted = target;
  focusFirstError();
}

/** Watches all forms of the page, whose own checks mark fields while they are submitted. @returns a function that ends it. */
export function watchForms(): () => void {
  document.addEventListener("submit", onSubmit);
  return () => document.removeEventListener("submit", onSubmit);
}
