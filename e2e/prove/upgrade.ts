/** An upgrade under load, as docs/operations.md describes it: migrations while the previous version serves, then its processes. */
import { setTimeout as pause } from "node:timers/promises";
import type { Load } from "./load/load";
import type { ProcessName } from "./world/fleet";
import type { Version, World } from "./world/world";

/** `migrations`: names of those applied. `atMs`, `untilMs`: when, in milliseconds since the epoch. */
export type Upgrade = { migrations: string[]; atMs: number; untilMs: number };

/**
 * The order of replacement: web processes before workers, because callbacks of new workers may be known only to new web processes.
 * The rollback goes the other way round; afterwards one web process has gone back and forth.
 */
const REPLACEMENTS: readonly (readonly [ProcessName, Version])[] = [
  ["web-1", "present"],
  ["web-2", "present"],
  ["worker-1", "present"],
  ["worker-2", "present"],
  ["worker-1", "former"],
  ["worker-2", "former"],
  ["web-1", "former"],
  ["web-1", "present"],
  ["worker-1", "present"],
  ["worker-2", "present"],
];
/** The time before its end in which a web process gets no more requests. */
const AVOIDED_MS = 500;

/** Replaces one process. Callers are directed away from a web process first. */
async function replace(world: World, load: Load, name: ProcessName, version: Version): Promise<void> {
  const web = name === "web-1" ? world.urls[0] : name === "web-2" ? world.urls[1] : undefined;
  if (web) {
    load.avoid(web);
    await pause(AVOIDED_MS);
  }
  await world.replace(name, version);
  load.avoid(null);
}

/**
 * Upgrades a world that runs the previous version.
 * @param lengthMs the minimum for the whole upgrade: the versions serve for equal parts of it between the steps.
 */
export async function upgrade(
  world: World,
  load: Load,
  lengthMs: number,
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<Upgrade> {
  const share = lengthMs / (REPLACEMENTS.length + 2);
  await pause(share, undefined, { signal });
  const atMs = Date.now();
  const output = await world.migrate();
  const untilMs = Date.now();
  const migrations = /^applied (.*)$/m.exec(output)?.[1]?.split(", ") ?? [];
  tell(`migrated   ${migrations.length} migrations in ${((untilMs - atMs) / 1_000).toFixed(1)} s`);
  await pause(share, undefined, { signal });
  for (const [name, version] of REPLACEMENTS) {
    await replace(world, load, name, version);
    tell(`replaced   ${name} by the ${version} version`);
    await pause(share, undefined, { signal });
  }
  return { migrations, atMs, untilMs };
}

/** Requests that got no response, or one with a status of 500 or more. */
export const unservedOf = (load: Load): string[] =>
  [...load.answers.values()]
    .filter(({ status }) => status === null || status >= 500)
    .map(({ request, status, code, count }) => `${request}: ${status ?? "no response"} ${code ?? ""}, ${count} times`);
