import type { AccountActor } from "../../core/actor";
import { now } from "../../core/clock";
import { readPool, readPrisma } from "../../core/db";
import { timeOfId } from "../../core/ids";
import { type RowRange, readList, within } from "../../lists/read-list";
import { readTotal } from "../../lists/store";
import { isFormerId } from "../derived-ids";
import { type DeliveryRow, presentDelivery } from "../present";
import { EVENT_TYPES, type ListDeliveriesQuery } from "../schema";
import { noSuchEndpoint } from "../service";
import { findDeliveries, findEventsOf } from "./of-message";

type Endpoint = { id: string; accountId: string };
type Status = NonNullable<ListDeliveriesQuery["status"]>;

const COLUMNS = `id, event_id AS "eventId", status, round, attempts, next_attempt_at AS "nextAttemptAt",
  under_way_until AS "underWayUntil", created_at AS "createdAt", finished_at AS "finishedAt", status_code AS "statusCode", latency_ms AS "latencyMs",
  response_head AS "responseHead"`;

/** Statuses whose deliveries have a separate index, by endpoint and time. */
const RECOVERABLE: ReadonlySet<Status> = new Set(["held", "abandoned"]);

/** Whether there are deliveries with random ids, whose order is not that of `created_at`. */
async function hasFormerIds(): Promise<boolean> {
  const { rowCount } = await readPool().query({
    name: "webhooks.former_deliveries",
    text: `SELECT 1 FROM webhook_deliveries WHERE ${isFormerId("id")} LIMIT 1`,
  });
  return rowCount === 1;
}

/** The last year that PostgreSQL reads as ISO 8601 has it. */
const YEAR_MAX = 9_999;

/** The time of an id, as text; a made-up cursor may have one that cannot be stored. */
const timeBefore = (id: string): string => {
  const at = timeOfId(id);
  return at.getUTCFullYear() > YEAR_MAX ? "infinity" : at.toISOString();
};

/** SQL: how many deliveries to the endpoint `$2` are in the status `$3`. */
const IN_STATUS = `(SELECT coalesce(sum(change), 0)::int8 FROM list_totals
  WHERE list = 'deliveries' AND owner_id = $2 AND kind = $3)`;

/**
 * Reads deliveries in one status. Their number ends the search for rows that do not exist, which would read the whole history.
 * It is read by the same statement: an earlier number would omit the oldest row if one had been added since. With a cursor the
 * number of preceding rows is unknown.
 */
async function readInStatus(endpoint: Endpoint, status: Status, { before, skip, take }: RowRange) {
  const isRecoverable = RECOVERABLE.has(status) && !(await hasFormerIds());
  const rest = before === undefined ? `least($5::int8, greatest(${IN_STATUS} - $4::int8, 0))` : "$5::int8";
  const values = [endpoint.accountId, endpoint.id, status, skip, take];
  const { rows } = await readPool().query<DeliveryRow>(
    isRecoverable
      ? {
          // A derived id begins with the time in `created_at`, so the index has the list's order.
          text: `SELECT ${COLUMNS} FROM webhook_deliveries
                 WHERE account_id = $1 AND endpoint_id = $2 AND status IN ('held', 'abandoned') AND status = $3
                   AND (created_at, id) < ($6::timestamptz, $7)
                 ORDER BY created_at DESC, id DESC OFFSET $4 LIMIT ${rest}`,
          values: [...values, before ? timeBefore(before) : "infinity", before ?? ""],
        }
      : {
          // The status is written so that it matches no partial index: the one of pending deliveries spans all
          // accounts.
          text: `SELECT ${COLUMNS} FROM webhook_deliveries
                 WHERE account_id = $1 AND endpoint_id = ANY(ARRAY[$2::text]) AND status || '' = $3${before === undefined ? "" : " AND id < $6"}
                 ORDER BY endpoint_id DESC, id DESC OFFSET $4 LIMIT ${rest}`,
          values: before === undefined ? values : [...values, before],
        },
  );
  return rows;
}

/**
 * Ordered by endpoint, so that its index is used: by the primary key the planner would walk through newer rows of other
 * endpoints. Skipped rows are read only in the index.
 */
