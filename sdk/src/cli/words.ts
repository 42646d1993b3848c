/** Texts that the command line prints for people. */
import { ApiError } from "../client.js";

/** Text in one line, without control characters: a recipient of a bulk request may hold any, and a terminal obeys some. */
const plain = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) =>
    character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Parts of a line, two spaces apart. */
export const lineOf = (...parts: readonly string[]): string => plain(parts.join("  "));

const textOf = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** The fields of an object that have a value, one per line. */
export function rowsOf(item: object): string {
  const fields = Object.entries(item).filter(([, value]) => value !== null && value !== "");
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => lineOf(name.padEnd(width), textOf(value))).join("\n");
}

/** The cause of a failure in words. Of an address that is tried over IPv4 and IPv6 the platform gives a code alone. */
export function causeOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (!(cause instanceof Error)) return String(cause);
  const { message, code = cause.name } = cause as NodeJS.ErrnoException;
  return message || code;
}

/** An error in one or more lines, with everything needed to act on it. `baseUrl`: the address that was called. */
export function describe(thrown: unknown, baseUrl: string): string {
  if (thrown instanceof ApiError) {
    const facts = [thrown.reason ?? thrown.code, thrown.param && `param ${thrown.param}`, thrown.requestId];
    return plain(`${thrown.status} ${thrown.message} (${facts.filter(Boolean).join(", ")})`);
  }
  const isLost = thrown instanceof TypeError && thrown.cause !== undefined;
  const isTimeout = thrown instanceof DOMException && thrown.name === "TimeoutError";
  if (isLost || isTimeout) return `${baseUrl} does not respond: ${causeOf(thrown)}`;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
