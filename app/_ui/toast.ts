import { notifications } from "@mantine/notifications";
import { apiErrorOf } from "./api-error";

const FAILURE_SHOWN_MS = 8_000;

/** Tells that a deed was done, e.g. "API key revoked". */
export const toastDone = (message: string): void => {
  notifications.show({ color: "teal", message });
};

/** Tells why a deed failed, in the API's words. */
export const toastFailed = (error: unknown): void => {
  notifications.show({
    color: "red",
    title: "That did not work",
    message: apiErrorOf(error).message,
    autoClose: FAILURE_SHOWN_MS,
  });
};
