import type { Prisma } from "@/prisma/generated/client";
import { createOnceFor } from "../accounts/idempotency/create-once";
import { type IdempotentRequest, isReplayed, plainRequest } from "../accounts/idempotency/request";
import { type LockedAccount, lockAccounts, lockAdmission, postMoney } from "../accounts/store";
import type { AuditAction } from "../audit/actions";
import type { AuditValues } from "../audit/schema";
import { recordAudit } from "../audit/store";
import { keepAuthority, transactionBy } from "../auth/authority";
import { type Actor, nameOf, requireConfirmed, requireOperator } from "../core/actor";
import { now } from "../core/clock";
import { prisma, readPrisma, type Tx, transaction } from "../core/db";
import { invalidRequest, notFound } from "../core/errors";
import { isTestAccount, TEST_ACCOUNT_PREFIX, testAccountOf } from "../core/ids";
import { log } from "../core/log";
import { fromMicros, readPage, toMicros, toPage } from "../core/wire";
import { escapeLike } from "../search/like";
import { invalidateApproval } from "../senders/approval";
import { presentOperatedAccount, presentReviewedSender } from "./present";
import type {
  AccountStatusInput,
  CreditAccountInput,
  DecideSenderInput,
  LimitAccountInput,
  ListAccountsQuery,
  ListReviewsQuery,
  OperatedAccount,
  ReviewedSender,
  ThrottleSenderInput,
} from "./schema";

/** Statuses from which each decision is allowed. */
const DECIDED_FROM: Readonly<Record<DecideSenderInput["decision"], readonly string[]>> = {
  approved: ["pending", "rejected", "suspended"],
  rejected: ["pending"],
  suspended: ["approved"],
};

/** Accounts and senders are counted up to this number, as nobody pages through more: they are found by a search. */
const COUNTED_MAX = 10_000;

const WITH_ACCOUNT = { account: { select: { name: true, companyName: true } } } as const;

/** Filters by text that contains `search`, ignoring case; undefined for an empty search. */
const containing = (search: string | undefined): Prisma.StringFilter | undefined =>
  search?.trim() ? { contains: escapeLike(search.trim()), mode: "insensitive" } : undefined;

/**
 * Senders of all accounts, newest first, filtered by `search` in the sender ID, or the account's name or company; `total` counts up to
 * 10,000.
 * @throws 403 for non-operators.
 */
export async function listReviews(actor: Actor, input: ListReviewsQuery) {
  requireOperator(actor);
  const contains = containing(input.search);
  const where: Prisma.SenderWhereInput = {
    status: input.status,
    // Operators see nothing of test mode. A twin is recognized by its id: otherwise a count would read the row of each account.
    NOT: { accountId: { startsWith: TEST_ACCOUNT_PREFIX } },
    ...(contains && {
      OR: [{ senderId: contains }, { account: { OR: [{ name: contains }, { companyName: contains }] } }],
    }),
  };
  const { rows, total } = await readPage(
    input,
    () => readPrisma().sender.count({ where, take: COUNTED_MAX }),
    (skip) =>
      readPrisma().sender.findMany({ where, include: WITH_ACCOUNT, orderBy: { id: "desc" }, skip, take: input.limit }),
  );
  return toPage(rows.map(presentReviewedSender), total, input);
}

type LockedSender = {
  accountId: string;
  status: string;
  statusNote: string | null;
  maxSegmentsPerSecond: number | null;
};

/** @throws 404 */
async function lockSender(tx: Tx, id: string): Promise<LockedSender> {
  const { rows } = await tx.query<LockedSender>(
    `SELECT account_id AS "accountId", status, status_note AS "statusNote",
       max_segments_per_second AS "maxSegmentsPerSecond"
     FROM senders WHERE id = $1 FOR NO KEY UPDATE`,
    [id],
  );
  if (!rows[0]) throw notFound("There is no such sender.", { param: "id" });
  return rows[0];
}

/**
 * Moves a sender: pending -> approved or rejected, approved -> suspended, rejected or suspended -> approved.
 * @throws 403 for non-operators, 404, 400 `sender_move_not_allowed` for any other move.
 */
