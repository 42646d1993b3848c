import { foldTotals } from "./store";

/** Folds the totals of lists, so that few rows have to be read. */
export const foldListTotals = (): Promise<void> => foldTotals();
