import { inAccountQueue } from "../accounts/account-queue";
import { createOnce } from "../accounts/idempotency/create-once";
import { type IdempotentRequest, plainRequest } from "../accounts/idempotency/request";
import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import type { AccountActor } from "../core/actor";
import { nextUtcDay, now, secondsUntil, utcDay } from "../core/clock";
import { prisma, type Tx } from "../core/db";
import { invalidRequest, notFound, rateLimited } from "../core/errors";
import { firstIdAt, newId } from "../core/ids";
import { assertReachable } from "./delivery/assert-reachable";
import { newSigningSecret } from "./delivery/signature";
import { type EndpointRow, presentEndpoint } from "./present";
import {
  type CreatedWebhookEndpoint,
  type CreateWebhookInput,
  EVENT_TYPES,
  type EventType,
  type RotatedWebhookEndpoint,
  STATUS_EVENT_TYPES,
  type UpdateWebhookInput,
  type WebhookEndpoint,
} from "./schema";
import { sealSecret } from "./secrets";

const ENDPOINTS_MAX = 50;
/** Deleted endpoints are kept for their deliveries, so their number needs a limit. */
const CREATED_PER_DAY_MAX = 1_000;
const PREVIOUS_SECRET_SIGNS_FOR = "24 hours";

const ENDPOINT_COLUMNS = {
  id: true,
  accountId: true,
  url: true,
  description: true,
  events: true,
  isActive: true,
  failureCount: true,
  lastSuccessAt: true,
  lastFailureAt: true,
  disabledAt: true,
  disabledReason: true,
  pausedAt: true,
  pausedBy: true,
  createdAt: true,
} as const;

/** The columns of an {@link EndpointRow} for hand-written SQL. */
const RETURNED_COLUMNS = `id, account_id AS "accountId", url, description, events, is_active AS "isActive", failure_count AS "failureCount",
  last_success_at AS "lastSuccessAt", last_failure_at AS "lastFailureAt", disabled_at AS "disabledAt",
  disabled_reason AS "disabledReason", paused_at AS "pausedAt", paused_by AS "pausedBy", created_at AS "createdAt"`;

/** 404: the account has no such endpoint, or it was deleted. */
export const noSuchEndpoint = () => notFound("There is no webhook endpoint with this id.", { param: "id" });

/** 400: the endpoint gets no events until somebody enables or resumes it. */
export const endpointIsDisabled = (isPaused: boolean) =>
  invalidRequest(
    isPaused ? "This endpoint is paused. Resume it first." : "This endpoint is disabled. Enable it first.",
    {
      param: "id",
      reason: "endpoint_disabled",
    },
  );

/**
 * Creates an endpoint. Only this response contains its signing secret, which is stored encrypted.
 * @throws 400 `url_not_allowed` for a URL that deliveries must not reach, `endpoint_limit` beyond 50 endpoints; 429
 *   `endpoint_creation_limit` beyond 1,000 new endpoints in a UTC day.
 */
export async function createEndpoint(
  actor: AccountActor,
  input: CreateWebhookInput,
  request: IdempotentRequest = plainRequest(),
): Promise<CreatedWebhookEndpoint> {
  const signingSecret = newSigningSecret();
  const row: EndpointRow = {
    id: newId("endpoint"),
    accountId: actor.accountId,
    url: input.url,
    description: input.description ?? null,
    events: subscriptionOf(input.events ?? ["*"]),
    isActive: true,
    failureCount: 0,
    lastSuccessAt: null,
    lastFailureAt: null,
    disabledAt: null,
    disabledReason: null,
    pausedAt: null,
    pausedBy: null,
    createdAt: now(),
  };
  const carryOut = async (tx: Tx): Promise<CreatedWebhookEndpoint> => {
    await insertEndpoint(tx, row, signingSecret);
    const change = { action: "endpoint.created", accountId: actor.accountId, subjectId: row.id } as const;
    await recordAudit(tx, actor, { ...change, after: auditOf(row) });
    return { ...presentEndpoint(row), signing_secret: signingSecret };
  };
  return createOnce(actor, request, { check: () => assertReachable(input.url), showsSecret: true, carryOut });
}

/**
 * Inserts an endpoint. createOnce holds the account's lock, so concurrent creations count one after the other.
 * @throws as {@link createEndpoint}
 */
