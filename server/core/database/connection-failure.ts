/** Tells failures of a connection from those of a statement, and whether the statement was certainly not carried out. */
import type pg from "pg";
import { errorCodeOf, messageOf } from "../errors";

/** A write on a read-only server: a standby that is not promoted yet, or a former primary. */
const READ_ONLY = "25006";
/** The error of a statement, or the last error of a server that crashes because it cannot write its WAL. */
export const DISK_FULL = "53100";
/** System codes of a connection that fails or is lost, and PostgreSQL's codes of a connection that it refuses or ends. */
const CODES = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
  // Shut down by an administrator, after a crash, or not yet started; too many connections; idle for too long, within a transaction
  // or outside; a transaction that took too long.
  ...["57P01", "57P02", "57P03", "53300", "25P03", "57P05", "25P04"],
  DISK_FULL,
  READ_ONLY,
]);
/** The driver's messages for the same failures; they have no code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client .* is not queryable)/;
const NEVER_SENT = /^Client .* is not queryable/;

/** Whether the connection failed, not the statement. SQLSTATEs that begin with 08 are connection exceptions. */
export function isConnectionFailure(thrown: unknown): boolean {
  const code = errorCodeOf(thrown);
  return CODES.has(code) || /^08\w{3}$/.test(code) || MESSAGES.test(messageOf(thrown));
}

/** Whether the statement never left this process. */
const isNeverSent = (thrown: unknown): boolean => NEVER_SENT.test(messageOf(thrown));

/** Whether the session went on after a failure because of a full disk. */
const sessionsGoOn = new WeakMap<object, Promise<boolean>>();
/** A server that goes on says so right after the failure. */
const SAID_WITHIN_MS = 1_000;

/**
 * Watches a new connection for {@link isNeverDone}. A session that goes on has rolled its failed statement back (ERROR); with
 * FATAL or PANIC it ends, and what it has done is unknown. The server translates these words (`lc_messages`), so they cannot be
 * relied on.
 */
export function watchFullDisk({ connection }: pg.PoolClient): void {
  connection.on("errorMessage", (failure: object) => {
    if (errorCodeOf(failure) !== DISK_FULL) return;
    const said = new Promise<boolean>((resolve) => {
      const goesOn = () => resolve(true);
      const ends = () => resolve(false);
      connection.once("readyForQuery", goesOn);
      connection.once("end", ends);
      setTimeout(ends, SAID_WITHIN_MS).unref();
    });
    sessionsGoOn.set(failure, said);
  });
}

/** Whether the server rolled back a statement that found the disk full, and goes on. */
const isTakenBack = async (thrown: unknown): Promise<boolean> => (await sessionsGoOn.get(thrown as object)) ?? false;

/** Whether the statement was certainly not carried out, so that it may be repeated even if it writes. */
export async function isNeverDone(thrown: unknown): Promise<boolean> {
  if (isNeverSent(thrown) || errorCodeOf(thrown) === READ_ONLY) return true;
  return errorCodeOf(thrown) === DISK_FULL && (await isTakenBack(thrown));
}
