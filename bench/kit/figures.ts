/** The results of the workload `sends`; --json prints them unchanged. */
import type { Check } from "./books";
import type { DrainReport } from "./drain";
import type { LoadResult } from "./load";
import type { LoneReport } from "./lone-sends";
import type { PgbenchResult } from "./pgbench";
import type { Options } from "./workload";

/** Processor time in seconds; `client` is the load client or pgbench. */
export type Cpu = { web: number; worker: number; postgres: number; client: number };

export type Round = {
  pgbench: PgbenchResult & { cpu: Cpu };
  /** `perFlush`: messages that were accepted by one transaction. */
  sends: LoadResult & { perSecond: number; perFlush: number; cpu: Cpu };
  ratio: number;
};

/** All results; memory in bytes. */
export type SendsFigures = {
  workload: "sends";
  at: string;
  machine: { cores: number; processor: string; node: string; postgres: string; loadAtStart: number };
  options: Options;
  rounds: Round[];
  medianRatio: number;
  atRest: LoadResult;
  drain: DrainReport & { cpu: Cpu; messages: number };
  lone: LoneReport;
  memory: { webAfterSends: number; webAtEnd: number; worker: number; postgres: number };
  accepted: number;
  /** Responses other than 201 over the whole run, by HTTP status. */
  refused: Record<string, number>;
  /** The first of them: status and body. */
  refusal: string | null;
  /** Sends without a response. */
  unanswered: number;
  problems: string;
  checks: Check[];
  ok: boolean;
};

/** The median; the mean of the two middle values if their number is even. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}
