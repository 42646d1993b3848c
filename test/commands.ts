import { spawn } from "node:child_process";
import path from "node:path";

/** Runs `tsx <args>` to its end. `output`: what it wrote to stdout and stderr. */
export function runCommand(
  args: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<{ code: number | null; output: string }> {
  const tsx = path.resolve("node_modules", "tsx", "dist", "cli.mjs");
  const { PATH, HOME, NODE_ENV } = process.env;
  const child = spawn(process.execPath, [tsx, "--tsconfig", path.resolve("tsconfig.json"), ...args], {
    cwd,
    env: { PATH, HOME, NODE_ENV, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += String(chunk)));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}
