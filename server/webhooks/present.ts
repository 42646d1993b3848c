import { isTestAccount } from "../core/ids";
import { isoOrNull } from "../core/wire";
import { presentInbound } from "../inbound/present";
import type { InboundRow } from "../inbound/store";
import { type MessageRow, messageAt, presentMessage } from "../messages/present";
import type { MessageStatus } from "../messages/status";
import type { DeliveryOutcome } from "./delivery/delivery-outcome";
import { REQUESTS_END_WITHIN_MS } from "./delivery/retry";
import type { Delivery, Event, EventType, ReceivedEvent, WebhookEndpoint, WebhookTest } from "./schema";

/** The public columns of `webhook_endpoints`; the sealed secret is not even read. */
export type EndpointRow = {
  id: string;
  accountId: string;
  url: string;
  description: string | null;
  events: string[];
  isActive: boolean;
  failureCount: number;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  disabledAt: Date | null;
  disabledReason: string | null;
  pausedAt: Date | null;
  pausedBy: string | null;
  createdAt: Date;
};

/** A row of `events`. */
export type EventRow = { id: string; type: string; status: string; createdAt: Date };

/** A row of `webhook_deliveries`; `latencyMs` is null unless its first try was acknowledged. */
export type DeliveryRow = {
  id: string;
  eventId: string;
  status: string;
  round: number;
  attempts: number;
  nextAttemptAt: Date | null;
  underWayUntil: Date | null;
  createdAt: Date;
  finishedAt: Date | null;
  statusCode: number | null;
  latencyMs: number | null;
  responseHead: string | null;
};

/** A row of `webhook_tries`. */
export type TryRow = {
  round: number;
  attempt: number;
  statusCode: number | null;
  latencyMs: number;
  error: string | null;
  responseHead: string | null;
  createdAt: Date;
};

/**
 * Whether the endpoint was paused by hand. A version that does not know pauses leaves `paused_at` set when it enables it.
 */
export const isPaused = ({
  isActive,
  pausedAt,
  disabledAt,
}: Pick<EndpointRow, "isActive" | "pausedAt" | "disabledAt">) =>
  !isActive && pausedAt !== null && pausedAt.getTime() === disabledAt?.getTime();

/** SQL: {@link isPaused} of the row `e`, if it is not active. */
export const IS_PAUSED = "coalesce(e.paused_at = e.disabled_at, false)";

/** Row -> wire. Only the operations that make a signing secret add it. */
export const presentEndpoint = (row: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  object: "webhook_endpoint",
  livemode: !isTestAccount(row.accountId),
  url: row.url,
  description: row.description,
  events: row.events as EventType[],
  is_active: row.isActive,
  failure_count: row.failureCount,
  last_success_at: isoOrNull(row.lastSuccessAt),
  last_failure_at: isoOrNull(row.lastFailureAt),
  disabled_at: isoOrNull(row.disabledAt),
  disabled_reason: row.isActive ? null : (row.disabledReason as WebhookEndpoint["disabled_reason"]),
  paused_at: isPaused(row) ? isoOrNull(row.pausedAt) : null,
  paused_by: isPaused(row) ? row.pausedBy : null,
  created_at: row.createdAt.toISOString(),
});

/** The event with its message as it was then; the same in GET /events and in requests to endpoints. */
export const presentEvent = (event: EventRow, message: MessageRow): Event => ({
  id: event.id,
  object: "event",
  livemode: !isTestAccount(message.accountId),
  type: event.type as Event["type"],
  created_at: event.createdAt.toISOString(),
  data: presentMessage(messageAt(message, event.status as MessageStatus)),
});

/** The event of a message from a handset; the same in GET /events and in requests to endpoints. */
export const presentReceived = (event: EventRow, message: InboundRow): ReceivedEvent => ({
  id: event.id,
  object: "event",
  livemode: !isTestAccount(message.accountId),
  type: "message.received",
  created_at: event.createdAt.toISOString(),
  data: presentInbound(message),
});

/**
 * The tries of a delivery, in the order in which they were made. An acknowledged first try is in the delivery's own row, all
 * others are in `stored`.
 */
export const triesOf = <Stored extends TryRow>(
  row: Pick<DeliveryRow, "finishedAt" | "statusCode" | "latencyMs" | "responseHead">,
  stored: readonly Stored[],
): (Stored | TryRow)[] => {
  const { statusCode, latencyMs, responseHead, finishedAt } = row;
  if (latencyMs === null || finishedAt === null) return [...stored];
  return [{ round: 0, attempt: 1, statusCode, latencyMs, error: null, responseHead, createdAt: finishedAt }, ...stored];
};

/** A request that began before the delivery was sent again, and is still under way, belongs to a due try. */
function stateOfNextTry(
  { nextAttemptAt, underWayUntil }: Pick<DeliveryRow, "nextAttemptAt" | "underWayUntil">,
  at: Date,
): Delivery["next_attempt_state"] {
  if (nextAttemptAt === null) return null;
  const dueForMs = at.getTime() - nextAttemptAt.getTime();
  if (dueForMs > REQUESTS_END_WITHIN_MS) return "overdue";
  return dueForMs >= 0 || (underWayUntil !== null && underWayUntil > at) ? "due" : "scheduled";
}

/** One delivery with its tries, in the order in which they were made. `at`: the database's time, by which tries are due. */
export const presentDelivery = (
  row: DeliveryRow,
  event: { type: string; messageId: string },
  { tries, at }: { tries: readonly TryRow[]; at: Date },
): Delivery => ({
  id: row.id,
  object: "webhook_delivery",
  event_id: row.eventId,
  event_type: event.type as EventType,
  message_id: event.messageId,
  status: row.status as Delivery["status"],
  round: row.round,
  attempts: row.attempts,
  next_attempt_at: isoOrNull(row.nextAttemptAt),
  next_attempt_state: stateOfNextTry(row, at),
  created_at: row.createdAt.toISOString(),
  tries: triesOf(row, tries).map((made) => ({
    round: made.round,
    attempt: made.attempt,
    status_code: made.statusCode,
    latency_ms: made.latencyMs,
    error: made.error,
    response_head: made.responseHead,
    created_at: made.createdAt.toISOString(),
  })),
});

/** How the request of a test event ended. */
export const presentTest = (
  result: Pick<DeliveryOutcome, "acknowledged" | "statusCode" | "latencyMs" | "error" | "responseHead">,
): WebhookTest => ({
  object: "webhook_test",
  delivered: result.acknowledged,
  status_code: result.statusCode,
  latency_ms: result.latencyMs,
  error: result.error,
  response_head: result.responseHead,
});
