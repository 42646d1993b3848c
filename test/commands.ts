import { spawn } from "node:child_process";

/** A running Node program. */
export type Program = {
  /** Its output so far, of stdout and stderr. */
  output: () => string;
  signal: (name: NodeJS.Signals) => void;
  /** Its exit code, once it has ended; null: a signal ended it. */
  ended: Promise<number | null>;
};

type Command = [program: string, ...args: string[]];
type Surroundings = { cwd: string; env: Record<string, string> };

/** Starts a Node program with the given variables and only a few of this process's. */
export function startProgram([program, ...args]: Command, { cwd, env }: Surroundings): Program {
  const { PATH, HOME, NODE_ENV } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH, HOME, NODE_ENV, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { output: () => output, signal: (name) => void child.kill(name), ended };
}

/** Runs a Node program to its end; see {@link startProgram}. */
export async function runProgram(
  command: Command,
  surroundings: Surroundings,
): Promise<{ code: number | null; output: string }> {
  const { ended, output } = startProgram(command, surroundings);
  const code = await ended;
  return { code, output: output() };
}
