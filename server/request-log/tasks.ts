import { emptyOldestDay } from "./store";

/** Forgets requests that are older than a week. */
export const forgetRequests = (): Promise<void> => emptyOldestDay();
