import { useState } from "react";
import { flushSync } from "react-dom";
import { isUnknown } from "../changes/outcome";
import { focusFirstError } from "./first-error";
import { type FormWithErrors, markFields } from "./form-errors";

/** An error without a field, and what was entered when it came. */
type Unplaced = { error: unknown; entered: string };

/**
 * Errors of a form's submission: `show` marks the fields that the API names, and keeps an error without a field in `unplaced`. A
 * refusal disappears once the form is changed, as the mark of a field does; an unknown outcome stays, whatever is entered.
 */
export function useFormErrors(form: FormWithErrors & { getValues: () => object }) {
  const [unplaced, setUnplaced] = useState<Unplaced | null>(null);
  const enteredNow = () => JSON.stringify(form.getValues());
  const isPast = unplaced !== null && !isUnknown(unplaced.error) && unplaced.entered !== enteredNow();
  // Dropped for good: it must not return when the same is entered again.
  if (isPast) setUnplaced(null);
  return {
    unplaced: isPast ? null : (unplaced?.error ?? null),
    clear: () => setUnplaced(null),
    show: (error: unknown) => {
      // Rendered synchronously: on a busy machine React may take more frames than `focusFirstError` waits for.
      flushSync(() => setUnplaced(markFields(form, error) ? null : { error, entered: enteredNow() }));
      focusFirstError();
    },
  };
}
