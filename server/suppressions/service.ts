import type { Suppression as SuppressionRow } from "@/prisma/generated/client";
import { createOnce, type DeedRequest, plainRequest } from "../accounts/answers";
import type { AccountActor } from "../core/actor";
import { now } from "../core/clock";
import { prisma, type Tx } from "../core/db";
import { invalidRequest, notFound } from "../core/errors";
import { newId } from "../core/ids";
import { toPage } from "../core/wire";
import { presentSuppression } from "./present";
import type { CreateSuppressionInput, ListSuppressionsQuery, Suppression } from "./schema";

/**
 * Suppresses a number for one of the account's senders, or for all. A number that is suppressed just so already keeps
 * the suppression that it has.
 * @throws 400 `unknown_sender` when the account has no such sender ID, in whatever status.
 */
export async function createSuppression(
  actor: AccountActor,
  input: CreateSuppressionInput,
  request: DeedRequest = plainRequest(),
): Promise<Suppression> {
  const { number, sender_id: senderId, note } = input;
  const carryOut = async (tx: Tx): Promise<Suppression> => {
    if (senderId) await requireSender(tx, actor.accountId, senderId);
    const { rows } = await tx.query<SuppressionRow>(
      `INSERT INTO suppressions AS s (id, account_id, number, sender_id, reason, note, created_at)
       VALUES ($1, $2, $3, $4, 'manual', $5, $6)
       ON CONFLICT (account_id, number, sender_id) DO UPDATE SET note = s.note
       RETURNING s.id, s.account_id AS "accountId", s.number, s.sender_id AS "senderId", s.reason, s.note,
         s.created_at AS "createdAt"`,
      [newId("suppression"), actor.accountId, number, senderId ?? "", note ?? null, now()],
    );
    const [row] = rows;
    if (!row) throw new Error("The suppression was neither made nor found.");
    return presentSuppression(row);
  };
  return createOnce(actor, request, { carryOut });
}

/** A sender ID in another spelling would suppress nothing. @throws 400 */
async function requireSender(tx: Tx, accountId: string, senderId: string): Promise<void> {
  const { rowCount } = await tx.query("SELECT 1 FROM senders WHERE account_id = $1 AND sender_id = $2", [
    accountId,
    senderId,
  ]);
  if (rowCount) return;
  throw invalidRequest("`sender_id` is not a sender of this account.", {
    param: "sender_id",
    reason: "unknown_sender",
  });
}

/** The account's suppressions, newest first. */
export async function listSuppressions(actor: AccountActor, input: ListSuppressionsQuery) {
  const where = { accountId: actor.accountId, number: input.number, senderId: input.sender_id };
  const [total, rows] = await Promise.all([
    prisma().suppression.count({ where }),
    prisma().suppression.findMany({
      where,
      orderBy: { id: "desc" },
      skip: (input.page - 1) * input.limit,
      take: input.limit,
    }),
  ]);
  return toPage(rows.map(presentSuppression), total, input);
}

/** Lets the account send to the number again. @throws 404 when the account has no such suppression. */
export async function deleteSuppression(actor: AccountActor, id: string) {
  const { count } = await prisma().suppression.deleteMany({ where: { id, accountId: actor.accountId } });
  if (count === 0) throw notFound("There is no such suppression.", { param: "id" });
  return { id, object: "suppression", deleted: true as const };
}