async function insertEndpoint(tx: Tx, row: EndpointRow, signingSecret: string): Promise<void> {
  const { rows } = await tx.query<{ kept: number; today: number }>(
    `WITH counted AS (
       SELECT
         (SELECT count(*)::int4 FROM webhook_endpoints WHERE account_id = $2 AND deleted_at IS NULL) AS kept,
         (SELECT count(*)::int4 FROM (
            SELECT FROM webhook_endpoints WHERE account_id = $2 AND id >= $8 LIMIT ${CREATED_PER_DAY_MAX}) AS made) AS today
     ), inserted AS (
       INSERT INTO webhook_endpoints (id, account_id, url, description, events, secret_sealed, created_at)
       SELECT $1, $2, $3, $4, $5::text[], $6, $7::timestamptz
       FROM counted WHERE kept < ${ENDPOINTS_MAX} AND today < ${CREATED_PER_DAY_MAX}
     )
     SELECT kept, today FROM counted`,
    [
      row.id,
      row.accountId,
      row.url,
      row.description,
      row.events,
      sealSecret(signingSecret),
      row.createdAt.toISOString(),
      firstIdAt("endpoint", new Date(utcDay(row.createdAt))),
    ],
  );
  const { kept = 0, today = 0 } = rows[0] ?? {};
  if (kept >= ENDPOINTS_MAX) {
    throw invalidRequest(`An account has at most ${ENDPOINTS_MAX} webhook endpoints.`, { reason: "endpoint_limit" });
  }
  if (today >= CREATED_PER_DAY_MAX) {
    throw rateLimited(`An account makes at most ${CREATED_PER_DAY_MAX} webhook endpoints in a UTC day.`, {
      reason: "endpoint_creation_limit",
      details: { limit: CREATED_PER_DAY_MAX },
      retryAfterS: secondsUntil(nextUtcDay(row.createdAt)),
    });
  }
}

/** Event types as they are stored: each once, `*` as the status changes. */
const subscriptionOf = (wanted: readonly string[]): EventType[] => {
  const named = wanted.includes("*") ? [...STATUS_EVENT_TYPES, ...wanted] : wanted;
  return EVENT_TYPES.filter((type) => named.includes(type));
};

/** All endpoints of the account, newest first. */
export async function listEndpoints(actor: AccountActor) {
  const rows = await prisma().webhookEndpoint.findMany({
    where: { accountId: actor.accountId, deletedAt: null },
    select: ENDPOINT_COLUMNS,
    orderBy: { id: "desc" },
  });
  return { object: "list" as const, data: rows.map(presentEndpoint) };
}

/** One endpoint. @throws 404 */
export async function getEndpoint(actor: AccountActor, id: string) {
  const row = await prisma().webhookEndpoint.findFirst({
    where: { id, accountId: actor.accountId, deletedAt: null },
    select: ENDPOINT_COLUMNS,
  });
  if (!row) throw noSuchEndpoint();
  return presentEndpoint(row);
}

const auditOf = ({ url, description, events }: EndpointRow) => ({ url, description, events });

/**
 * Reads an endpoint and locks it until the transaction ends. @throws 404
 * @param mode `UPDATE` also waits for transactions that are parking deliveries of new events (see recordEvents).
 */
export async function lockEndpoint(
  tx: Tx,
  actor: AccountActor,
  id: string,
  mode: "NO KEY UPDATE" | "UPDATE" = "NO KEY UPDATE",
): Promise<EndpointRow> {
  const { rows } = await tx.query<EndpointRow>(
    `SELECT ${RETURNED_COLUMNS} FROM webhook_endpoints
     WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL FOR ${mode}`,
    [id, actor.accountId],
  );
  if (!rows[0]) throw noSuchEndpoint();
  return rows[0];
}

/**
 * Changes only the given fields: the secret, the failure count and whether the endpoint is active stay. Waiting deliveries are
 * posted to a new URL, and requests to the former one no longer count; new event types apply to events from now on.
 * @throws 404, 400 `url_not_allowed`
 */
