/** Starts and stops load clients, which are separate processes (load.ts). */
import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import type { LoadPlan, LoadResult } from "./load";
import type { Stage } from "./workload";

/** Kills the child if it is still running, and waits for its exit. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** A running load client. `stop` lets it finish the sends in flight; `result` rejects if the client fails. */
export type RunningLoad = { result: Promise<LoadResult>; stop: () => void };

/** Starts a load client, which begins once all its connections are open. */
export async function startLoad(stage: Stage, plan: LoadPlan): Promise<RunningLoad> {
  const child = await stage.keep(
    // Its own process group, so that Ctrl-C does not kill it before us; it exits when its IPC channel closes.
    async () => fork(path.join("bench", "kit", "load.ts"), { detached: true, stdio: ["ignore", 2, 2, "ipc"] }),
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
