/** Measures lone sends: one caller who sends from time to time, with an otherwise idle worker. */
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import type { LoadPlan, LoadResult } from "./load";
import type { Stage } from "./workload";

const SENDS_PER_S = 10;
const SECONDS = 20;
const DELIVERED_WITHIN_MS = 30_000;
const POLL_MS = 100;

/** `reply`: until the response. `deliveredMs`: from acceptance until the sandbox's receipt was applied. */
export type LoneReport = { reply: LoadResult; deliveredMs: { p50: number; p99: number } };

/** @throws Error when a message is not delivered in time. */
export async function measureLone(
  stage: Stage,
  database: Client,
  send: (plan: Pick<LoadPlan, "connections" | "rate" | "seconds">) => Promise<LoadResult>,
): Promise<LoneReport> {
  const { rows: before } = await database.query<{ lastId: string }>(
    `SELECT coalesce(max(id), '') AS "lastId" FROM messages`,
  );
  const lastId = before[0]?.lastId ?? "";
  const reply = await send({ connections: 1, rate: SENDS_PER_S, seconds: SECONDS });
  const deadline = performance.now() + DELIVERED_WITHIN_MS;
  for (;;) {
    const { rows } = await database.query<{ open: number; p50: number; p99: number }>(
      `SELECT open, p[1] AS p50, p[2] AS p99 FROM (
         SELECT (count(*) FILTER (WHERE delivered_at IS NULL))::int4 AS open, percentile_cont(ARRAY[0.5, 0.99])
           WITHIN GROUP (ORDER BY extract(epoch FROM delivered_at - created_at)::float8 * 1000) AS p
         FROM messages WHERE id > $1) AS sent`,
      [lastId],
    );
    const [row] = rows;
    if (row?.open === 0) return { reply, deliveredMs: { p50: row.p50, p99: row.p99 } };
    if (performance.now() > deadline) throw new Error(`${row?.open} lone sends were not delivered.`);
    await pause(POLL_MS, undefined, { signal: stage.signal });
  }
}