async function readDeliveries(endpoint: Endpoint, status: Status | undefined, range: RowRange) {
  if (status) return readInStatus(endpoint, status, range);
  const { before, skip, take } = range;
  const { rows } = await readPool().query<DeliveryRow>({
    text: `SELECT ${COLUMNS} FROM webhook_deliveries
           WHERE account_id = $1 AND id = ANY(ARRAY(SELECT id FROM webhook_deliveries
             WHERE endpoint_id = ANY(ARRAY[$2::text])${before === undefined ? "" : " AND id < $5"}
             ORDER BY endpoint_id DESC, id DESC LIMIT $3 OFFSET $4))
           ORDER BY id DESC`,
    values: [endpoint.accountId, endpoint.id, take, skip, ...(before === undefined ? [] : [before])],
  });
  return rows;
}

/** The deliveries of a message to an endpoint, newest first: a few, found by their ids. */
async function findDeliveriesOf(messageId: string, { id, accountId }: Endpoint, status: Status | undefined) {
  const events = await findEventsOf(messageId, accountId);
  const found = await findDeliveries(
    accountId,
    events.map((event) => event.id),
  );
  return found.filter((row) => row.endpointId === id && (!status || row.status === status)).reverse();
}

/** A page of the deliveries to an endpoint. */
async function readPage(endpoint: Endpoint, query: ListDeliveriesQuery) {
  const { status, message_id: messageId } = query;
  if (messageId !== undefined) {
    const found: DeliveryRow[] = await findDeliveriesOf(messageId, endpoint, status);
    return readList(
      query,
      "dlv",
      async () => found.length,
      async (range) => within(found, range),
    );
  }
  return readList(
    query,
    "dlv",
    () => readTotal("deliveries", { ownerId: endpoint.id, kind: status }),
    (range) => readDeliveries(endpoint, status, range),
  );
}

/** The database's time; asked for only when something is due by it. */
async function timeFor(rows: readonly DeliveryRow[]): Promise<Date> {
  if (!rows.some((row) => row.nextAttemptAt)) return now();
  const { rows: times } = await readPool().query<{ at: Date }>({
    name: "webhooks.time_of_deliveries",
    text: "SELECT clock_timestamp() AS at",
  });
  return times[0]?.at ?? now();
}

/** Deliveries to one endpoint, newest first, each with every try. @throws 404 */
export async function listDeliveries(actor: AccountActor, query: ListDeliveriesQuery) {
  const { accountId } = actor;
  const endpoint = await readPrisma().webhookEndpoint.findFirst({
    where: { id: query.id, accountId, deletedAt: null },
    select: { id: true, accountId: true },
  });
  if (!endpoint) throw noSuchEndpoint();
  const page = await readPage(endpoint, query);
  const { rows } = page;
  const [events, tries, at] = await Promise.all([
    readPrisma().event.findMany({
      where: { accountId, type: { in: [...EVENT_TYPES] }, id: { in: rows.map((row) => row.eventId) } },
      select: { id: true, type: true, messageId: true },
    }),
    readPrisma().webhookTry.findMany({
      where: { deliveryId: { in: rows.map((row) => row.id) } },
      orderBy: [{ round: "asc" }, { attempt: "asc" }],
    }),
    timeFor(rows),
  ]);
  const eventById = new Map(events.map((event) => [event.id, event]));
  const items = rows.flatMap((row) => {
    const event = eventById.get(row.eventId);
    const made = tries.filter((each) => each.deliveryId === row.id);
    return event ? [presentDelivery(row, event, { tries: made, at })] : [];
  });
  return page.present(items);
}

/** The recipients of messages, and the origins of those from handsets, by the ids of the messages. */
async function readNumbers(accountId: string, messageIds: readonly string[]): Promise<Map<string, string>> {
  if (messageIds.length === 0) return new Map();
  const { rows } = await readPool().query<{ id: string; number: string }>({
    name: "webhooks.numbers_of_messages",
    text: `SELECT id, to_number AS number FROM messages WHERE account_id = $1 AND id = ANY($2::text[])
           UNION ALL
           SELECT id, from_number FROM inbound_messages WHERE account_id = $1 AND id = ANY($2::text[])`,
    values: [accountId, [...new Set(messageIds)]],
  });
  return new Map(rows.map(({ id, number }) => [id, number]));
}

/** The same, each with the number of its message, which one statement reads for the whole page. @throws 404 */
export async function listNumberedDeliveries(actor: AccountActor, query: ListDeliveriesQuery) {
  const { items, ...page } = await listDeliveries(actor, query);
  const numbers = await readNumbers(
    actor.accountId,
    items.map((delivery) => delivery.message_id),
  );
  return {
    ...page,
    items: items.map((delivery) => ({ ...delivery, number: numbers.get(delivery.message_id) ?? null })),
  };
}