export async function decideSender(actor: Actor, input: DecideSenderInput): Promise<ReviewedSender> {
  requireOperator(actor);
  const { id, decision, note } = input;
  await transactionBy(actor, async (tx) => {
    // The lock closes the race of two operators: the second move starts from the result of the first.
    const { accountId, status, statusNote } = await lockSender(tx, id);
    if (!DECIDED_FROM[decision].includes(status)) {
      throw invalidRequest(`A sender that is ${status} cannot become ${decision}.`, {
        param: "decision",
        reason: "sender_move_not_allowed",
        details: { status },
      });
    }
    await tx.query(
      `UPDATE senders SET status = $2, status_note = $3, status_reason = $3, approved_at = CASE WHEN $2 = 'approved' THEN $4 ELSE approved_at END
       WHERE id = $1`,
      [id, decision, note ?? null, now()],
    );
    const before = { status, note: statusNote };
    const change = { action: "sender.decided", accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, before, after: { status: decision, note: note ?? null } });
  });
  const row = await prisma().sender.findUniqueOrThrow({ where: { id }, include: WITH_ACCOUNT });
  invalidateApproval(row.accountId, row.senderId);
  log("info", "sender.decided", { sender_id: id, account_id: row.accountId, decision, by: nameOf(actor) });
  return presentReviewedSender(row);
}

/**
 * Sets the throughput limit of a sender in segments per second; null: only its provider's limit.
 * @throws 403 for non-operators, 404.
 */
export async function throttleSender(actor: Actor, input: ThrottleSenderInput): Promise<ReviewedSender> {
  requireOperator(actor);
  const { id, max_segments_per_second: segmentsPerSecond } = input;
  await transactionBy(actor, async (tx) => {
    const { accountId, maxSegmentsPerSecond } = await lockSender(tx, id);
    await tx.query("UPDATE senders SET max_segments_per_second = $2 WHERE id = $1", [id, segmentsPerSecond]);
    const before = { max_segments_per_second: maxSegmentsPerSecond };
    const change = { action: "sender.throttled", accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, before, after: { max_segments_per_second: segmentsPerSecond } });
  });
  const row = await prisma().sender.findUniqueOrThrow({ where: { id }, include: WITH_ACCOUNT });
  log("info", "sender.throttled", {
    sender_id: id,
    account_id: row.accountId,
    segments_per_second: segmentsPerSecond,
    by: nameOf(actor),
  });
  return presentReviewedSender(row);
}

/**
 * Accounts, newest first, filtered by `search` in name, company, email or id, ignoring case; `total` counts up to 10,000.
 * @throws 403 for non-operators.
 */
export async function listAccounts(actor: Actor, input: ListAccountsQuery) {
  requireOperator(actor);
  const contains = containing(input.search);
  const where: Prisma.AccountWhereInput = {
    // Operators see nothing of test mode. By `test_of` a plan may read all accounts in its index before the first is counted.
    NOT: { id: { startsWith: TEST_ACCOUNT_PREFIX } },
    ...(contains && { OR: [{ name: contains }, { companyName: contains }, { email: contains }, { id: contains }] }),
  };
  const { rows, total } = await readPage(
    input,
    () => readPrisma().account.count({ where, take: COUNTED_MAX }),
    (skip) =>
      readPrisma().account.findMany({
        where,
        include: { members: { take: 1 } },
        orderBy: { id: "desc" },
        skip,
        take: input.limit,
      }),
  );
  const listed = rows.map((row) => ({ ...presentOperatedAccount(row), has_members: row.members.length > 0 }));
  return toPage(listed, total, input);
}

/**
 * Adds `amount` (in units of its currency; may be negative) to an account's balance. The Idempotency-Key belongs to
 * the credited account, so that it is looked up under the lock that the balance needs anyway.
 * @throws 403 for non-operators and `confirmation_required` for those who have not given their password lately, 404, 400
 *   `amount_is_zero` or `balance_would_be_negative`.
 */
