/** The PostgreSQL of the proof: it can be restarted in every way, with fsync on. */
import path from "node:path";
import { isAlive } from "@/scripts/lock";
import { type RunningPostgres, startPostgres } from "@/scripts/postgres";

/** fast: ends sessions and writes a checkpoint. immediate: like a crash; the next start recovers from the WAL. */
export type StopMode = "fast" | "immediate";

export type Server = {
  port: () => number;
  url: (database: string) => string;
  /** Stops and restarts it on another port. @param downMs how long it stays down at least. */
  restart: (mode: StopMode, downMs: number) => Promise<void>;
  stop: () => Promise<void>;
};

const STOP_WITHIN_MS = 30_000;
const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;
const SETTINGS = { max_connections: "150", shared_buffers: "128MB" };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts the server on a new data folder below `folder`, with fsync as it is by default: on. */
export async function startServer(folder: string): Promise<Server> {
  const data = path.join(folder, "data");
  let running: RunningPostgres = await startPostgres(data, SETTINGS);
  const end = async (mode: StopMode) => {
    const { pid } = running;
    if (isAlive(pid)) process.kill(pid, SIGNALS[mode]);
    const deadline = Date.now() + STOP_WITHIN_MS;
    for (let isForced = false; isAlive(pid); isForced ||= Date.now() > deadline) {
      if (isForced) process.kill(pid, "SIGQUIT");
      await pause(10);
    }
  };
  return {
    port: () => running.port,
    url: (database) => running.url(database),
    restart: async (mode, downMs) => {
      await end(mode);
      await pause(downMs);
      running = await startPostgres(data, SETTINGS);
    },
    stop: () => end("fast"),
  };
}
