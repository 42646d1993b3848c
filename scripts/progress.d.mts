import type { ChildProcess, SpawnOptionsWithoutStdio } from "node:child_process";

type QuietOptions = SpawnOptionsWithoutStdio & { niceness?: number };

export function say(text: string): void;
export function step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
export function runQuietly(command: string, args: string[], options?: QuietOptions): Promise<string>;
export function stopCommands(): Promise<void>;
export function yieldProcessor(child: ChildProcess, niceness: number): void;
