import { type Tx, transaction } from "../core/db";
import { newId } from "../core/ids";
import type { InboundReport, JobPayload } from "../core/jobs";
import { storableText } from "../core/wire";
import { e164Of } from "../messages/phone";
import { type Keyword, keywordOf } from "./keywords";
import { spellingsOf } from "./sender-spellings";
import { deleteStops, type InboundRow, insertInbound, insertStops, type Wish } from "./store";

const ID_MAX = 255;
const NUMBER_MAX = 64;
/** The longest text that handsets put together, and more. */
const BODY_MAX = 5_000;

type Owner = { n: number; accountId: string; senderId: string };
type Received = InboundReport & { number: string | null; keyword: Keyword | null; at: Date; owners: Owner[] };

/**
 * Takes in messages from handsets: keeps each once per account that has, or had, the number addressed as an approved
 * sender, and carries out what a keyword asks for, for that sender. One that was seen before changes nothing.
 */
export async function takeInbound({ provider, messages }: JobPayload<"apply_inbound">): Promise<void> {
  const stored = messages.map(storable);
  await transaction(async (tx) => {
    const owners = await findOwners(tx, stored);
    const received = stored.map(
      (message, at): Received => ({
        ...message,
        number: e164Of(message.from),
        keyword: keywordOf(message.text),
        at: new Date(message.receivedAt),
        owners: owners.get(at + 1) ?? [],
      }),
    );
    const rows = received.flatMap((message) => rowsOf(provider, message));
    const isNew = await insertInbound(
      tx,
      rows.map(({ row }) => row),
    );
    await carryOut(
      tx,
      rows.filter(({ row }) => isNew.has(row.id)),
    );
  });
}

/** Everything but the time is foreign text. */
const storable = ({ providerMessageId, from, to, text, receivedAt }: InboundReport): InboundReport => ({
  providerMessageId: storableText(providerMessageId, ID_MAX),
  from: storableText(from, NUMBER_MAX),
  to: storableText(to, NUMBER_MAX),
  text: storableText(text, BODY_MAX),
  receivedAt,
});

/**
 * The senders that the messages were addressed to, by the number of the message from 1. One that is suspended counts: it
 * may be approved again. One that never was approved has sent nothing, and may be somebody else's number.
 */
async function findOwners(tx: Tx, messages: readonly InboundReport[]): Promise<Map<number, Owner[]>> {
  const asked = messages.flatMap(({ to }, at) => spellingsOf(to).map((spelling) => ({ n: at + 1, spelling })));
  const { rows } = await tx.query<Owner>({
    name: "suppressions.find_owners",
    text: `SELECT DISTINCT r.n, s.account_id AS "accountId", s.sender_id AS "senderId"
           FROM unnest($1::int4[], $2::text[]) AS r (n, spelling) JOIN senders s ON s.sender_id = r.spelling
           WHERE s.status = 'approved' OR s.approved_at IS NOT NULL`,
    values: [asked.map(({ n }) => n), asked.map(({ spelling }) => spelling)],
  });
  const owners = new Map<number, Owner[]>();
  for (const row of rows) owners.set(row.n, [...(owners.get(row.n) ?? []), row]);
  return owners;
}

type Kept = { row: InboundRow; message: Received };

function rowsOf(provider: string, message: Received): Kept[] {
  const accountIds = new Set(message.owners.map((owner) => owner.accountId));
  return (accountIds.size > 0 ? [...accountIds] : [""]).map((accountId) => ({
    message,
    row: {
      id: newId("inbound"),
      provider,
      providerMessageId: message.providerMessageId,
      accountId,
      fromNumber: message.number ?? message.from,
      toNumber: message.to,
      body: message.text,
      keyword: message.keyword,
      receivedAt: message.at,
    },
  }));
}

/** Of several keywords from one number to one sender the last one counts. */
async function carryOut(tx: Tx, kept: readonly Kept[]): Promise<void> {
  const wishes = new Map<string, Wish & { keyword: Keyword }>();
  for (const { row, message } of kept.toSorted((one, other) => one.message.at.getTime() - other.message.at.getTime())) {
    const { number, keyword, at } = message;
    if (number === null || keyword === null) continue;
    for (const { accountId, senderId } of message.owners) {
      if (accountId !== row.accountId) continue;
      wishes.set(`${accountId} ${number} ${senderId}`, { accountId, number, senderId, at, keyword });
    }
  }
  const all = [...wishes.values()];
  await insertStops(
    tx,
    all.filter((wish) => wish.keyword === "stop"),
  );
  await deleteStops(
    tx,
    all.filter((wish) => wish.keyword === "start"),
  );
}
