/** The service's processes under a supervisor, which restarts those that end, as an installation would. */
import { type Spawned, spawnProcess } from "@/e2e/support/processes";

export const MEMBERS = ["web-1", "web-2", "worker-1", "worker-2"] as const;
export type Member = (typeof MEMBERS)[number];

/** One process from start to end. `process`: its name in the database's history. `end`: why it ended. */
export type Life = {
  member: Member;
  process: string;
  fromMs: number;
  untilMs: number | null;
  /** When it was asked to stop, which may take a while; null: never. */
  signalledMs: number | null;
  end: "killed" | "stopped" | "by itself" | "forced" | null;
  /** The end of its output when it ended by itself or was killed. */
  output: string | null;
};

export type Fleet = {
  lives: Life[];
  /** The running process; null while it is down. */
  lifeOf: (member: Member) => Life | null;
  isReady: (member: Member) => Promise<boolean>;
  kill: (member: Member) => Promise<void>;
  /** Asks it to stop and waits; kills it after 40 s. */
  stop: (member: Member) => Promise<void>;
  /** Stops it (SIGSTOP) for a while, or until {@link thaw}. */
  freeze: (member: Member, ms: number) => Promise<void>;
  thaw: () => void;
  start: (member: Member) => void;
  /** Output of each process by its name. */
  logs: () => Map<string, string>;
  /** Stops restarting processes, and ends all of them. */
  close: () => Promise<void>;
};

const STOP_WITHIN_MS = 40_000;
const RESTART_AFTER_MS = 1_000;
const LAST_OUTPUT = 1_500;

/**
 * @param environmentOf settings of a member; `process` is the name of its next process.
 * @param folderOf folder of the version that a member's next process is of.
 */
export function startFleet(
  environmentOf: (member: Member, process: string) => NodeJS.ProcessEnv,
  folderOf: (member: Member) => string,
): Fleet {
  const lives: Life[] = [];
  const running = new Map<Member, { spawned: Spawned; life: Life }>();
  const frozen = new Map<Member, () => void>();
  const logs = new Map<string, () => string>();
  let isClosing = false;

  const start = (member: Member): void => {
    if (running.has(member) || isClosing) return;
    const process = `${member}.${lives.filter((life) => life.member === member).length + 1}`;
    const life: Life = {
      member,
      process,
      fromMs: Date.now(),
      untilMs: null,
      signalledMs: null,
      end: null,
      output: null,
    };
    const file = member.startsWith("web") ? "web.mjs" : "worker.mjs";
    const spawned = spawnProcess(file, environmentOf(member, process), undefined, folderOf(member));
    lives.push(life);
    logs.set(process, spawned.output);
    running.set(member, { spawned, life });
    void spawned.ended.then(() => {
      life.untilMs = Date.now();
      life.end ??= "by itself";
      if (life.end === "by itself" || life.end === "forced") life.output = spawned.output().slice(-LAST_OUTPUT);
      if (running.get(member)?.spawned === spawned) running.delete(member);
      if (life.end === "by itself") setTimeout(() => start(member), RESTART_AFTER_MS).unref();
    });
  };
  const end = async (member: Member, how: "killed" | "stopped", withinMs: number): Promise<void> => {
    const found = running.get(member);
    if (!found) return;
    const { spawned, life } = found;
    life.end ??= how;
    life.signalledMs ??= Date.now();
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
    lifeOf: (member) => running.get(member)?.life ?? null,
    isReady: async (member) => {
      const found = running.get(member);
      if (!found) return false;
      if (member.startsWith("worker")) return found.spawned.output().includes("worker.ready");
      const port = environmentOf(member, "").PORT;
      return (await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => null))?.status === 200;
    },
    kill: (member) => end(member, "killed", STOP_WITHIN_MS),
    stop: (member) => end(member, "stopped", STOP_WITHIN_MS),
    freeze: (member, ms) =>
      new Promise((resolve) => {
        const found = running.get(member);
        if (!found || frozen.has(member)) return resolve();
        found.spawned.signal("SIGSTOP");
        const timer = setTimeout(() => frozen.get(member)?.(), ms);
        frozen.set(member, () => {
          clearTimeout(timer);
          frozen.delete(member);
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
      await Promise.all([...running.keys()].map((member) => end(member, "stopped", 15_000)));
    },
  };
}
