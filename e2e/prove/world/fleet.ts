/** The service's processes under a supervisor, which restarts those that end, as an installation would. */
import { type Spawned, spawnProcess } from "@/e2e/support/processes";

export const PROCESS_NAMES = ["web-1", "web-2", "worker-1", "worker-2"] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

/** One process from start to end. `process`: its name and the number of its start, as in the database's history. `end`: why it ended. */
export type Life = {
  name: ProcessName;
  process: string;
  fromMs: number;
  untilMs: number | null;
  /** When it was asked to stop, which may take a while; null: never. */
  signaledMs: number | null;
  end: "killed" | "stopped" | "by itself" | "forced" | null;
  /** The end of its output when it ended by itself or was killed. */
  output: string | null;
};

export type Fleet = {
  lives: Life[];
  /** The running process; null while it is down. */
  lifeOf: (name: ProcessName) => Life | null;
  isReady: (name: ProcessName) => Promise<boolean>;
  kill: (name: ProcessName) => Promise<void>;
  /** Asks it to stop and waits; kills it after 40 s. */
  stop: (name: ProcessName) => Promise<void>;
  /** Stops it (SIGSTOP) for a while, or until {@link thaw}. */
  freeze: (name: ProcessName, ms: number) => Promise<void>;
  thaw: () => void;
  start: (name: ProcessName) => void;
  /** The output so far of the running process; empty while it is down. */
  outputOf: (name: ProcessName) => string;
  /** Output of each process by its name. */
  logs: () => Map<string, string>;
  /** Stops restarting processes, and ends all of them. */
  close: () => Promise<void>;
};

const STOP_WITHIN_MS = 40_000;
const RESTART_AFTER_MS = 1_000;
const LAST_OUTPUT = 1_500;

/**
 * @param environmentOf settings of the next process of a name; `process` is what the database's history calls it.
 * @param folderOf folder of the version that the next process of a name runs.
 */
export function startFleet(
  environmentOf: (name: ProcessName, process: string) => NodeJS.ProcessEnv,
  folderOf: (name: ProcessName) => string,
): Fleet {
  const lives: Life[] = [];
  const running = new Map<ProcessName, { spawned: Spawned; life: Life }>();
  const frozen = new Map<ProcessName, () => void>();
  const logs = new Map<string, () => string>();
  let isClosing = false;

  const start = (name: ProcessName): void => {
    if (running.has(name) || isClosing) return;
    const process = `${name}.${lives.filter((life) => life.name === name).length + 1}`;
    const life: Life = {
      name,
      process,
      fromMs: Date.now(),
      untilMs: null,
      signaledMs: null,
      end: null,
      output: null,
    };
    const file = name.startsWith("web") ? "web.mjs" : "worker.mjs";
    const spawned = spawnProcess(file, environmentOf(name, process), undefined, folderOf(name));
    lives.push(life);
    logs.set(process, spawned.output);
    running.set(name, { spawned, life });
    void spawned.ended.then(() => {
      life.untilMs = Date.now();
      life.end ??= "by itself";
      if (life.end === "by itself" || life.end === "forced") life.output = spawned.output().slice(-LAST_OUTPUT);
      if (running.get(name)?.spawned === spawned) running.delete(name);
      if (life.end === "by itself") setTimeout(() => start(name), RESTART_AFTER_MS).unref();
    });
  };
  const end = async (name: ProcessName, how: "killed" | "stopped", withinMs: number): Promise<void> => {
    const found = running.get(name);
    if (!found) return;
    const { spawned, life } = found;
    life.end ??= how;
    life.signaledMs ??= Date.now();
    spawned.signal(how === "killed" ? "SIGKILL" : "SIGTERM");
    const late = setTimeout(() => {
      life.end = "forced";
      spawned.signal("SIGKILL");
    }, withinMs);
    await spawned.ended;
    clearTimeout(late);
  };

  return {
    lives,
    lifeOf: (name) => running.get(name)?.life ?? null,
    outputOf: (name) => running.get(name)?.spawned.output() ?? "",
    isReady: async (name) => {
      const found = running.get(name);
      if (!found) return false;
      if (name.startsWith("worker")) return found.spawned.output().includes("worker.ready");
      const port = environmentOf(name, "").PORT;
      return (await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => null))?.status === 200;
    },
    kill: (name) => end(name, "killed", STOP_WITHIN_MS),
    stop: (name) => end(name, "stopped", STOP_WITHIN_MS),
    freeze: (name, ms) =>
      new Promise((resolve) => {
        const found = running.get(name);
        if (!found || frozen.has(name)) return resolve();
        found.spawned.signal("SIGSTOP");
        const timer = setTimeout(() => frozen.get(name)?.(), ms);
        frozen.set(name, () => {
          clearTimeout(timer);
          frozen.delete(name);
          found.spawned.signal("SIGCONT");
          resolve();
        });
      }),
    thaw: () => {
      for (const wake of frozen.values()) wake();
    },
    start,
    logs: () => new Map([...logs].map(([process, output]) => [process, output()])),
    close: async () => {
      isClosing = true;
      for (const wake of frozen.values()) wake();
      await Promise.all([...running.keys()].map((name) => end(name, "stopped", 15_000)));
    },
  };
}
