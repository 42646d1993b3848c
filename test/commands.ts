import { spawn } from "node:child_process";

/** A program of Node that runs. */
export type Program = {
  /** Its output so far, of stdout and stderr. */
  output: () => string;
  signal: (name: NodeJS.Signals) => void;
  /** Its exit code, once it has ended; null: a signal ended it. */
  ended: Promise<number | null>;
};

type Command = [program: string, ...args: string[]];
type Surroundings = { cwd: string; env: Record<string, string> };

/** Starts a program of Node with the given variables and few of this process. */
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

/** Runs a program of Node to its end, as {@link startProgram}. */
export async function runProgram(
  command: Command,
  surroundings: Surroundings,
): Promise<{ code: number | null; output: string }> {
  const { ended, output } = startProgram(command, surroundings);
  const code = await ended;
  return { code, output: output() };
}
