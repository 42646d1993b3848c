/** Most calls of the console in one request: its client makes no larger batches, and larger ones are refused. */
export const BATCH_MAX = 20;