export async function creditAccount(
  actor: Actor,
  input: CreditAccountInput,
  request: IdempotentRequest = plainRequest(),
): Promise<OperatedAccount> {
  requireOperator(actor);
  requireConfirmed(actor);
  const accountId = input.account_id;
  const amountMicros = toMicros(input.amount);
  if (amountMicros === 0n) {
    throw invalidRequest("amount must be at least 0.000001 or at most -0.000001.", {
      param: "amount",
      reason: "amount_is_zero",
    });
  }
  const carryOut = async (tx: Tx): Promise<null> => {
    const account = (await lockAccounts(tx, [accountId])).get(accountId);
    if (!account || isTestAccount(accountId)) throw noSuchAccount();
    if (account.balanceMicros + amountMicros < 0n) {
      const balance = fromMicros(account.balanceMicros);
      throw invalidRequest(`The balance is ${balance} ${account.currency} and cannot become negative.`, {
        param: "amount",
        reason: "balance_would_be_negative",
        details: { balance },
      });
    }
    const credit = { accountId, kind: "credit", amountMicros, reservedMicros: 0n, messageId: null } as const;
    await postMoney(tx, [{ ...credit, note: input.note ?? null, at: now() }]);
    const before = { balance: fromMicros(account.balanceMicros) };
    const after = { balance: fromMicros(account.balanceMicros + amountMicros), note: input.note ?? null };
    await recordAudit(tx, actor, { action: "account.credited", accountId, subjectId: accountId, before, after });
    return null;
  };
  await createOnceFor({ accountId, caller: nameOf(actor), actor }, request, { whileSuspended: true, carryOut });
  if (!isReplayed(request)) {
    log("info", "account.credited", { account_id: accountId, amount_micros: String(amountMicros), by: nameOf(actor) });
  }
  return presentOperatedAccount(await prisma().account.findUniqueOrThrow({ where: { id: accountId } }));
}

const noSuchAccount = () => notFound("There is no such account.", { param: "account_id" });

/** An account in the audit log, without its money. */
const auditOf = (account: LockedAccount): AuditValues => ({
  status: account.status,
  allowed_countries: account.allowedCountries,
  flood_identical: account.floodIdentical,
  flood_total: account.floodTotal,
  daily_spend_cap: account.dailySpendCapMicros === null ? null : fromMicros(account.dailySpendCapMicros),
});

/** Changes fields of an account other than its money; the test-mode twin gets the same status. @throws 404 */
async function changeAccount(
  actor: Actor,
  action: AuditAction,
  id: string,
  to: Partial<
    Pick<LockedAccount, "status" | "allowedCountries" | "floodIdentical" | "floodTotal" | "dailySpendCapMicros">
  >,
): Promise<OperatedAccount> {
  await transaction(async (tx) => {
    const ids = [id, testAccountOf(id)];
    await Promise.all([lockAdmission(tx, ids), keepAuthority(tx, actor)]);
    const account = (await lockAccounts(tx, ids)).get(id);
    if (!account || isTestAccount(id)) throw noSuchAccount();
    const changed = { ...account, ...to };
    await tx.query(
      `UPDATE accounts SET status = $2, allowed_countries = $3, flood_identical = $4, flood_total = $5,
         daily_spend_cap_micros = $6
       WHERE id = $1`,
      [
        id,
        changed.status,
        changed.allowedCountries,
        changed.floodIdentical,
        changed.floodTotal,
        changed.dailySpendCapMicros,
      ],
    );
    await tx.query("UPDATE accounts SET status = $2 WHERE test_of = $1 AND status <> $2", [id, changed.status]);
    const [before, after] = [auditOf(account), auditOf(changed)];
    await recordAudit(tx, actor, { action, accountId: id, subjectId: id, before, after });
  });
  return presentOperatedAccount(await prisma().account.findUniqueOrThrow({ where: { id } }));
}

/**
 * Suspends an account, so that its sends are refused, or lifts the suspension.
 * @throws 403 for non-operators, 404.
 */
export async function setAccountStatus(actor: Actor, input: AccountStatusInput): Promise<OperatedAccount> {
  requireOperator(actor);
  const { account_id: accountId, status } = input;
  const account = await changeAccount(actor, "account.status_set", accountId, { status });
  log("info", "account.status_set", { account_id: accountId, status, by: nameOf(actor) });
  return account;
}

/** Sets all limits of an account. @throws 403 for non-operators, 404. */
export async function limitAccount(actor: Actor, input: LimitAccountInput): Promise<OperatedAccount> {
  requireOperator(actor);
  const { account_id: accountId, allowed_countries: countries, daily_spend_cap: cap } = input;
  const account = await changeAccount(actor, "account.limited", accountId, {
    allowedCountries: [...new Set(countries)].sort(),
    floodIdentical: input.flood_identical,
    floodTotal: input.flood_total,
    dailySpendCapMicros: cap === null ? null : toMicros(cap),
  });
  log("info", "account.limited", { ...input, by: nameOf(actor) });
  return account;
}