export async function updateEndpoint(
  actor: AccountActor,
  { id, url, description, events }: UpdateWebhookInput,
): Promise<WebhookEndpoint> {
  const { accountId } = actor;
  const current = await getEndpoint(actor, id);
  if (url !== undefined) await assertReachable(url);
  if (url === undefined && description === undefined && events === undefined) return current;
  const update = async (tx: Tx) => {
    const before = await lockEndpoint(tx, actor, id);
    const after: EndpointRow = {
      ...before,
      url: url ?? before.url,
      events: events ? subscriptionOf(events) : before.events,
      description: description === undefined ? before.description : description,
    };
    await tx.query(
      `UPDATE webhook_endpoints SET url = $2, events = $3::text[], description = $4,
         generation = generation + CASE WHEN url = $2 THEN 0 ELSE 1 END WHERE id = $1`,
      [id, after.url, after.events, after.description],
    );
    const change = { action: "endpoint.updated", accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, before: auditOf(before), after: auditOf(after) });
    return presentEndpoint(after);
  };
  return inAccountQueue(accountId, () => transactionBy(actor, update));
}

/** Deletes an endpoint: it gets no more events, and its pending deliveries are not sent. @throws 404 */
export async function deleteEndpoint(actor: AccountActor, id: string) {
  const { accountId } = actor;
  await transactionBy(actor, async (tx) => {
    const { rows } = await tx.query<{ url: string; description: string | null; events: string[] }>(
      `UPDATE webhook_endpoints SET deleted_at = $3 WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
       RETURNING url, description, events`,
      [id, accountId, now()],
    );
    const [before] = rows;
    if (!before) throw noSuchEndpoint();
    await recordAudit(tx, actor, { action: "endpoint.deleted", accountId, subjectId: id, before });
  });
  return { id, object: "webhook_endpoint", deleted: true as const };
}

/**
 * Enables a disabled endpoint, or ends its pause: it gets the events from now on; parked deliveries stay parked. An active endpoint
 * and its failure count are left unchanged.
 * @throws 404
 */
export async function enableEndpoint(actor: AccountActor, id: string) {
  // FOR UPDATE waits for transactions that are parking deliveries (see recordEvents); a plain UPDATE would not.
  const { accountId } = actor;
  const enable = async (tx: Tx) => {
    const { rowCount } = await tx.query(
      `WITH disabled AS (
       SELECT id FROM webhook_endpoints
       WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL AND NOT is_active FOR UPDATE
     )
     UPDATE webhook_endpoints e SET is_active = true, failure_count = 0, disabled_at = NULL, disabled_reason = NULL,
       paused_at = NULL, paused_by = NULL, resume_from = NULL, generation = e.generation + 1
     FROM disabled WHERE e.id = disabled.id`,
      [id, accountId],
    );
    if (!rowCount) return;
    const [before, after] = [{ is_active: false }, { is_active: true }];
    await recordAudit(tx, actor, { action: "endpoint.enabled", accountId, subjectId: id, before, after });
  };
  await inAccountQueue(accountId, () => transactionBy(actor, enable));
  return getEndpoint(actor, id);
}

/**
 * Gives an endpoint a new signing secret, shown in this response only. The previous one also signs for 24 hours; any
 * older one stops signing.
 * @throws 404
 */
export async function rotateSecret(
  actor: AccountActor,
  id: string,
  request: IdempotentRequest = plainRequest(),
): Promise<RotatedWebhookEndpoint> {
  const signingSecret = newSigningSecret();
  const carryOut = async (tx: Tx): Promise<RotatedWebhookEndpoint> => {
    const { rows } = await tx.query<EndpointRow & { previousSecretUntil: Date }>(
      `UPDATE webhook_endpoints SET secret_sealed = $3, previous_secret_sealed = secret_sealed,
         previous_secret_until = now() + $4::interval
       WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
       RETURNING ${RETURNED_COLUMNS}, previous_secret_until AS "previousSecretUntil"`,
      [id, actor.accountId, sealSecret(signingSecret), PREVIOUS_SECRET_SIGNS_FOR],
    );
    const [row] = rows;
    if (!row) throw noSuchEndpoint();
    const change = { action: "endpoint.secret_rotated", accountId: actor.accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, after: { url: row.url } });
    return {
      ...presentEndpoint(row),
      signing_secret: signingSecret,
      previous_secret_expires_at: row.previousSecretUntil.toISOString(),
    };
  };
  return createOnce(actor, request, { showsSecret: true, whileSuspended: true, carryOut });
}
