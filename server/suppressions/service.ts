import { createOnce } from "../accounts/idempotency/create-once";
import { type IdempotentRequest, plainRequest } from "../accounts/idempotency/request";
import { recordAudit } from "../audit/store";
import type { AccountActor } from "../core/actor";
import { now } from "../core/clock";
import { prisma, type Tx, transaction } from "../core/db";
import { invalidRequest, notFound } from "../core/errors";
import { readList } from "../lists/read-list";
import { readTotal } from "../lists/store";
import { presentSuppression } from "./present";
import type { CreateSuppressionInput, ListSuppressionsQuery, Suppression } from "./schema";
import { deleteOne, insertManual } from "./store";

/**
 * Suppresses a number for one of the account's senders, or for all. Returns the existing suppression if the same one was
 * made by hand before; a recipient's STOP is a separate one.
 * @throws 400 `unknown_sender` when the account has no such sender ID in any status.
 */
export async function createSuppression(
  actor: AccountActor,
  input: CreateSuppressionInput,
  request: IdempotentRequest = plainRequest(),
): Promise<Suppression> {
  const { number, sender_id: senderId, note } = input;
  const carryOut = async (tx: Tx): Promise<Suppression> => {
    if (senderId) await requireSender(tx, actor.accountId, senderId);
    const suppression = { accountId: actor.accountId, number, senderId: senderId ?? "", at: now() };
    const row = await insertManual(tx, suppression, note ?? null);
    const after = { number, sender_id: senderId ?? null, reason: row.reason };
    await recordAudit(tx, actor, { action: "suppression.created", accountId: row.accountId, subjectId: row.id, after });
    return presentSuppression(row);
  };
  return createOnce(actor, request, { whileSuspended: true, carryOut });
}

/** A misspelt sender ID would suppress nothing. @throws 400 `unknown_sender` */
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
  const page = await readList(
    input,
    "sup",
    // A number has few suppressions, found by a unique key.
    () =>
      input.number === undefined
        ? readTotal("suppressions", { ownerId: actor.accountId, kind: input.sender_id })
        : prisma().suppression.count({ where }),
    ({ before, skip, take }) =>
      prisma().suppression.findMany({ where: { ...where, id: { lt: before } }, orderBy: { id: "desc" }, skip, take }),
  );
  return page.present(page.rows.map(presentSuppression));
}

/** Deletes a suppression, so that the account can send to the number again. @throws 404 */
export async function deleteSuppression(actor: AccountActor, id: string) {
  const { accountId } = actor;
  await transaction(async (tx) => {
    const row = await deleteOne(tx, accountId, id);
    if (!row) throw notFound("There is no such suppression.", { param: "id" });
    const before = { number: row.number, sender_id: row.senderId === "" ? null : row.senderId, reason: row.reason };
    await recordAudit(tx, actor, { action: "suppression.deleted", accountId, subjectId: id, before });
  });
  return { id, object: "suppression", deleted: true as const };
}
