/** Finds the person of a session, for limits, which must neither wait for the database nor depend on it. */
import { pool } from "../../core/db";
import { errorFields, log } from "../../core/log";
import { defineProcessValue } from "../../core/process";
import { LIVE_SESSION } from "./sessions";

const KNOWN_MAX = 20_000;

/** The person of each session that was looked up, null if it had ended. `asked`: those that are being looked up. */
const persons = defineProcessValue("sessions.persons", () => ({
  known: new Map<string, string | null>(),
  asked: new Map<string, Promise<void>>(),
}));

async function lookUp(sessionId: string): Promise<void> {
  const { known, asked } = persons();
  try {
    const { rows } = await pool().query<{ userId: string }>({
      name: "sessions.person",
      text: `SELECT s.user_id AS "userId" FROM sessions s WHERE s.id = $1 AND ${LIVE_SESSION}`,
      values: [sessionId],
    });
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(sessionId, rows[0]?.userId ?? null);
  } catch (thrown) {
    log("debug", "auth.person_not_looked_up", errorFields(thrown));
  } finally {
    asked.delete(sessionId);
  }
}

/**
 * The person of a session, looked up once. For limits only: a session that ends later still has its person here.
 * @returns null for a session that had ended, undefined until the look-up has its result.
 */
export function personOfSession(sessionId: string): string | null | undefined {
  const { known, asked } = persons();
  const person = known.get(sessionId);
  if (person === undefined && !asked.has(sessionId)) asked.set(sessionId, lookUp(sessionId));
  return person;
}
