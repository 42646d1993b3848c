import { env } from "./env";

const LEVELS = { debug: 10, info: 20, warn: 30, error: 40, silent: 100 } as const;
type Level = Exclude<keyof typeof LEVELS, "silent">;

/** JSON has no bigint, and a log line must never throw. */
const writable = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

/**
 * Writes one JSON line: one wide event per request or job, not a line per step. Names of fields are in snake_case.
 * Never pass secrets, message bodies or whole error objects of a provider.
 */
export function log(level: Level, event: string, fields: Record<string, unknown> = {}): void {
  if (LEVELS[level] < LEVELS[env().LOG_LEVEL]) return;
  const line = JSON.stringify({ at: new Date().toISOString(), level, event, ...fields }, writable);
  (level === "error" || level === "warn" ? process.stderr : process.stdout).write(`${line}\n`);
}

/** The fields of an exception that may be logged. */
export function errorFields(thrown: unknown): { error: string; stack?: string } {
  if (!(thrown instanceof Error)) return { error: String(thrown) };
  return { error: `${thrown.name}: ${thrown.message}`, stack: thrown.stack };
}
