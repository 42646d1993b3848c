import { notifications } from "@mantine/notifications";
import { apiErrorOf } from "./api-error";

const FAILURE_SHOWN_MS = 8_000;

/** Confirms a finished action, e.g. "API key revoked". */
export const toastDone = (message: string): void => {
  notifications.show({ color: "teal", message });
};

/** Shows the API's message of a failed action. */
export const toastFailed = (error: unknown): void => {
  notifications.show({
    color: "red",
    title: "The request failed",
    message: apiErrorOf(error).message,
    autoClose: FAILURE_SHOWN_MS,
  });
};
