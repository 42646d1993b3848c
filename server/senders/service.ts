import type { Sender as SenderRow } from "@/prisma/generated/client";
import { inAccountQueue } from "../accounts/account-queue";
import { createOnce } from "../accounts/idempotency/create-once";
import { type IdempotentRequest, plainRequest } from "../accounts/idempotency/request";
import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import type { AccountActor } from "../core/actor";
import { addJob } from "../core/add-jobs";
import { now, SECOND_MS } from "../core/clock";
import { prisma, readPrisma, type Tx } from "../core/db";
import { env } from "../core/env";
import { type ApiError, invalidRequest, notFound } from "../core/errors";
import { isTestAccount, newId } from "../core/ids";
import { readList } from "../lists/read-list";
import { otherSpellingOf } from "../messages/phone";
import { invalidateApproval } from "./approval";
import { type DltColumns, requireDltEntity } from "./dlt";
import { countSenders, readSenders } from "./list";
import { presentSender } from "./present";
import type { CreateSenderInput, ListSendersQuery, Sender } from "./schema";
import { agreesWithForm, senderTypeOf } from "./sender-type";

/** Most senders of an account, not counting rejected ones; an operator reviews each. */
const SENDERS_MAX = 100;

const NO_SENDER_ID =
  "sender_id must have up to 11 characters: letters (A to Z), digits, spaces and . _ - &, with at least one letter and no space " +
  "at either end; or be a number of 3 to 15 digits.";

/** Columns that follow from the input. */
type SenderForm = Pick<SenderRow, "senderId" | "type" | "countryCode" | keyof DltColumns>;

/**
 * Reads a registration, and asks no database.
 * @throws 400 `invalid_sender_id`, `sender_type_mismatch` when it contradicts the given type, or `dlt_entity_missing`.
 */
export function parseSender(input: CreateSenderInput): SenderForm {
  const expected = senderTypeOf(input.sender_id);
  if (!expected) {
    throw invalidRequest(NO_SENDER_ID, { param: "sender_id", reason: "invalid_sender_id" });
  }
  if (input.type && !agreesWithForm(input.type, expected)) {
    throw invalidRequest(`The sender ID has the form of type ${expected}, not ${input.type}.`, {
      param: "type",
      reason: "sender_type_mismatch",
      details: { expected },
    });
  }
  const dlt = {
    dltEntityId: input.dlt_entity_id ?? null,
    dltTemplateId: input.dlt_template_id ?? null,
    dltTemplateCategory: input.dlt_template_category ?? null,
  };
  requireDltEntity(dlt);
  const countryCode = input.country_code?.toUpperCase() ?? null;
  return { senderId: input.sender_id, type: input.type ?? expected, countryCode, ...dlt };
}

/** In test mode nobody gets a message, so nobody has to look at the sender. */
function newSender(accountId: string, form: SenderForm): SenderRow {
  const createdAt = now();
  const isTest = isTestAccount(accountId);
  return {
    ...form,
    id: newId("sender"),
    accountId,
    status: isTest ? "approved" : "pending",
    statusNote: null,
    statusReason: null,
    maxSegmentsPerSecond: null,
    approvedAt: isTest ? createdAt : null,
    createdAt,
  };
}

/**
 * Runs under `createOnce`'s account lock, so two registrations are counted in turn. A number is registered in one spelling, so
 * that an operator's decision about it holds for the other one. @throws 400
 */
async function insertSender(tx: Tx, row: SenderRow): Promise<void> {
  const { rowCount } = await tx.query(
    `INSERT INTO senders (id, account_id, sender_id, type, country_code, status, created_at, approved_at,
       dlt_entity_id, dlt_template_id, dlt_template_category)
     SELECT $1, $2, $3, $4, $5, $6, $7::timestamptz, $8::timestamptz, $9, $10, $11
     WHERE (SELECT count(*) FROM senders WHERE account_id = $2 AND status <> 'rejected') < $12
       AND NOT EXISTS (SELECT 1 FROM senders WHERE account_id = $2 AND sender_id = $13)
     ON CONFLICT (account_id, sender_id) DO NOTHING`,
    [
      row.id,
      row.accountId,
      row.senderId,
      row.type,
      row.countryCode,
      row.status,
      row.createdAt,
      row.approvedAt,
      row.dltEntityId,
      row.dltTemplateId,
      row.dltTemplateCategory,
      SENDERS_MAX,
      otherSpellingOf(row.senderId),
    ],
  );
  if (rowCount === 0) throw await whyNotRegistered(tx, row);
}

