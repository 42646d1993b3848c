import type { SessionActor } from "../core/actor";
import { readPool, readPrisma } from "../core/db";
import { searchMessages } from "../messages/lists/search-messages";
import { NUMBER_PART_PATTERN, withoutSeparators } from "../messages/phone";
import { EVENT_TYPES } from "../webhooks/schema";
import { escapeLike } from "./like";
import { foundAccount, foundEndpoint, foundEvent, foundKey, foundMessage, foundSender } from "./present";
import type { Found, SearchQuery, SearchResult } from "./schema";

/** Found things of each kind that are shown. */
const OF_EACH_MAX = 5;

/** The start of a number or a part of it, however it is grouped. */
const numberPartOf = (text: string): string | null => {
  const digits = withoutSeparators(text);
  return NUMBER_PART_PATTERN.test(digits) ? digits : null;
};

/**
 * Things of the account that have `text` as their id, in their name, or in their number; for operators accounts too. Messages
 * are found by id, reference, and a part of the recipient's number among the newest 20,000.
 */
export async function search(actor: SessionActor, { text }: SearchQuery): Promise<SearchResult> {
  const found = await Promise.all([
    findMessages(actor, text),
    findEvents(actor, text),
    findEndpoints(actor, text),
    findKeys(actor, text),
    findSenders(actor, text),
    actor.isOperator ? findAccounts(text) : [],
  ]);
  return { items: found.flat() };
}

async function findMessages(actor: SessionActor, text: string): Promise<Found[]> {
  const { accountId } = actor;
  const part = numberPartOf(text);
  const [named, numbered] = await Promise.all([
    readPrisma().message.findMany({
      where: text.startsWith("msg_") ? { accountId, id: text } : { accountId, reference: text },
      orderBy: { id: "desc" },
      take: OF_EACH_MAX,
      select: { id: true, toNumber: true, fromSender: true, status: true, createdAt: true },
    }),
    part === null ? [] : searchMessages(actor, { part, page: 1, limit: OF_EACH_MAX }).then(({ items }) => items),
  ]);
  const byId = new Map<string, Found>();
  for (const { id, toNumber: to, fromSender: from, status, createdAt } of named) {
    byId.set(id, foundMessage({ id, to, from, status, created_at: createdAt.toISOString() }));
  }
  for (const message of numbered) byId.set(message.id, foundMessage(message));
  return [...byId.values()].slice(0, OF_EACH_MAX);
}

async function findEvents({ accountId }: SessionActor, text: string): Promise<Found[]> {
  if (!text.startsWith("evt_")) return [];
  const rows = await readPrisma().event.findMany({
    where: { accountId, type: { in: [...EVENT_TYPES] }, id: text },
    select: { id: true, type: true, messageId: true },
  });
  return rows.map(foundEvent);
}

const containing = (text: string) => ({ contains: escapeLike(text), mode: "insensitive" }) as const;

async function findEndpoints({ accountId }: SessionActor, text: string): Promise<Found[]> {
  const rows = await readPrisma().webhookEndpoint.findMany({
    where: {
      accountId,
      deletedAt: null,
      OR: [{ id: text }, { url: containing(text) }, { description: containing(text) }],
    },
    orderBy: { id: "desc" },
    take: OF_EACH_MAX,
    select: { id: true, url: true, description: true },
  });
  return rows.map(foundEndpoint);
}

async function findKeys({ accountId }: SessionActor, text: string): Promise<Found[]> {
  const rows = await readPrisma().apiKey.findMany({
    where: { accountId, OR: [{ id: text }, { name: containing(text) }, { keyHint: containing(text) }] },
    orderBy: { id: "desc" },
    take: OF_EACH_MAX,
    select: { id: true, name: true, keyHint: true, revokedAt: true },
  });
  return rows.map(foundKey);
}

/** All senders of the account are read by its index (OFFSET 0), not those of other accounts by the primary key. */
async function findSenders({ accountId }: SessionActor, text: string): Promise<Found[]> {
  const { rows } = await readPool().query<Parameters<typeof foundSender>[0]>({
    name: "search.senders",
    text: `SELECT id, sender_id AS "senderId", status
           FROM (SELECT id, sender_id, status FROM senders WHERE account_id = $1 OFFSET 0) own
           WHERE id = $2 OR sender_id ILIKE $3 ORDER BY id DESC LIMIT $4`,
    values: [accountId, text, `%${escapeLike(text)}%`, OF_EACH_MAX],
  });
  return rows.map(foundSender);
}

/** Operators see nothing of test mode. */
async function findAccounts(text: string): Promise<Found[]> {
  const rows = await readPrisma().account.findMany({
    where: { testOf: null, OR: [{ id: text }, { name: containing(text) }, { email: containing(text) }] },
    orderBy: { id: "desc" },
    take: OF_EACH_MAX,
    select: { id: true, name: true, email: true },
  });
  return rows.map(foundAccount);
}
