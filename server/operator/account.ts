/** One account, as operators see it. */
import { getUsageSeries } from "../accounts/service";
import { readUnusualTraffic } from "../alerts/store";
import { listApiKeyDetails } from "../api-keys/service";
import { requireOperator, type SessionActor } from "../core/actor";
import { prisma, readPool } from "../core/db";
import { notFound } from "../core/errors";
import { isTestAccount } from "../core/ids";
import { listInvitations } from "../members/invitations";
import { listMembers } from "../members/service";
import { listMessages } from "../messages/lists/list-messages";
import type {
  Ledger,
  LedgerQuery,
  OperatedAccountDetail,
  OperatedAccountPath,
  OperatedMessagesQuery,
} from "./account-schema";
import { type LedgerRow, presentLedgerEntry, presentOperatedAccount, presentOperatedMessage } from "./present";

const USAGE_DAYS = 30;

/** Operators see nothing of test mode. @throws 403 for non-operators, 404 */
async function findAccount(actor: SessionActor, accountId: string) {
  requireOperator(actor);
  const row = isTestAccount(accountId) ? null : await prisma().account.findUnique({ where: { id: accountId } });
  if (!row) throw notFound("There is no such account.", { param: "account_id" });
  // Reads the same as a member of the account would.
  return { row, reader: { ...actor, accountId } };
}

/** @throws 403 for non-operators, 404 */
export async function getOperatedAccount(
  actor: SessionActor,
  { account_id: accountId }: OperatedAccountPath,
): Promise<OperatedAccountDetail> {
  const { row, reader } = await findAccount(actor, accountId);
  const [members, invitations, keys, days, traffic] = await Promise.all([
    listMembers(reader),
    listInvitations(reader),
    listApiKeyDetails(reader),
    getUsageSeries(reader, { days: USAGE_DAYS }),
    readUnusualTraffic(accountId),
  ]);
  const unusual = traffic.map(({ country, messages, highest_before }) => ({ country, messages, highest_before }));
  const ownerInvitation = members.length === 0 ? (invitations[0] ?? null) : null;
  const shown = { ...presentOperatedAccount(row), members, owner_invitation: ownerInvitation, keys: keys.data, days };
  return { ...shown, unusual_traffic: unusual };
}

/** Entries of the account's ledger, newest first. @throws 403 for non-operators, 404 */
export async function listLedger(
  actor: SessionActor,
  { account_id: accountId, cursor, limit }: LedgerQuery,
): Promise<Ledger> {
  await findAccount(actor, accountId);
  const { rows } = await readPool().query<LedgerRow>({
    text: `SELECT id, kind, amount_micros AS "amountMicros", held_micros AS "heldMicros", note, created_at AS "createdAt",
             coalesce(message_id, message_ids[1]) AS "messageId",
             greatest(cardinality(message_ids), (message_id IS NOT NULL)::int4) AS messages
           FROM ledger_entries WHERE account_id = ANY(ARRAY[$1::text])${cursor ? " AND id < $3" : ""}
           ORDER BY account_id DESC, id DESC LIMIT $2`,
    values: [accountId, limit + 1, ...(cursor ? [cursor] : [])],
  });
  const items = rows.slice(0, limit).map(presentLedgerEntry);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** The account's messages without their texts, newest first. @throws 403 for non-operators, 404 */
export async function listOperatedMessages(
  actor: SessionActor,
  { account_id: accountId, ...page }: OperatedMessagesQuery,
) {
  const { reader } = await findAccount(actor, accountId);
  const { items, pagination } = await listMessages(reader, page);
  return { items: items.map(presentOperatedMessage), pagination };
}
