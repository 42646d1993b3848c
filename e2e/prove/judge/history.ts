/**
 * History of the database in order. The service's rows show only final states; the proof's own triggers record every step
 * and the process that made it.
 */
import type { Database } from "@/e2e/support/books";

/** An attempt inserted, updated or deleted. `process`: null when the change came from outside the service. */
export type AttemptStep = {
  atMs: number;
  process: string | null;
  op: "INSERT" | "UPDATE" | "DELETE";
  messageId: string;
  seq: number;
  provider: string;
  outcome: string | null;
};

/** A change of a message's status. */
type Move = { atMs: number; process: string | null; messageId: string; former: string; status: string };

/** An event as it was recorded, by the statement that also reads which endpoints are subscribed. */
type Recorded = { atMs: number; id: string };

/** Work of a queue: attempts begun, receipts stored, webhooks tried. */
type Work = { atMs: number; process: string | null; queue: Queue; count: number };

export const QUEUES = ["dispatch", "receipts", "webhooks"] as const;
export type Queue = (typeof QUEUES)[number];

/** Behind a pooler only the name of the connection identifies the process. */
const WHO = `coalesce(nullif(current_setting('prove.process', true), ''),
  substring(current_setting('application_name') FROM '^(?:web|worker)-\\d+\\.\\d+$'))`;
const AT = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

const trigger = (name: string, table: string, event: string, tables: string, body: string): string => `
  CREATE FUNCTION prove.${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NULL; END $$;
  CREATE TRIGGER prove_${name} AFTER ${event} ON ${table} REFERENCING ${tables} FOR EACH STATEMENT
    EXECUTE FUNCTION prove.${name}()`;

const attemptStep = (op: AttemptStep["op"], rows: string): string =>
  trigger(
    `attempts_${op.toLowerCase()}`,
    "message_attempts",
    op,
    rows,
    `INSERT INTO prove.attempts SELECT ${AT}, ${WHO}, '${op}', message_id, seq, provider, outcome FROM present`,
  );

const worked = (queue: Queue, table: string): string =>
  trigger(
    `work_${table}`,
    table,
    "INSERT",
    "NEW TABLE AS present",
    `INSERT INTO prove.work SELECT ${AT}, ${WHO}, '${queue}', count(*) FROM present HAVING count(*) > 0`,
  );

const SET_UP = [
  "CREATE SCHEMA prove",
  `CREATE TABLE prove.attempts (at_ms float8, process text, op text, message_id text, seq int, provider text, outcome text)`,
  "CREATE TABLE prove.moves (at_ms float8, process text, message_id text, former text, status text)",
  "CREATE TABLE prove.events (at_ms float8, id text)",
  "CREATE TABLE prove.work (at_ms float8, process text, queue text, count int)",
  attemptStep("INSERT", "NEW TABLE AS present"),
  attemptStep("UPDATE", "NEW TABLE AS present"),
  attemptStep("DELETE", "OLD TABLE AS present"),
  trigger(
    "moves",
    "messages",
    "UPDATE",
    "OLD TABLE AS former NEW TABLE AS present",
    `INSERT INTO prove.moves SELECT ${AT}, ${WHO}, p.id, f.status, p.status
     FROM present p JOIN former f ON f.id = p.id WHERE f.status <> p.status`,
  ),
  trigger(
    "events",
    "events",
    "INSERT",
    "NEW TABLE AS present",
    `INSERT INTO prove.events SELECT ${AT}, id FROM present`,
  ),
  worked("dispatch", "message_attempts"),
  worked("receipts", "receipts"),
  worked("webhooks", "webhook_deliveries"),
  worked("webhooks", "webhook_tries"),
];

/** Starts recording the database's history. */
export async function keepHistory(database: Database): Promise<void> {
  for (const statement of SET_UP) await database.rows(statement);
}

export type History = { attempts: AttemptStep[]; moves: Move[]; events: Recorded[]; work: Work[] };

/** The history so far, oldest first. */
export async function readHistory(database: Database): Promise<History> {
  const attempts = await database.rows<AttemptStep>(
    `SELECT at_ms AS "atMs", process, op, message_id AS "messageId", seq, provider, outcome FROM prove.attempts
     ORDER BY at_ms`,
  );
  const moves = await database.rows<Move>(
    `SELECT at_ms AS "atMs", process, message_id AS "messageId", former, status FROM prove.moves ORDER BY at_ms`,
  );
  const events = await database.rows<Recorded>(`SELECT at_ms AS "atMs", id FROM prove.events ORDER BY at_ms`);
  const work = await database.rows<Work>(
    `SELECT at_ms AS "atMs", process, queue, count FROM prove.work ORDER BY at_ms`,
  );
  return { attempts, moves, events, work };
}

/** Processes that have worked on each queue since then. */
export const workSince = (database: Database, sinceMs: number) =>
  database.rows<{ process: string; queue: Queue; count: number }>(
    `SELECT process, queue, sum(count)::int AS count FROM prove.work WHERE at_ms >= $1 AND process IS NOT NULL
     GROUP BY process, queue`,
    [sinceMs],
  );
