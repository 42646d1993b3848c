import { setMilestones } from "./milestones";
import { foldTotals } from "./store";

/** Folds the totals of lists, so that few rows have to be read. */
export const foldListTotals = (): Promise<void> => foldTotals();

/** Sets milestones in lists of messages that have grown, until `stop`. */
export const markLists = (stop?: AbortSignal): Promise<void> => setMilestones(stop);