/** Where the installation approves automatically, after SENDER_AUTO_APPROVE_S. */
async function scheduleAutoApproval(tx: Tx, row: SenderRow): Promise<void> {
  const waitS = env().SENDER_AUTO_APPROVE_S;
  if (row.status !== "pending" || waitS === 0) return;
  const runAt = new Date(row.createdAt.getTime() + waitS * SECOND_MS);
  await addJob(tx, "review_sender", { senderId: row.id }, { runAt });
}

/**
 * Registers a sender ID. It is pending until an operator approves it, or until SENDER_AUTO_APPROVE_S has passed.
 * @throws 400 `invalid_sender_id`, `sender_type_mismatch` when it contradicts the given type, `sender_exists`,
 *   `dlt_entity_missing`, or `sender_limit` past 100 senders that were not rejected.
 */
export async function createSender(
  actor: AccountActor,
  input: CreateSenderInput,
  request: IdempotentRequest = plainRequest(),
): Promise<Sender> {
  const row = newSender(actor.accountId, parseSender(input));
  const carryOut = async (tx: Tx): Promise<Sender> => {
    await insertSender(tx, row);
    await scheduleAutoApproval(tx, row);
    const after = { sender_id: row.senderId, type: row.type, country_code: row.countryCode };
    await recordAudit(tx, actor, { action: "sender.registered", accountId: row.accountId, subjectId: row.id, after });
    return presentSender(row);
  };
  return createOnce(actor, request, { carryOut });
}

async function whyNotRegistered(tx: Tx, row: { accountId: string; senderId: string }): Promise<ApiError> {
  const { rowCount } = await tx.query("SELECT 1 FROM senders WHERE account_id = $1 AND sender_id IN ($2, $3)", [
    row.accountId,
    row.senderId,
    otherSpellingOf(row.senderId),
  ]);
  if (rowCount)
    return invalidRequest("This sender ID is registered already.", { param: "sender_id", reason: "sender_exists" });
  return invalidRequest(`An account has at most ${SENDERS_MAX} senders that were not rejected.`, {
    reason: "sender_limit",
  });
}

/** The account's senders, newest first. */
export async function listSenders(actor: AccountActor, input: ListSendersQuery) {
  const filter = { accountId: actor.accountId, status: input.status };
  const page = await readList(
    input,
    "snd",
    () => countSenders(filter),
    (range) => readSenders(filter, range),
  );
  return page.present(page.rows.map(presentSender));
}

/** Sender IDs that a person chooses from: an account has 100 at most, unless an earlier version let it have more. */
const NAMED_MAX = 1_000;

/** The account's sender IDs that were not rejected, in the order of their names. */
export async function listSenderNames({ accountId }: AccountActor): Promise<string[]> {
  const rows = await readPrisma().sender.findMany({
    where: { accountId, status: { not: "rejected" } },
    orderBy: { senderId: "asc" },
    take: NAMED_MAX,
    select: { senderId: true },
  });
  return rows.map(({ senderId }) => senderId);
}

/** One sender of the account. @throws 404 */
export async function getSender(actor: AccountActor, id: string): Promise<Sender> {
  const row = await prisma().sender.findFirst({ where: { id, accountId: actor.accountId } });
  if (!row) throw notFound("There is no such sender.", { param: "id" });
  return presentSender(row);
}

/**
 * Deletes a sender. Its messages that wait fail with `sender_not_approved` when their turn comes; those that a provider has
 * taken go on. An operator's decision about it outlasts deleting it and registering it again.
 * @throws 404, 400 `sender_not_deletable`
 */
export async function deleteSender(actor: AccountActor, id: string) {
  const { accountId } = actor;
  const remove = async (tx: Tx) => {
    const { rows } = await tx.query<{ senderId: string; status: string }>(
      `DELETE FROM senders WHERE id = $1 AND account_id = $2 AND status IN ('pending', 'approved')
         AND max_segments_per_second IS NULL RETURNING sender_id AS "senderId", status`,
      [id, accountId],
    );
    const [row] = rows;
    if (!row) return undefined;
    const before = { sender_id: row.senderId, status: row.status };
    await recordAudit(tx, actor, { action: "sender.deleted", accountId, subjectId: id, before });
    return row;
  };
  const deleted = await inAccountQueue(accountId, () => transactionBy(actor, remove));
  if (!deleted) {
    await getSender(actor, id);
    throw invalidRequest("An operator rejected, suspended or slowed down this sender: it cannot be deleted.", {
      param: "id",
      reason: "sender_not_deletable",
    });
  }
  invalidateApproval(accountId, deleted.senderId);
  return { id, object: "sender", deleted: true as const };
}
