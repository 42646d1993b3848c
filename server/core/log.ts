import pino from "pino";
import { env } from "./env";
import { perProcess } from "./process";

type Level = "debug" | "info" | "warn" | "error";

/** Warnings and errors go to stderr, everything else to stdout; both at once, so that a process that dies has written. */
const logger = () =>
  perProcess("log", () =>
    pino(
      {
        level: env().LOG_LEVEL,
        base: null,
        messageKey: "event",
        timestamp: () => `,"at":"${new Date().toISOString()}"`,
        formatters: { level: (level) => ({ level }) },
      },
      pino.multistream(
        [
          { level: "debug", stream: pino.destination({ fd: 1, sync: true }) },
          { level: "warn", stream: pino.destination({ fd: 2, sync: true }) },
        ],
        { dedupe: true },
      ),
    ),
  );

/**
 * Writes one JSON line: one wide event per request or job, not a line per step.
 * Never pass secrets, message bodies or whole error objects of a provider.
 */
export const log = (level: Level, event: string, fields: Record<string, unknown> = {}): void =>
  logger()[level](fields, event);

/** What a log line may say of an exception. */
export function errorFields(thrown: unknown): { error: string; stack?: string } {
  if (!(thrown instanceof Error)) return { error: String(thrown) };
  return { error: `${thrown.name}: ${thrown.message}`, stack: thrown.stack };
}
