/** Load clients, which are processes of their own (load.ts), as seen from the benchmark. */
import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import type { LoadPlan, LoadResult } from "./load";
import type { Stage } from "./workload";

/** Kills what still runs, and waits for it. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** A load client at work. `stop` makes it finish the sends in flight; `result` rejects when the client breaks. */
export type RunningLoad = { result: Promise<LoadResult>; stop: () => void };

/** Starts a load client. It begins when all its connections stand. */
export async function startLoad(stage: Stage, plan: LoadPlan): Promise<RunningLoad> {
  const child = await stage.keep(
    // A group of its own, so that Ctrl-C does not end it under us; it ends when we do.
    async () => fork(path.join("bench", "load.ts"), { detached: true, stdio: ["ignore", 2, 2, "ipc"] }),
    endChild,
  );
  const result = new Promise<LoadResult>((resolve, reject) => {
    child.once("message", (message) => resolve(message as LoadResult));
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`The load client ended early (${signal ?? `code ${code}`}).`)),
    );
  });
  result.catch(() => undefined);
  child.send(plan);
  return { result, stop: () => child.connected && child.send("stop") };
}

/** Runs a load client to its end. */
export async function runLoad(stage: Stage, plan: LoadPlan): Promise<LoadResult> {
  return (await startLoad(stage, plan)).result;
}
