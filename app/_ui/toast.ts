import { notifications } from "@mantine/notifications";
import { appTexts } from "@/app/_texts/app";
import { sharedTexts } from "@/app/_texts/shared";
import { formsTexts } from "@/app/_texts/ui/forms";
import { isUnknown, knownOf } from "./changes/outcome";
import { apiErrorOf } from "./forms/api-error";

/** Long enough to be read at leisure; see also `watchToasts`. */
const SHOWN_MS = 6_000;
const FAILURE_SHOWN_MS = 20_000;

/** Shows a toast for a while, and for as long as its cross has the focus. */
function show(toast: { color: string; title?: string; message: string; autoClose: number }): void {
  const id = notifications.show({
    ...toast,
    closeButtonProps: { "aria-label": sharedTexts.close },
    onFocusCapture: () => notifications.update({ ...toast, id, autoClose: false }),
    onBlurCapture: () => notifications.update({ ...toast, id }),
  });
}

/** Confirms a finished action, e.g. "API key revoked". */
export const toastDone = (message: string): void => {
  show({ color: "teal", message, autoClose: SHOWN_MS });
};

/** Reports that an action was carried out, but without the intended result. */
export const toastProblem = (title: string, message: string): void => {
  show({ color: "red", title, message, autoClose: FAILURE_SHOWN_MS });
};

/** Titles of a failure, and the person's next step while the outcome is unknown. */
export type FailureTexts = { failed?: string; unknown?: string; next?: string };

/** Shows the API's message of a failed action, or that its outcome is unknown, with its own title. */
export function toastFailure(error: unknown, { failed, unknown, next }: FailureTexts): void {
  if (isUnknown(error)) {
    toastProblem(unknown ?? formsTexts.unknown.title, [knownOf(error), next].filter(Boolean).join(" "));
  } else toastProblem(failed ?? appTexts.requestFailed, apiErrorOf(error).message);
}

/** `toastFailure` with the usual titles. */
export const toastFailed = (error: unknown): void => toastFailure(error, {});
