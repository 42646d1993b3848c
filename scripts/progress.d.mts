import type { SpawnOptionsWithoutStdio } from "node:child_process";

export function say(text: string): void;
export function step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
export function runQuietly(command: string, args: string[], options?: SpawnOptionsWithoutStdio): Promise<string>;
export function stopCommands(): Promise<void>;
