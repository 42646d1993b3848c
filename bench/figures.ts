/** What the workload `sends` has measured; printed as it is with --json. */
import type { Check } from "./books";
import type { DrainReport } from "./drain";
import type { LoadResult } from "./load";
import type { PgbenchResult } from "./pgbench";
import type { Options } from "./workload";

/** Processor time in seconds; `client` is what produced the load. */
export type Cpu = { web: number; worker: number; postgres: number; client: number };

export type Round = {
  pgbench: PgbenchResult & { cpu: Cpu };
  sends: LoadResult & { perSecond: number; cpu: Cpu };
  ratio: number;
};

/** Everything that was measured; memory in bytes. */
export type SendsFigures = {
  workload: "sends";
  at: string;
  machine: { cores: number; processor: string; node: string; postgres: string; loadAtStart: number };
  options: Options;
  rounds: Round[];
  medianRatio: number;
  atRest: LoadResult;
  drain: DrainReport & { cpu: Cpu; messages: number };
  memory: { webAfterSends: number; webAtEnd: number; worker: number; postgres: number };
  accepted: number;
  /** Answers that were no 201, by status, over the whole run; and sends that got no answer. */
  refused: Record<string, number>;
  refusal: string | null;
  unanswered: number;
  problems: string;
  checks: Check[];
  ok: boolean;
};

/** The middle value, or the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}
