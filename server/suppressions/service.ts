import { createOnce, type IdempotentRequest, plainRequest } from "../accounts/idempotency";
import type { AccountActor } from "../core/actor";
import { now } from "../core/clock";
import { prisma, type Tx } from "../core/db";
import { invalidRequest, notFound } from "../core/errors";
import { readPage, toPage } from "../core/wire";
import { readTotal } from "../lists/store";
import { presentSuppression } from "./present";
import type { CreateSuppressionInput, ListSuppressionsQuery, Suppression } from "./schema";
import { deleteOne, insertManual } from "./store";

/**
 * Suppresses a number for one of the account's senders, or for all. A number that was suppressed by hand just so already
 * keeps the suppression that it has; a person's own STOP is another one.
 * @throws 400 `unknown_sender` when the account has no such sender ID, in whatever status.
 */
export async function createSuppression(
  actor: AccountActor,
  input: CreateSuppressionInput,
  request: IdempotentRequest = plainRequest(),
): Promise<Suppression> {
  const { number, sender_id: senderId, note } = input;
  const carryOut = async (tx: Tx): Promise<Suppression> => {
    if (senderId) await requireSender(tx, actor.accountId, senderId);
    const wish = { accountId: actor.accountId, number, senderId: senderId ?? "", at: now() };
    return presentSuppression(await insertManual(tx, wish, note ?? null));
  };
  return createOnce(actor, request, { whileSuspended: true, carryOut });
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
  const { rows, total } = await readPage(
    input,
    // One number has few, found by a unique key.
    () =>
      input.number === undefined
        ? readTotal("suppressions", { ownerId: actor.accountId, kind: input.sender_id })
        : prisma().suppression.count({ where }),
    (skip) => prisma().suppression.findMany({ where, orderBy: { id: "desc" }, skip, take: input.limit }),
  );
  return toPage(rows.map(presentSuppression), total, input);
}

/** Lets the account send to the number again. @throws 404 when the account has no such suppression. */
export async function deleteSuppression(actor: AccountActor, id: string) {
  if (!(await deleteOne(actor.accountId, id))) throw notFound("There is no such suppression.", { param: "id" });
  return { id, object: "suppression", deleted: true as const };
}
