import { createOnce, type DeedRequest, plainRequest } from "../accounts/answers";
import type { AccountActor } from "../core/actor";
import { now } from "../core/clock";
import { prisma } from "../core/db";
import { env } from "../core/env";
import { invalidRequest, notFound } from "../core/errors";
import { newId } from "../core/ids";
import { seal } from "../core/seal";
import { toPage } from "../core/wire";
import { isBlockedUrlError } from "./guard";
import { webhookGuard } from "./post";
import { type EndpointRow, presentDelivery, presentEndpoint, presentEvent } from "./present";
import {
  type CreatedWebhookEndpoint,
  type CreateWebhookInput,
  EVENT_TYPES,
  type EventType,
  type ListDeliveriesQuery,
  type ListEventsQuery,
} from "./schema";
import { newSigningSecret } from "./signature";

const ENDPOINTS_MAX = 50;

const ENDPOINT_COLUMNS = {
  id: true,
  url: true,
  description: true,
  events: true,
  isActive: true,
  failureCount: true,
  lastSuccessAt: true,
  lastFailureAt: true,
  disabledAt: true,
  createdAt: true,
} as const;

const COUNTER_OF = {
  "message.sent": "eventsSent",
  "message.delivered": "eventsDelivered",
  "message.failed": "eventsFailed",
} as const satisfies Record<EventType, string>;

const noSuchEndpoint = () => notFound("There is no webhook endpoint with this id.", { param: "id" });

/**
 * Creates an endpoint. Its signing secret is in this answer only; what is stored is encrypted.
 * @throws 400 for a URL that deliveries would not be allowed to reach, and past 50 endpoints.
 */
export async function createEndpoint(
  actor: AccountActor,
  input: CreateWebhookInput,
  request: DeedRequest = plainRequest(),
): Promise<CreatedWebhookEndpoint> {
  await assertReachable(input.url);
  const wanted = new Set<string>(input.events ?? ["*"]);
  const signingSecret = newSigningSecret();
  const row: EndpointRow = {
    id: newId("endpoint"),
    url: input.url,
    description: input.description ?? null,
    events: EVENT_TYPES.filter((type) => wanted.has("*") || wanted.has(type)),
    isActive: true,
    failureCount: 0,
    lastSuccessAt: null,
    lastFailureAt: null,
    disabledAt: null,
    createdAt: now(),
  };
  return createOnce(actor, request, async (tx) => {
    // createOnce holds the account's lock, so two creations count one after the other.
    const { rowCount } = await tx.query(
      `INSERT INTO webhook_endpoints (id, account_id, url, description, events, secret_sealed, created_at)
       SELECT $1, $2, $3, $4, $5::text[], $6, $7::timestamptz
       WHERE (SELECT count(*) FROM webhook_endpoints WHERE account_id = $2 AND deleted_at IS NULL) < $8`,
      [
        row.id,
        actor.accountId,
        row.url,
        row.description,
        row.events,
        seal(env().SECRET_KEY, "webhook signing secret", signingSecret),
        row.createdAt.toISOString(),
        ENDPOINTS_MAX,
      ],
    );
    if (rowCount === 0) {
      throw invalidRequest(`An account has at most ${ENDPOINTS_MAX} webhook endpoints.`, { reason: "endpoint_limit" });
    }
    return { ...presentEndpoint(row), signing_secret: signingSecret };
  });
}

/** Asks the guard that every delivery connects through. */
async function assertReachable(url: string): Promise<void> {
  try {
    await webhookGuard().assertAllowed(url);
  } catch (thrown) {
    if (!isBlockedUrlError(thrown)) throw thrown;
    throw invalidRequest(thrown.message, {
      param: "url",
      reason: "url_not_allowed",
      details: { problem: thrown.reason },
    });
  }
}

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

/** Deletes an endpoint: it gets no further event, and what is still pending for it is not sent. @throws 404 */
export async function deleteEndpoint(actor: AccountActor, id: string) {
  const { count } = await prisma().webhookEndpoint.updateMany({
    where: { id, accountId: actor.accountId, deletedAt: null },
    data: { deletedAt: now() },
  });
  if (count === 0) throw noSuchEndpoint();
  return { id, object: "webhook_endpoint", deleted: true as const };
}

/** Enables an endpoint that was disabled; events from now on are sent to it. What was held stays held. @throws 404 */
export async function enableEndpoint(actor: AccountActor, id: string) {
  await prisma().webhookEndpoint.updateMany({
    where: { id, accountId: actor.accountId, deletedAt: null },
    data: { isActive: true, failureCount: 0, disabledAt: null },
  });
  return getEndpoint(actor, id);
}

/** Events of the account, newest first, each with its message as it was then. */
export async function listEvents(actor: AccountActor, query: ListEventsQuery) {
  const { accountId } = actor;
  const [events, total] = await Promise.all([
    prisma().event.findMany({
      where: { accountId, type: query.type },
      orderBy: { id: "desc" },
      skip: (query.page - 1) * query.limit,
      take: query.limit,
    }),
    countEvents(accountId, query.type),
  ]);
  const messages = await prisma().message.findMany({
    where: { accountId, id: { in: events.map((event) => event.messageId) } },
  });
  const messageById = new Map(messages.map((message) => [message.id, message]));
  const items = events.flatMap((event) => {
    const message = messageById.get(event.messageId);
    return message ? [presentEvent(event, message)] : [];
  });
  return toPage(items, total, query);
}

/** From the counters of each day: counting the events themselves would read them all. */
async function countEvents(accountId: string, type: EventType | undefined): Promise<number> {
  const { _sum: sums } = await prisma().usageDay.aggregate({
    where: { accountId },
    _sum: { eventsSent: true, eventsDelivered: true, eventsFailed: true },
  });
  const counted: readonly EventType[] = type ? [type] : EVENT_TYPES;
  return counted.reduce((total, each) => total + (sums[COUNTER_OF[each]] ?? 0), 0);
}

/** Deliveries to one endpoint, newest first, each with every try. @throws 404 for an endpoint of another account. */
export async function listDeliveries(actor: AccountActor, query: ListDeliveriesQuery) {
  const { accountId } = actor;
  const endpoint = await prisma().webhookEndpoint.findFirst({
    where: { id: query.endpoint_id, accountId, deletedAt: null },
    select: { id: true },
  });
  if (!endpoint) throw notFound("There is no webhook endpoint with this id.", { param: "endpoint_id" });
  const where = { accountId, endpointId: endpoint.id, status: query.status };
  const [rows, total] = await Promise.all([
    prisma().webhookDelivery.findMany({
      where,
      orderBy: { id: "desc" },
      skip: (query.page - 1) * query.limit,
      take: query.limit,
    }),
    prisma().webhookDelivery.count({ where }),
  ]);
  const [events, tries] = await Promise.all([
    prisma().event.findMany({
      where: { accountId, id: { in: rows.map((row) => row.eventId) } },
      select: { id: true, type: true, messageId: true },
    }),
    prisma().webhookTry.findMany({
      where: { deliveryId: { in: rows.map((row) => row.id) } },
      orderBy: { attempt: "asc" },
    }),
  ]);
  const eventById = new Map(events.map((event) => [event.id, event]));
  const items = rows.flatMap((row) => {
    const event = eventById.get(row.eventId);
    const made = tries.filter((each) => each.deliveryId === row.id);
    return event ? [presentDelivery(row, event, made)] : [];
  });
  return toPage(items, total, query);
}
