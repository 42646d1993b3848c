import { notifications } from "@mantine/notifications";
import { appTexts } from "@/app/_texts/app";
import { apiErrorOf } from "./forms/api-error";

const FAILURE_SHOWN_MS = 8_000;

/** Confirms a finished action, e.g. "API key revoked". */
export const toastDone = (message: string): void => {
  notifications.show({ color: "teal", message });
};

/** Tells that an action was carried out, and its result is not the one that was wanted. */
export const toastProblem = (title: string, message: string): void => {
  notifications.show({ color: "red", title, message, autoClose: FAILURE_SHOWN_MS });
};

/** Shows the API's message of a failed action. */
export const toastFailed = (error: unknown): void => {
  toastProblem(appTexts.requestFailed, apiErrorOf(error).message);
};
