/** A report of an installation after a failed test: unfinished work in its database, and the last lines of its logs. */
import type { Installation } from "./installation";

type Shown = Pick<Installation, "database" | "web" | "workers">;

/** Lines shown of each process's log. */
const LINES_MAX = 60;

const UNFINISHED: Record<string, string> = {
  messages: `SELECT m.id, m.status, m.chain, m.created_at, now() - m.created_at AS age,
      (SELECT json_agg(json_build_object('seq', a.seq, 'provider', a.provider, 'outcome', a.outcome, 'code', a.code,
         'started_at', a.started_at, 'begun_at', a.begun_at, 'worker', a.worker_id) ORDER BY a.seq)
       FROM message_attempts a WHERE a.message_id = m.id) AS attempts,
      (SELECT w.provider FROM waiting_messages w WHERE w.message_id = m.id) AS queued_at
    FROM messages m WHERE m.status = 'pending' ORDER BY m.id LIMIT 20`,
  jobs: `SELECT j.id, t.identifier AS task, j.run_at, j.created_at, j.attempts, j.last_error, j.locked_at, j.locked_by
    FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id ORDER BY j.id LIMIT 20`,
  providers: `SELECT id, is_drained, breaker, open_until, opens, probes_left, unavailable_since, last_error FROM providers
    WHERE breaker <> 'closed' OR unavailable_since IS NOT NULL OR is_drained ORDER BY id`,
};

/** The last warnings and errors, and the last lines of all but API requests. */
function lastLines(output: string): string[] {
  const lines = output
    .trimEnd()
    .split("\n")
    .filter((line) => !line.includes('"operation":'));
  const grave = lines.filter((line) => /"level":"(warn|error)"/.test(line));
  return [...grave.slice(-LINES_MAX / 2), "…", ...lines.slice(-LINES_MAX / 2)];
}

/** @returns text for the output of the test run. */
export async function failureReport({ database, web, workers }: Shown): Promise<string> {
  const parts: string[] = [];
  for (const [name, text] of Object.entries(UNFINISHED)) {
    const rows = await database.rows(text).catch((thrown: Error) => [{ error: thrown.message }]);
    parts.push(`${name}:`, ...rows.map((row) => `  ${JSON.stringify(row)}`));
  }
  const processes = [["web", web] as const, ...workers.map((worker, at) => [`worker ${at + 1}`, worker] as const)];
  for (const [name, { output }] of processes) {
    parts.push(`${name}:`, ...lastLines(output()).map((line) => `  ${line}`));
  }
  return parts.join("\n");
}
