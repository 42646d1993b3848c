/** What every benchmark is given, and what it gives back. */

/** Lengths and sizes, from the command line. */
export type Options = {
  /** Length of one measured phase. */
  seconds: number;
  rounds: number;
  connections: number;
  /** Least number of messages that wait when the worker is started. */
  backlog: number;
};

/** Where a workload runs: it may be interrupted at any moment, and whatever it has started is stopped at the end. */
export type Stage = {
  signal: AbortSignal;
  /** Tells what is being done now. */
  say: (text: string) => void;
  /** Starts something that `stop` ends, at the latest when the benchmark does. Last started, first stopped. */
  keep: <Started>(start: () => Promise<Started>, stop: (started: Started) => Promise<void>) => Promise<Started>;
};

/** `ok`: every invariant held. `text` is for people, `figures` for programs. */
export type Outcome = { ok: boolean; text: string; figures: Record<string, unknown> };

export type Workload = { summary: string; run: (options: Options, stage: Stage) => Promise<Outcome> };
