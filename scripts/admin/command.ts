/** Shared parts of the operator's commands. */
import type { Flags } from "./flags";
import type { Output } from "./show";

/** Carries out a command. `ok`: false gives exit code 1. */
export type Run = (flags: Flags) => Promise<{ output: Output; ok: boolean }>;

/** `options`: the accepted ones in addition to `--json`. */
export type Command = { run: Run; options: readonly string[] };

/** The operator as an actor, on any account. */
export const OPERATOR = { kind: "system", name: "admin" } as const;

export const done = (output: Output) => ({ output, ok: true });
