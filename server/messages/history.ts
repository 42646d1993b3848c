import type { AccountActor } from "../core/actor";
import { pool, type Queryable, readPrisma } from "../core/db";
import { notFound } from "../core/errors";
import { findDeliveries, findEvents } from "../webhooks/history/of-message";
import { triesOf } from "../webhooks/present";
import { WITHDRAWN } from "./attempts-so-far";
import { moneyOf } from "./money-history";
import { type MessageRow, SHOWN_COLUMNS } from "./present";
import type { MessageHistory } from "./timeline";

/** A provider that repeats receipts endlessly must not make a message unreadable. */
const RECEIPTS_MAX = 200;

/** Reads one message. @throws 404, even for an existing message of another account. */
export async function findMessage(actor: AccountActor, id: string, db: Queryable = pool()): Promise<MessageRow> {
  const { rows } = await db.query<MessageRow>({
    name: "messages.get",
    text: `SELECT ${SHOWN_COLUMNS} FROM messages m WHERE m.id = $1 AND m.account_id = $2`,
    values: [id, actor.accountId],
  });
  const [row] = rows;
  if (!row) throw notFound("There is no message with this id.", { param: "id" });
  return row;
}

/** The key that a message was sent with; null: the console. Keys are never deleted. */
export async function findKeyOf(actor: AccountActor, id: string): Promise<{ id: string; name: string } | null> {
  const { rows } = await pool().query<{ id: string; name: string }>({
    name: "messages.key",
    text: `SELECT k.id, k.name FROM messages m JOIN api_keys k ON k.id = m.api_key_id
           WHERE m.id = $1 AND m.account_id = $2`,
    values: [id, actor.accountId],
  });
  return rows[0] ?? null;
}

/** Reads one message with its rescheduling, attempts, receipts, money, events and webhook tries. @throws 404 as {@link findMessage}. */
export async function readHistory(actor: AccountActor, id: string): Promise<MessageHistory> {
  const { accountId } = actor;
  const message = await findMessage(actor, id);
  const [rescheduled, attempts, receipts, ledger, events] = await Promise.all([
    message.scheduledAt && readPrisma().rescheduledMessage.findUnique({ where: { messageId: id } }),
    readPrisma().messageAttempt.findMany({
      where: { messageId: id, OR: [{ outcome: null }, { outcome: { not: WITHDRAWN } }] },
      omit: { providerDetail: true },
      orderBy: { seq: "asc" },
    }),
    readPrisma().receipt.findMany({ where: { messageId: id }, orderBy: { id: "asc" }, take: RECEIPTS_MAX }),
    readPrisma().ledgerEntry.findMany({
      where: { messageId: id, accountId },
      select: { kind: true, amountMicros: true, reservedMicros: true, createdAt: true },
      orderBy: { id: "asc" },
    }),
    findEvents(message),
  ]);
  const deliveries = await findDeliveries(
    accountId,
    events.map((event) => event.id),
  );
  const [endpoints, tries] = await Promise.all([
    readPrisma().webhookEndpoint.findMany({
      where: { id: { in: deliveries.map((delivery) => delivery.endpointId) }, accountId },
      select: { id: true, url: true },
    }),
    readPrisma().webhookTry.findMany({
      where: { deliveryId: { in: deliveries.map((delivery) => delivery.id) } },
      omit: { responseHead: true },
      orderBy: { createdAt: "asc" },
    }),
  ]);
  const urls = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint.url]));
  return {
    message,
    rescheduled,
    attempts,
    receipts,
    ledger: moneyOf(message, ledger),
    events,
    deliveries: deliveries.map((delivery) => ({
      ...delivery,
      url: urls.get(delivery.endpointId) ?? "",
      tries: triesOf(
        delivery,
        tries.filter((made) => made.deliveryId === delivery.id).map((made) => ({ ...made, responseHead: null })),
      ),
    })),
  };
}
