/** Takes messages from handsets: in one transaction each is stored with its event, and STOP and START take effect. */

import { DAY_MS } from "../core/clock";
import type { Tx } from "../core/db";
import { groupBy } from "../core/group-by";
import { newId, TEST_ACCOUNT_PREFIX, timeOfId } from "../core/ids";
import type { InboundReport } from "../core/jobs";
import { unnest } from "../core/unnest";
import { storableText } from "../core/wire";
import { e164OfProvider } from "../messages/number-notation";
import { type Keyword, keywordOf } from "../suppressions/keywords";
import { deleteStops, insertStops, lockKeywords, type SuppressionRequest } from "../suppressions/store";
import { recordEvents } from "../webhooks/delivery/outbox";
import { addressedAs, spellingsOf } from "./sender-spellings";
import { type InboundRow, insertInbound } from "./store";

const ID_MAX = 255;
const NUMBER_MAX = 64;
/** Longer than any concatenated message. */
const BODY_MAX = 5_000;
/**
 * Providers repeat a callback for a day at most. A much earlier time, or one after its arrival, comes from a wrong clock.
 */
const LATE_MAX_MS = 2 * DAY_MS;

type Owner = { accountId: string; senderId: string };
/** `at`: when it was sent, as far as is known. */
type Received = Omit<InboundReport, "keyword"> & {
  number: string | null;
  keyword: Keyword | null;
  at: Date;
  owners: Owner[];
};

/**
 * Stores messages from handsets, once for each account that has, or had, the addressed number as an approved sender, each
 * with its event, and applies their keywords to that sender. A message that is already stored changes nothing. One that
 * belongs to no account is stored without an event.
 * @returns the ids of those that are new.
 */
export async function storeInbound(tx: Tx, provider: string, messages: readonly InboundReport[]): Promise<string[]> {
  const stored = messages.map(storable);
  const ownersOf = await findOwners(tx, stored);
  const received = stored.map(
    (message): Received => ({
      ...message,
      number: e164OfProvider(message.from),
      keyword: message.keyword ?? keywordOf(message.text),
      at: sentAt(message),
      owners: ownersOf.get(message.to) ?? [],
    }),
  );
  const rows = received.flatMap((message) => rowsOf(provider, message));
  const isNew = await insertInbound(
    tx,
    rows.map(({ row }) => row),
  );
  const added = rows.filter(({ row }) => isNew.has(row.id));
  await applyKeywords(tx, added);
  await recordEvents(
    tx,
    added.flatMap(({ row }) => (row.accountId === "" ? [] : [eventOf(row)])),
  );
  return added.map(({ row }) => row.id);
}

/**
 * When a message was sent: as its provider says, else when it was reported. After an outage of ours these differ by hours.
 */
function sentAt({ receivedAt, occurredAt }: InboundReport): Date {
  const received = new Date(receivedAt);
  const occurred = occurredAt === undefined ? received : new Date(occurredAt);
  const lateMs = received.getTime() - occurred.getTime();
  return lateMs >= 0 && lateMs <= LATE_MAX_MS ? occurred : received;
}

/** The event takes its time from the row's id, so that both lists have the same order. */
const eventOf = ({ id, accountId }: InboundRow) => ({
  accountId,
  messageId: id,
  type: "message.received" as const,
  status: "received" as const,
  at: timeOfId(id),
});

/** All fields but the time and the keyword are untrusted text. */
const storable = ({ providerMessageId, from, to, text, ...trusted }: InboundReport): InboundReport => ({
  ...trusted,
  providerMessageId: storableText(providerMessageId, ID_MAX),
  from: storableText(from, NUMBER_MAX),
  to: storableText(to, NUMBER_MAX),
  text: storableText(text, BODY_MAX),
});

const SPELLINGS = unnest<{ to: string; spelling: string }>({
  addressed: ["text", ({ to }) => to],
  spelling: ["text", ({ spelling }) => spelling],
});

/**
 * The senders that the messages were addressed to, by `to`. A suspended sender counts: it may be approved again. A sender that
 * was never approved does not count: it has sent nothing, and the number may belong to someone else. Nor does a sender of test
 * mode, which anybody may register.
 */
async function findOwners(tx: Tx, messages: readonly InboundReport[]): Promise<Map<string, Owner[]>> {
  const addressed = [...new Set(messages.map(({ to }) => to))];
  const spellings = addressed.flatMap((to) => spellingsOf(to).map((spelling) => ({ to, spelling })));
  const { rows } = await tx.query<Owner & { to: string }>({
    name: "inbound.find_owners",
    text: `SELECT DISTINCT r.addressed AS "to", s.account_id AS "accountId", s.sender_id AS "senderId"
           FROM ${SPELLINGS.as("r")} JOIN senders s ON s.sender_id = r.spelling
           WHERE (s.status = 'approved' OR s.approved_at IS NOT NULL) AND NOT starts_with(s.account_id, $3)`,
    values: [...SPELLINGS.values(spellings), TEST_ACCOUNT_PREFIX],
  });
  return groupBy(rows, ({ to }) => to);
}

type StoredMessage = { row: InboundRow; message: Received };

function rowsOf(provider: string, message: Received): StoredMessage[] {
  const accountIds = new Set(message.owners.map((owner) => owner.accountId));
  return (accountIds.size > 0 ? [...accountIds] : [""]).map((accountId) => ({
    message,
    row: {
      id: newId("inbound"),
      provider,
      providerMessageId: message.providerMessageId,
      accountId,
      fromNumber: message.number ?? message.from,
      toNumber: addressedAs(message.to),
      body: message.text,
      keyword: message.keyword,
      receivedAt: new Date(message.receivedAt),
      occurredAt: message.at,
    },
  }));
}

/** Applies the last keyword that each number sent to each sender. */
async function applyKeywords(tx: Tx, stored: readonly StoredMessage[]): Promise<void> {
  const requests = new Map<string, SuppressionRequest & { keyword: Keyword }>();
  const byTime = stored.toSorted((one, other) => one.message.at.getTime() - other.message.at.getTime());
  for (const { row, message } of byTime) {
    const { number, keyword, at } = message;
    if (number === null || keyword === null) continue;
    for (const { accountId, senderId } of message.owners) {
      if (accountId !== row.accountId) continue;
      requests.set(`${accountId} ${number} ${senderId}`, { accountId, number, senderId, at, keyword });
    }
  }
  const last = [...requests.values()];
  await lockKeywords(tx, last);
  await insertStops(
    tx,
    last.filter((request) => request.keyword === "stop"),
  );
  await deleteStops(
    tx,
    last.filter((request) => request.keyword === "start"),
  );
}
