import { foldTotals } from "./store";

/** Keeps the totals of lists short to read. */
export const foldListTotals = (): Promise<void> => foldTotals();
