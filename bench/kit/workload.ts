/** The interface of a benchmark. */

/** Options from the command line. */
export type Options = {
  /** Length of a measured phase. */
  seconds: number;
  rounds: number;
  connections: number;
  /** Least number of messages waiting when the worker is started. */
  backlog: number;
  /** Number of accounts that send, in workloads with many. */
  accounts: number;
};

/** The environment of a workload. It can be interrupted at any time; everything it started is stopped at the end. */
export type Stage = {
  signal: AbortSignal;
  /** Prints the current step. */
  say: (text: string) => void;
  /** Starts a resource and registers `stop` for the end of the benchmark. Last started, first stopped. */
  keep: <Started>(start: () => Promise<Started>, stop: (started: Started) => Promise<void>) => Promise<Started>;
};

/** `ok`: no invariant was broken. `text` is the report, `figures` its data for --json. */
export type Outcome = { ok: boolean; text: string; figures: Record<string, unknown> };

export type Workload = { summary: string; run: (options: Options, stage: Stage) => Promise<Outcome> };
