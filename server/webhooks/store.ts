/**
 * The hand-written SQL of deliveries. A change of deliveries first locks their endpoints in the order of their ids, so
 * that batches wait for each other instead of deadlocking, and state read under the lock stays true.
 */
import { filterEquals, pool, type Tx, transaction } from "../core/db";
import type { JobPayload } from "../core/jobs";
import { perProcess } from "../core/process";
import { INSERT_CHANGES } from "../lists/store";
import { MESSAGE_COLUMNS, type MessageRow } from "../messages/present";
import type { EndpointState } from "./delivery-outcome";
import type { SealedSecrets } from "./secrets";

/** The endpoint of a delivery, with its secrets still sealed. */
export type Target = EndpointState & SealedSecrets & { url: string };

/** A due delivery: its event and a row of `messages`. */
export type DueDelivery = MessageRow & {
  deliveryId: string;
  round: number;
  attemptsMade: number;
  eventId: string;
  eventType: string;
  eventStatus: string;
  eventCreatedAt: Date;
};

const OWNERS_MAX = 10_000;
const PARKED_PER_STEP = 1_000;

const STATE_COLUMNS = `id, is_active AS "isActive", deleted_at IS NOT NULL AS "isDeleted",
  failure_count AS "failureCount", last_success_at AS "lastSuccessAt", last_failure_at AS "lastFailureAt",
  disabled_at AS "disabledAt"`;

/** The columns that a request to an endpoint needs; the previous secret only while it still signs. */
export const TARGET_COLUMNS = `url, secret_sealed AS "secretSealed",
  CASE WHEN previous_secret_until > now() THEN previous_secret_sealed END AS "previousSecretSealed"`;

/** Updates the totals of lists by `moved`: deliveries (`endpoint_id`) that went from the status `former` to `status`. */
export const INSERT_MOVES = `${INSERT_CHANGES}
  SELECT 'deliveries', m.endpoint_id, c.status, sum(c.change)
  FROM moved m CROSS JOIN LATERAL (VALUES (m.former, -1), (m.status, 1)) AS c (status, change)
  GROUP BY m.endpoint_id, c.status HAVING sum(c.change) <> 0`;

/** Whether the endpoint receives events now. */
export const isOpen = (endpoint: EndpointState): boolean => endpoint.isActive && !endpoint.isDeleted;

/** The account of an endpoint, deleted or not; null when there never was one. Cached, because it never changes. */
export function ownerOf(endpointId: string): Promise<string | null> {
  const owners = perProcess("webhooks.owners", () => new Map<string, Promise<string | null>>());
  const cached = owners.get(endpointId);
  if (cached) return cached;
  if (owners.size >= OWNERS_MAX) owners.clear();
  const read = readOwner(endpointId);
  owners.set(endpointId, read);
  const forget = () => owners.delete(endpointId);
  read.then((owner) => owner ?? forget(), forget);
  return read;
}

async function readOwner(endpointId: string): Promise<string | null> {
  const { rows } = await pool().query<{ accountId: string }>({
    name: "webhooks.read_owner",
    text: `SELECT account_id AS "accountId" FROM webhook_endpoints WHERE id = $1`,
    values: [endpointId],
  });
  return rows[0]?.accountId ?? null;
}

/** The endpoint, deleted or not; null when there never was one. */
export async function loadTarget(endpointId: string): Promise<Target | null> {
  const { rows } = await pool().query<Target>({
    name: "webhooks.load_target",
    text: `SELECT ${STATE_COLUMNS}, ${TARGET_COLUMNS} FROM webhook_endpoints WHERE id = $1`,
    values: [endpointId],
  });
  return rows[0] ?? null;
}

/**
 * The deliveries of a job that are to be sent now, in the order of their events. Leaves out a delivery that has ended, or
 * that was tried or recovered since the job was queued (as a job that runs twice finds): it needs no job or has its own.
 */
export async function loadDue(job: JobPayload<"deliver_webhooks">): Promise<DueDelivery[]> {
  const { rows } = await pool().query<DueDelivery>({
    name: "webhooks.load_due",
    text: `SELECT ${MESSAGE_COLUMNS}, d.id AS "deliveryId", d.round, d.attempts AS "attemptsMade",
             e.id AS "eventId", e.type AS "eventType", e.status AS "eventStatus", e.created_at AS "eventCreatedAt"
           FROM webhook_deliveries d JOIN events e ON e.id = d.event_id JOIN messages m ON m.id = e.message_id
           WHERE d.id = ANY($2::text[]) AND d.endpoint_id = $1 AND ${filterEquals("d.status", "pending")}
             AND CASE WHEN $3::int4 IS NULL THEN d.next_attempt_at <= now() ELSE d.attempts = $3 AND d.round = $4 END
           ORDER BY e.id`,
    values: [job.endpointId, job.deliveryIds, job.attemptsMade ?? null, job.round ?? 0],
  });
  return rows;
}

/** Locks endpoints in the order of their ids, as every change of their deliveries must do first. */
export async function lockEndpoints(tx: Tx, ids: Iterable<string>): Promise<EndpointState[]> {
  const { rows } = await tx.query<EndpointState>({
    name: "webhooks.lock_endpoints",
    text: `SELECT ${STATE_COLUMNS} FROM webhook_endpoints WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`,
    values: [[...new Set(ids)]],
  });
  return rows;
}

/**
 * Stops sending pending deliveries: `held` when their endpoint is disabled, `abandoned` when it is deleted.
 * @returns false when the endpoint is open (again); nothing was changed then.
 */
export const parkDeliveries = (endpointId: string, deliveryIds: readonly string[]): Promise<boolean> =>
  transaction(async (tx) => {
    const [endpoint] = await lockEndpoints(tx, [endpointId]);
    if (!endpoint || isOpen(endpoint)) return endpoint === undefined;
    await tx.query({
      name: "webhooks.park_deliveries",
      text: `WITH moved AS (
               UPDATE webhook_deliveries SET next_attempt_at = NULL, finished_at = CASE WHEN $3 THEN now() END,
                 status = CASE WHEN $3 THEN 'abandoned' ELSE 'held' END
               WHERE endpoint_id = $1 AND id = ANY($2::text[]) AND ${filterEquals("status", "pending")}
               RETURNING endpoint_id, 'pending' AS former, status
             ) ${INSERT_MOVES}`,
      values: [endpointId, deliveryIds, endpoint.isDeleted],
    });
    return true;
  });

/**
 * Parks every pending delivery of a closed endpoint, in steps, so that its lock is never held for long. Deliveries added
 * meanwhile, or left over by a crash, are parked by their own jobs. The order is that of the next try, so that the index
 * of pending deliveries is walked once and the endpoint's history never.
 * @returns false when the endpoint is open (again).
 */
export async function parkAllPending(endpointId: string): Promise<boolean> {
  for (let after = { at: new Date(0), id: "" }; ; ) {
    const { rows } = await pool().query<{ id: string; at: Date }>({
      name: "webhooks.read_pending",
      text: `SELECT id, next_attempt_at AS at FROM webhook_deliveries
             WHERE endpoint_id = $1 AND status = 'pending' AND (next_attempt_at, id) > ($2::timestamptz, $3)
             ORDER BY next_attempt_at, id LIMIT $4`,
      values: [endpointId, after.at.toISOString(), after.id, PARKED_PER_STEP],
    });
    const last = rows.at(-1);
    if (!last) return true;
    const ids = rows.map((row) => row.id);
    if (!(await parkDeliveries(endpointId, ids))) return false;
    after = last;
  }
}
