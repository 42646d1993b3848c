import { runParts } from "../retention/steps";
import { deleteLeft, emptyOldestDay } from "./store";

/** Forgets requests that are older than a week. */
export const forgetRequests = (signal?: AbortSignal): Promise<void> =>
  runParts([emptyOldestDay, () => deleteLeft(signal)]);
