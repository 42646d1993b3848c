import type { AccountActor } from "../core/actor";
import { pool, prisma } from "../core/db";
import { fromMicros, toPage } from "../core/wire";
import { openRouting } from "../routing/service";
import { isE164 } from "./phone";
import { MESSAGE_COLUMNS, type MessageRow, presentMessage } from "./present";
import type { ListMessagesQuery, Message, MessageDetail, Quote } from "./schema";
import { findMessage, readStory } from "./story";
import { timelineOf } from "./timeline";
import type { Timeline } from "./timeline-schema";

/** One message of the account. @throws 404 also for another account's. */
export const getMessage = async (actor: AccountActor, id: string): Promise<Message> =>
  presentMessage(await findMessage(actor, id));

/** A given time as the database reads it: ISO 8601 allows offsets and fractions that PostgreSQL does not. */
const instant = (text: string): string => new Date(text).toISOString();

/** Messages newest first. Totals come from counters wherever the filter allows, else from a count over an index. */
export async function listMessages(actor: AccountActor, query: ListMessagesQuery) {
  const values: unknown[] = [actor.accountId];
  const conditions = ["m.account_id = $1"];
  const where = (condition: string, value: unknown) => {
    values.push(value);
    conditions.push(condition.replace("?", `$${values.length}`));
  };
  if (query.status) where("m.status = ?", query.status);
  if (query.to) where("m.to_number = ?", query.to);
  if (query.created_after) where("m.created_at >= ?", instant(query.created_after));
  if (query.created_before) where("m.created_at < ?", instant(query.created_before));
  const [total, page] = await Promise.all([
    countMessages(actor, query, conditions, values),
    pool().query<MessageRow>({
      text: `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE ${conditions.join(" AND ")}
             ORDER BY m.id DESC LIMIT ${query.limit} OFFSET ${(query.page - 1) * query.limit}`,
      values,
    }),
  ]);
  return toPage(page.rows.map(presentMessage), total, query);
}

async function countMessages(
  actor: AccountActor,
  query: ListMessagesQuery,
  conditions: string[],
  values: unknown[],
): Promise<number> {
  if (query.to || query.created_after || query.created_before) {
    const { rows } = await pool().query<{ total: bigint }>({
      text: `SELECT count(*) AS total FROM messages m WHERE ${conditions.join(" AND ")}`,
      values,
    });
    return Number(rows[0]?.total ?? 0);
  }
  const sums = await prisma().usageDay.aggregate({
    where: { accountId: actor.accountId },
    _sum: { messages: true, pending: true, sent: true, delivered: true, failed: true, undelivered: true },
  });
  return sums._sum[query.status ?? "messages"] ?? 0;
}

/** Console: a message with everything that happened to it. */
export async function getMessageDetail(actor: AccountActor, id: string): Promise<MessageDetail> {
  const { message: row, attempts, receipts, ledger, events, deliveries } = await readStory(actor, id);
  return {
    message: presentMessage(row),
    reference: row.reference,
    encoding: row.encoding as MessageDetail["encoding"],
    segments: row.segments,
    attempts: attempts.map((attempt) => ({
      seq: attempt.seq,
      provider: attempt.provider,
      outcome: attempt.outcome as MessageDetail["attempts"][number]["outcome"],
      code: attempt.code,
      detail: attempt.detail,
      latency_ms: attempt.latencyMs,
      started_at: attempt.startedAt.toISOString(),
    })),
    receipts: receipts.map((receipt) => ({
      status: receipt.status,
      code: receipt.code,
      detail: receipt.detail,
      applied: receipt.applied,
      received_at: receipt.receivedAt.toISOString(),
    })),
    ledger: ledger.map((entry) => ({
      kind: entry.kind,
      amount: fromMicros(entry.amountMicros),
      created_at: entry.createdAt.toISOString(),
    })),
    deliveries: deliveries.map((delivery) => ({
      id: delivery.id,
      endpoint_id: delivery.endpointId,
      url: delivery.url,
      event_type: events.find((event) => event.id === delivery.eventId)?.type ?? "",
      status: delivery.status,
      attempts: delivery.attempts,
      created_at: delivery.createdAt.toISOString(),
    })),
  };
}

/** Everything that happened to a message, in order. @throws 404 also for another account's. */
export const getTimeline = async (actor: AccountActor, id: string): Promise<Timeline> =>
  timelineOf(await readStory(actor, id));

/** Console: the price of one segment to `to`, and what the account has to pay with. */
export async function quoteMessage(actor: AccountActor, input: { to: string; body: string }): Promise<Quote> {
  const account = await prisma().account.findUniqueOrThrow({ where: { id: actor.accountId } });
  const route = await openRouting({ routeId: null, provider: null });
  const routing = isE164(input.to) ? route(input.to) : null;
  return {
    price_per_segment: routing && fromMicros(routing.priceMicros),
    currency: account.currency,
    balance: fromMicros(account.balanceMicros),
  };
}
