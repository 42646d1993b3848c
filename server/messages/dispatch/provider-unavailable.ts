/** Queued messages of a provider that is drained, open or half-open: they are rerouted, or fail after ten minutes. */

import { addJob } from "../../core/add-jobs";
import { MINUTE_MS, now, SECOND_MS } from "../../core/clock";
import { transaction } from "../../core/db";
import { defineProcessValue } from "../../core/process";
import type { ProviderState, ProviderTable } from "../../providers/registry";
import { PROVIDERS } from "../../providers/schema";
import { failUndispatched } from "./fail-undispatched";

/** How long a message waits while all of its providers are unavailable. */
const UNAVAILABLE_MAX_MS = 10 * MINUTE_MS;
const BATCH = 500;
const CHECK_EVERY_MS = SECOND_MS;
/** Messages may be queued by a cached state for this long after the state has changed. */
const LATE_MS = 10 * SECOND_MS;

const NO_PROVIDER = {
  code: "no_provider_available",
  message: "No provider for this number was available for ten minutes.",
};

/** The last check of a provider's queue. `at`: `performance.now()`. `isDone`: the whole queue was checked. */
type Check = { usable: ReadonlySet<string>; at: number; isDone: boolean };

const lastChecks = defineProcessValue("messages.unavailable_checks", () => new Map<string, Check>());

/** Reroutes messages queued at an unavailable provider, about once a second, and fails them after ten minutes. */
export async function rerouteUnavailable(state: ProviderState, table: ProviderTable): Promise<void> {
  const checks = lastChecks();
  const last = checks.get(state.id);
  const at = performance.now();
  const usable = new Set<string>(PROVIDERS.filter((id) => isUsable(table, id)));
  const hasNew = last === undefined || [...usable].some((id) => !last.usable.has(id));
  if (!hasNew && last.isDone && at - last.at < CHECK_EVERY_MS) {
    checks.set(state.id, { ...last, usable });
    return;
  }
  // The whole queue is checked when another provider has become usable, otherwise only the messages queued since.
  const withinMs = hasNew || !last.isDone ? null : at - last.at + LATE_MS;
  const released = usable.size > 0 ? await release(state.id, [...usable], withinMs) : 0;
  checks.set(state.id, { usable, at, isDone: released < BATCH });
  if ((state.unavailableForMs ?? 0) > UNAVAILABLE_MAX_MS) await giveUp(state.id);
}

const isUsable = (table: ProviderTable, id: string): boolean =>
  table.isRoutable(id) && !table.isUnavailable(id) && table.stateOf(id)?.breaker === "closed";

/**
 * Dispatches messages again that have a provider left among `usable`, where one that is listed twice may be tried twice.
 * @param withinMs only messages queued within this time; null: all.
 */
async function release(provider: string, usable: string[], withinMs: number | null): Promise<number> {
  return transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string }>({
      name: "unavailable.release",
      // Materialized: a subquery that is evaluated again while rows disappear would exceed its limit. OFFSET 0: messages are looked up by
      // the rows of the queue, whatever the statistics say.
      text: `WITH batch AS MATERIALIZED (
               SELECT w.message_id FROM waiting_messages w
               CROSS JOIN LATERAL (SELECT r.id, r.chain FROM messages r WHERE r.id = w.message_id OFFSET 0) m
               WHERE w.provider = $1 AND w.created_at >= COALESCE(now() - $3::float8 * interval '1 millisecond', '-infinity')
                 AND EXISTS (SELECT 1 FROM unnest(m.chain) AS p (id) WHERE p.id = ANY($2::text[])
                   AND (SELECT count(*) FROM message_attempts a WHERE a.message_id = m.id AND a.provider = p.id)
                     < (SELECT count(*) FROM unnest(m.chain) AS o (id) WHERE o.id = p.id))
               LIMIT $4 FOR UPDATE OF w SKIP LOCKED)
             DELETE FROM waiting_messages w USING batch WHERE w.message_id = batch.message_id RETURNING w.message_id AS id`,
      values: [provider, usable, withinMs, BATCH],
    });
    if (rows.length > 0) await addJob(tx, "dispatch_messages", { messageIds: rows.map((row) => row.id) });
    return rows.length;
  });
}

/** Fails and refunds messages that have waited for too long. */
async function giveUp(provider: string): Promise<void> {
  for (let found = BATCH; found === BATCH; ) {
    found = await transaction(async (tx) => {
      const { rows } = await tx.query<{ messageId: string }>({
        name: "unavailable.give_up",
        text: `WITH batch AS MATERIALIZED (
                 SELECT message_id FROM waiting_messages
                 WHERE provider = $1 AND created_at < now() - $2::float8 * interval '1 millisecond'
                 ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED
               )
               DELETE FROM waiting_messages w USING batch WHERE w.message_id = batch.message_id
               RETURNING w.message_id AS "messageId"`,
        values: [provider, UNAVAILABLE_MAX_MS, BATCH],
      });
      await failUndispatched(
        tx,
        rows.map((row) => ({ ...row, error: NO_PROVIDER })),
        now(),
      );
      return rows.length;
    });
  }
}
