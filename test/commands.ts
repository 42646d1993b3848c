import { spawn } from "node:child_process";

/** Runs a program of Node to its end, with the given variables and few of this process. `output`: what it wrote to stdout and stderr. */
export function runProgram(
  [program, ...args]: [program: string, ...args: string[]],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<{ code: number | null; output: string }> {
  const { PATH, HOME, NODE_ENV } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH, HOME, NODE_ENV, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += String(chunk)));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}
