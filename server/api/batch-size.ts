/** Calls of the console in one request; its client makes no larger batches, and a larger one is refused. */
export const BATCH_MAX = 20;
