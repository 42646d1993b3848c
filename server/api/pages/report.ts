/** Reports of the pages process to the web process that started it, over their IPC channel. */

/** A sign of life, with the process's metrics as text; null: nobody scrapes. The first report means that the process serves. */
export type Report = { metrics: string | null };

export const REPORT_EVERY_MS = 2_000;

export const isReport = (message: unknown): message is Report =>
  typeof message === "object" && message !== null && "metrics" in message;
