import { useState } from "react";
import { flushSync } from "react-dom";
import { focusFirstError } from "./first-error";
import { type FormWithErrors, markFields } from "./form-errors";

/** Errors of a form's submission: `show` marks the fields that the API names, and keeps an error without a field in `unplaced`. */
export function useFormErrors(form: FormWithErrors) {
  const [unplaced, setUnplaced] = useState<unknown>(null);
  return {
    unplaced,
    clear: () => setUnplaced(null),
    show: (error: unknown) => {
      // Drawn at once: React may take longer than any number of frames on a busy machine, and the focus would find no mark.
      flushSync(() => setUnplaced(markFields(form, error) ? null : error));
      focusFirstError();
    },
  };
}
