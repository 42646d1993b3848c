/** The pages process as monitoring of its web process sees it. */
import { defineProcessValue } from "../core/process";

type Seen = {
  /** Whether it serves; null in a process that has none. */
  isUp: boolean | null;
  /**
   * Whether this process could listen for changes when it started, so that pages show them at once; null: unknown, or no pages.
   */
  hearsChanges: boolean | null;
  /** How often it was started after the first time. */
  restarts: number;
  /** Its metrics as it reported them last. */
  metrics: string | null;
};

export const pagesProcess = defineProcessValue(
  "observability.pages",
  (): Seen => ({
    isUp: null,
    hearsChanges: null,
    restarts: 0,
    metrics: null,
  }),
);
