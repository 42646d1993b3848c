/** Reroutes queued messages of a provider that is drained, or whose breaker is open or half-open, or fails them after ten minutes. */

import { addJob } from "../../core/add-jobs";
import { MINUTE_MS, now, SECOND_MS } from "../../core/clock";
import { inOrderOfIndex, transaction } from "../../core/db";
import { defineProcessValue } from "../../core/process";
import type { ProviderState, ProviderTable } from "../../providers/registry";
import { PROVIDERS } from "../../providers/schema";
import { failUndispatched } from "./fail-undispatched";

/** How long a message waits while all of its providers are unavailable. */
const UNAVAILABLE_MAX_MS = 10 * MINUTE_MS;
const BATCH = 500;
/**
 * The most queued messages that a statement, and a call, checks: millions in a queue may have no other provider. A call fails no more
 * either, because the queues of other providers wait for it.
 */
const LOOKED_AT = { once: 1_000, call: 10_000 };
const CHECK_EVERY_MS = SECOND_MS;
/** Messages may be queued by a cached state for this long after the state has changed. */
const LATE_MS = 10 * SECOND_MS;

const NO_PROVIDER = {
  code: "no_provider_available",
  message: "No provider for this number was available for ten minutes.",
};

/**
 * The check of a provider's queue. `begunAt`: `performance.now()`. `place`: when the last checked message entered the queue; null: the
 * end is reached. `withinMs`: only messages queued within this time before it began are checked; null: all.
 */
type Check = { usable: ReadonlySet<string>; begunAt: number; withinMs: number | null; place: Date | null };

const lastChecks = defineProcessValue("messages.unavailable_checks", () => new Map<string, Check>());

/**
 * Reroutes messages queued at an unavailable provider, about once a second, and fails them after ten minutes. A long queue takes several
 * calls.
 */
export async function rerouteUnavailable(
  state: ProviderState,
  table: ProviderTable,
  lookedAt = LOOKED_AT,
): Promise<void> {
  const checks = lastChecks();
  const last = checks.get(state.id);
  const at = performance.now();
  const usable = new Set<string>(PROVIDERS.filter((id) => isUsable(table, id)));
  const hasNew = last === undefined || [...usable].some((id) => !last.usable.has(id));
  const isUnderWay = !hasNew && last.place !== null;
  if (!hasNew && !isUnderWay && at - last.begunAt < CHECK_EVERY_MS) {
    checks.set(state.id, { ...last, usable });
    return;
  }
  // The whole queue is checked when another provider has become usable, otherwise only the messages queued since.
  const begun: Check = { usable, begunAt: at, withinMs: hasNew ? null : at - last.begunAt + LATE_MS, place: null };
  const check = isUnderWay ? { ...last, usable } : begun;
  const place = usable.size > 0 ? await release(state.id, check, lookedAt) : null;
  checks.set(state.id, { ...check, place });
  if ((state.unavailableForMs ?? 0) > UNAVAILABLE_MAX_MS) await giveUp(state.id, lookedAt.call, place);
}

const isUsable = (table: ProviderTable, id: string): boolean =>
  table.isRoutable(id) && !table.isUnavailable(id) && table.stateOf(id)?.breaker === "closed";

/** Continues a check until a batch of messages is released. @returns how far it has come; null: to the end. */
async function release(provider: string, check: Check, lookedAt: typeof LOOKED_AT): Promise<Date | null> {
  let { place } = check;
  for (let looked = 0, released = 0; looked < lookedAt.call && released < BATCH; ) {
    const rows = await releaseNext(provider, { ...check, place }, lookedAt.once);
    released += rows.filter(({ isReleased }) => isReleased).length;
    looked += lookedAt.once;
    place = rows.at(-1)?.queuedAt ?? null;
    if (rows.length < lookedAt.once) return null;
  }
  return place;
}

/** A message that a check has looked at. */
type Looked = { id: string; queuedAt: Date; isReleased: boolean };

/**
 * Checks the next messages, and dispatches those again that have a usable provider left; one that is listed twice may be tried twice.
 * Messages that entered the queue together are checked together. @returns the checked messages.
 */
async function releaseNext(provider: string, { usable, withinMs, place }: Check, limit: number): Promise<Looked[]> {
  return transaction(async (tx) => {
    const { rows } = await inOrderOfIndex(tx, () =>
      tx.query<Looked>({
        name: "unavailable.release",
        // Materialized: a subquery that is evaluated again while rows disappear would exceed its limit. OFFSET 0 and ARRAY: messages and
        // their places are looked up by id, whatever the statistics say. WITH TIES: no index has the order of a second column.
        text: `WITH looked AS MATERIALIZED (
               SELECT message_id, created_at FROM waiting_messages
               WHERE provider = $1 AND created_at > COALESCE($4::timestamptz, now() - $3::float8 * interval '1 millisecond', '-infinity')
               ORDER BY created_at FETCH FIRST ($5::int8) ROWS WITH TIES),
             movable AS MATERIALIZED (
               SELECT m.id FROM looked l
               CROSS JOIN LATERAL (SELECT r.id, r.chain FROM messages r WHERE r.id = l.message_id OFFSET 0) m
               WHERE EXISTS (SELECT 1 FROM unnest(m.chain) AS p (id) WHERE p.id = ANY($2::text[])
                 AND (SELECT count(*) FROM message_attempts a WHERE a.message_id = m.id AND a.provider = p.id)
                   < (SELECT count(*) FROM unnest(m.chain) AS o (id) WHERE o.id = p.id))),
             locked AS MATERIALIZED (
               SELECT message_id FROM waiting_messages WHERE message_id = ANY(ARRAY(SELECT id FROM movable))
               FOR UPDATE SKIP LOCKED),
             released AS (
               DELETE FROM waiting_messages WHERE message_id = ANY(ARRAY(SELECT message_id FROM locked)) RETURNING message_id)
             SELECT l.message_id AS id, l.created_at AS "queuedAt", r.message_id IS NOT NULL AS "isReleased"
             FROM looked l LEFT JOIN released r ON r.message_id = l.message_id ORDER BY l.created_at`,
        values: [provider, [...usable], withinMs, place, limit],
      }),
    );
    const messageIds = rows.filter(({ isReleased }) => isReleased).map(({ id }) => id);
    if (messageIds.length > 0) await addJob(tx, "dispatch_messages", { messageIds });
    return rows;
  });
}

/**
 * Fails and refunds up to `max` messages that have waited for too long.
 * @param place where the check under way is: the messages behind it may have a usable provider left. Null: none is under way.
 */
async function giveUp(provider: string, max: number, place: Date | null): Promise<void> {
  for (let left = max; left > 0; ) {
    const limit = Math.min(BATCH, left);
    const found = await transaction(async (tx) => {
      const { rows } = await inOrderOfIndex(tx, () =>
        tx.query<{ messageId: string }>({
          name: "unavailable.give_up",
          text: `WITH batch AS MATERIALIZED (
                   SELECT message_id FROM waiting_messages
                   WHERE provider = $1 AND created_at < now() - $2::float8 * interval '1 millisecond'
                     AND created_at <= COALESCE($4::timestamptz, 'infinity')
                   ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED)
                 DELETE FROM waiting_messages WHERE message_id = ANY(ARRAY(SELECT message_id FROM batch))
                 RETURNING message_id AS "messageId"`,
          values: [provider, UNAVAILABLE_MAX_MS, limit, place],
        }),
      );
      await failUndispatched(
        tx,
        rows.map((row) => ({ ...row, error: NO_PROVIDER })),
        now(),
      );
      return rows.length;
    });
    if (found < limit) return;
    left -= found;
  }
}
