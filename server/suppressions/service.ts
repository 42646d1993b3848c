import { inAccountQueue } from "../accounts/account-queue";
import { createOnce } from "../accounts/idempotency/create-once";
import { type IdempotentRequest, plainRequest } from "../accounts/idempotency/request";
import { countOperation, type OperationLimit } from "../api-keys/operation-limit";
import { recordAudit } from "../audit/store";
import { requireAuthority, transactionBy } from "../auth/authority";
import type { AccountActor } from "../core/actor";
import { now } from "../core/clock";
import { type Tx, transaction } from "../core/db";
import { invalidRequest, notFound } from "../core/errors";
import { readList } from "../lists/read-list";
import { readTotal } from "../lists/store";
import { otherSpellingOf } from "../messages/phone";
import type { ImportResult, ImportSuppressionsInput } from "./import-schema";
import { sortEntries } from "./imported-numbers";
import { findOfNumber, readSuppressions } from "./list";
import { presentSuppression } from "./present";
import type { CreateSuppressionInput, ListSuppressionsQuery, Suppression } from "./schema";
import { deleteOne, insertImported, insertManual } from "./store";

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
  const { number, note } = input;
  const carryOut = async (tx: Tx): Promise<Suppression> => {
    const senderId = await registeredSender(tx, actor.accountId, input.sender_id);
    const suppression = { accountId: actor.accountId, number, senderId: senderId ?? "", at: now() };
    const row = await insertManual(tx, suppression, note ?? null);
    const after = { number, sender_id: senderId, reason: row.reason };
    await recordAudit(tx, actor, { action: "suppression.created", accountId: row.accountId, subjectId: row.id, after });
    return presentSuppression(row);
  };
  return createOnce(actor, request, { whileSuspended: true, carryOut });
}

/**
 * A sender ID as it is registered, null where none is given. A number may be given in its other spelling; earlier versions registered
 * both, and then the given one counts.
 * @throws 400 `unknown_sender`, because a misspelled sender ID would suppress nothing.
 */
async function registeredSender(tx: Tx, accountId: string, given: string | null | undefined): Promise<string | null> {
  if (!given) return null;
  const { rows } = await tx.query<{ senderId: string }>(
    `SELECT sender_id AS "senderId" FROM senders WHERE account_id = $1 AND sender_id IN ($2, $3)
     ORDER BY sender_id <> $2 LIMIT 1`,
    [accountId, given, otherSpellingOf(given) ?? given],
  );
  if (rows[0]) return rows[0].senderId;
  throw invalidRequest("`sender_id` is not a sender of this account.", {
    param: "sender_id",
    reason: "unknown_sender",
  });
}

/**
 * Imports of an account per minute: enough for half a million numbers, and a limit on what one account can store at once.
 */
const IMPORTS_MAX = 60;
const IMPORT_LIMIT: OperationLimit = {
  name: "suppressions.import",
  limit: IMPORTS_MAX,
  action: `make ${IMPORTS_MAX} imports`,
  reason: "import_limit",
};

/**
 * Suppresses the numbers of a list for one of the account's senders, or for all: every valid one, or none when the call fails.
 * Numbers already suppressed by hand stay unchanged, so a repeated call changes nothing. Takes no admission lock: a send must
 * not wait for a long list; one that is accepted meanwhile is checked again when it is dispatched.
 * @throws 400 `unknown_sender`; 429 `import_limit` past 60 per minute and account, over all processes; 429 `too_many_at_once`.
 */
export async function importSuppressions(actor: AccountActor, input: ImportSuppressionsInput): Promise<ImportResult> {
  const { accountId } = actor;
  await countOperation(accountId, IMPORT_LIMIT);
  const { numbers, ...rest } = await sortEntries(input.numbers);
  const added = await inAccountQueue(accountId, () =>
    transaction(async (tx) => {
      const senderId = await registeredSender(tx, accountId, input.sender_id);
      if (numbers.length === 0) return 0;
      const to = { accountId, senderId: senderId ?? "", note: input.note ?? null, at: now() };
      const count = await insertImported(tx, to, numbers);
      // Only now, and without a lock: nothing else of this key or person, nor their end, is to wait for the numbers.
      await requireAuthority(actor, tx);
      const after = { sender_id: senderId, added: count, existing: numbers.length - count };
      await recordAudit(tx, actor, { action: "suppression.imported", accountId, after });
      return count;
    }),
  );
  return { object: "suppression_import", added, existing: numbers.length - added, ...rest };
}

/** The account's suppressions, newest first. */
export async function listSuppressions(actor: AccountActor, input: ListSuppressionsQuery) {
  const filter = { accountId: actor.accountId, number: input.number, senderId: input.sender_id };
  const page = await readList(
    input,
    "sup",
    async () =>
      input.number === undefined
        ? readTotal("suppressions", { ownerId: actor.accountId, kind: input.sender_id })
        : (await findOfNumber(filter)).length,
    (range) => readSuppressions(filter, range),
  );
  return page.present(page.rows.map(presentSuppression));
}

/** Deletes a suppression, so that the account can send to the number again. @throws 404 */
export async function deleteSuppression(actor: AccountActor, id: string) {
  const { accountId } = actor;
  await transactionBy(actor, async (tx) => {
    const row = await deleteOne(tx, accountId, id);
    if (!row) throw notFound("There is no such suppression.", { param: "id" });
    const before = { number: row.number, sender_id: row.senderId === "" ? null : row.senderId, reason: row.reason };
    await recordAudit(tx, actor, { action: "suppression.deleted", accountId, subjectId: id, before });
  });
  return { id, object: "suppression", deleted: true as const };
}
