import pino from "pino";
import { env } from "./env";
import { defineProcessValue } from "./process";

type Level = "debug" | "info" | "warn" | "error";

type Written = { process: string | null; isStdoutTaken: boolean };

const written = defineProcessValue("log.process", (): Written => ({ process: null, isStdoutTaken: false }));

/** Makes every line name the process, which shares its output with another one. Called before the first line. */
export function nameProcess(name: string): void {
  written().process = name;
}

/** Sends all lines to stderr: stdout is for the result of a command. Called before the first line. */
export function keepStdoutFree(): void {
  written().isStdoutTaken = true;
}

/** Characters of lines that are kept while the output takes none, for example because its disk is full; further lines are lost. */
const KEPT_MAX = 1_048_576;

/** A full pipe is tried again after this time, if no line comes before. */
const TRY_AGAIN_AFTER_MS = 100;

/**
 * An output of this process. If it fails, the process must not end: without the listener, each line would throw. If nobody reads it,
 * the process must not stop: by default pino sleeps, and the whole process with it, until there is room in the pipe.
 */
function outputTo(fd: 1 | 2) {
  const output = pino.destination({ fd, sync: true, maxLength: KEPT_MAX, retryEAGAIN: () => false });
  let isWaiting = false;
  return output.on("error", () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      // `flush` does nothing when lines are written at once.
      output.write("");
    }, TRY_AGAIN_AFTER_MS).unref();
  });
}

/** Warnings and errors go to stderr, everything else to stdout; both are written at once, so that a dying process loses no line. */
const logger = defineProcessValue("log", () =>
  pino(
    {
      level: env().LOG_LEVEL,
      base: written().process === null ? null : { process: written().process },
      messageKey: "event",
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    pino.multistream(
      [
        { level: "debug", stream: outputTo(written().isStdoutTaken ? 2 : 1) },
        { level: "warn", stream: outputTo(2) },
      ],
      { dedupe: true },
    ),
  ),
);

/** Fields of a line, in snake_case. */
export type LogFields = { [name: Lowercase<string>]: unknown };

/**
 * Writes one JSON line: one wide event per request or job, not a line per step.
 * Never pass secrets, message bodies or whole error objects of a provider.
 */
export const log = (level: Level, event: string, fields: LogFields = {}): void => logger()[level](fields, event);

/**
 * Whether the line of each request and job is written; otherwise its fields need not be gathered. At level info with LOG_REQUESTS,
 * otherwise at level debug.
 */
export const isWideLogged = (): boolean => logger().isLevelEnabled(wideLevel());

const wideLevel = (): Level => (env().LOG_REQUESTS ? "info" : "debug");

/** Writes the line of a request or job; see {@link log}. */
export const logWide = (event: string, fields: LogFields): void => log(wideLevel(), event, fields);

/** Longest message, and longest stack, of an exception in a line: the message may list every fault of an input of a megabyte. */
const MESSAGE_MAX = 2_000;
const STACK_MAX = 8_000;

const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max)}… [${text.length} characters]`.toWellFormed() : text;

/** A text from outside, as a line may hold it. */
export const loggedText = (text: string): string => cut(text, MESSAGE_MAX);

/** The stack of an exception, which begins with its message. */
function stackOf({ stack = "", message }: Error): string {
  const shown = loggedText(message);
  // Without the whole message, which would leave no room for the calls.
  return cut(shown === message ? stack : stack.replace(message, () => shown), STACK_MAX);
}

/** The fields of an exception that may be logged. `cause`: the message of its first cause, which callers never see. */
export function errorFields(thrown: unknown): { error: string; stack?: string; cause?: string } {
  if (!(thrown instanceof Error)) return { error: loggedText(String(thrown)) };
  const cause = causeOf(thrown);
  return {
    error: loggedText(`${thrown.name}: ${thrown.message}`),
    ...(cause ? { cause: loggedText(cause) } : {}),
    ...(thrown.stack !== undefined && { stack: stackOf(thrown) }),
  };
}

/** The message of an exception. When every address of a name refused a connection, the messages are those of the parts. */
export function messageWithParts(thrown: Error): string {
  const parts = thrown instanceof AggregateError ? thrown.errors.filter((part) => part instanceof Error) : [];
  return thrown.message || parts.map((part) => part.message).join("; ") || thrown.name;
}

/** The message of the first cause of an exception; undefined: it has none. */
export function causeOf(thrown: Error): string | undefined {
  let first: unknown = thrown.cause;
  while (first instanceof Error && first.cause instanceof Error) first = first.cause;
  return first instanceof Error ? messageWithParts(first) : undefined;
}
