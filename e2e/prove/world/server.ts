/** The PostgreSQL of the proof, with fsync on: it can be restarted in every way, and lost when it has a standby. */
import path from "node:path";
import { isAlive } from "@/scripts/is-alive";
import { type RunningPostgres, startPostgres } from "@/scripts/postgres/server";
import { follow, loseMachine, promote, startStandby } from "@/test/database/servers/standby";

/** fast: ends sessions and writes a checkpoint. immediate: like a crash; the next start recovers from the WAL. */
export type StopMode = "fast" | "immediate";

export type Server = {
  port: () => number;
  url: (database: string) => string;
  /** Stops and restarts it on another port, once a standby that is being made is ready. @param downMs the minimum downtime. */
  restart: (mode: StopMode, downMs: number) => Promise<void>;
  /**
   * Loses the primary for good and promotes its standby; another standby is then made for it. Resolves when it takes writes.
   * @param aheadMs how long the standby only reads after the loss.
   * @param onLost called at the loss, with the port of the standby.
   */
  failOver: (aheadMs: number, onLost: (port: number) => void) => Promise<void>;
  stop: () => Promise<void>;
};

const STOP_WITHIN_MS = 30_000;
const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;
const SETTINGS = { max_connections: "150", shared_buffers: "128MB" };
/** Defaults that suit other programs. If the service did not set its own, it would lose accepted messages (docs/decisions/0051). */
const UNFIT = { timezone: "Asia/Kathmandu", default_transaction_isolation: "serializable", synchronous_commit: "off" };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function end({ pid }: RunningPostgres, mode: StopMode): Promise<void> {
  if (isAlive(pid)) process.kill(pid, SIGNALS[mode]);
  const deadline = Date.now() + STOP_WITHIN_MS;
  for (let isForced = false; isAlive(pid); isForced ||= Date.now() > deadline) {
    if (isForced) process.kill(pid, "SIGQUIT");
    await pause(10);
  }
}

/**
 * Starts the server on a new data folder below `folder`, with fsync as it is by default: on.
 * @param hasStandby whether every COMMIT waits for a second server.
 * @param isFit whether its defaults suit the service, including versions that rely on them.
 */
export async function startServer(folder: string, hasStandby: boolean, isFit: boolean): Promise<Server> {
  const settings = { ...SETTINGS, ...(!isFit && UNFIT) };
  let generation = 0;
  const dataOf = (number: number) => path.join(folder, `data-${number}`);
  let primary = await startPostgres(dataOf(generation), settings);
  const standbyOf = () => startStandby(primary, dataOf(generation), dataOf(generation + 1), settings);
  let standby = hasStandby ? await standbyOf() : null;
  let standbyMade: Promise<void> = Promise.resolve();
  return {
    port: () => primary.port,
    url: (database) => primary.url(database),
    restart: async (mode, downMs) => {
      await standbyMade;
      await end(primary, mode);
      await pause(downMs);
      primary = await startPostgres(dataOf(generation), settings);
      if (standby) await follow(standby, primary);
    },
    failOver: async (aheadMs, onLost) => {
      await standbyMade;
      if (!standby) throw new Error("There is no standby.");
      await loseMachine(primary);
      onLost(standby.port);
      await pause(aheadMs);
      await promote(standby);
      primary = standby;
      standby = null;
      generation += 1;
      standbyMade = standbyOf().then((made) => {
        standby = made;
      });
      // Reported by whatever awaits it next.
      standbyMade.catch(() => undefined);
    },
    stop: async () => {
      await standbyMade.catch(() => undefined);
      // The primary ends first: a fast stop waits until the standby has everything.
      await end(primary, "fast");
      if (standby) await end(standby, "fast");
    },
  };
}
