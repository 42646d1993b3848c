import type { Account as AccountRow } from "@/prisma/generated/client";
import { recordAudit } from "../audit/store";
import { normalEmail } from "../auth/normal-email";
import type { AccountActor, Actor, Origin } from "../core/actor";
import { DAY_MS, now, utcDay } from "../core/clock";
import { prisma, readPrisma, type Tx, transaction } from "../core/db";
import { conflict, constraintOf, notFound } from "../core/errors";
import { isTestAccount, newId } from "../core/ids";
import { fromMicros } from "../core/wire";
import { createOnceFor, OPERATORS } from "./idempotency/create-once";
import { type IdempotentRequest, plainRequest } from "./idempotency/request";
import { presentAccount } from "./present";
import type { Account, Balance, USAGE_PERIODS, Usage, UsageSeries } from "./schema";
import { postMoney } from "./store";

/** @throws 404 when the actor's account is gone. */
async function readAccount({ accountId: id }: Pick<AccountActor, "accountId">): Promise<AccountRow> {
  const row = await prisma().account.findUnique({ where: { id } });
  if (!row) throw notFound("There is no such account.");
  return row;
}

/** The actor's account; in test mode the live account with the play money of its twin. @throws 404 */
export async function getAccount(actor: AccountActor): Promise<Account> {
  const own = await readAccount(actor);
  return own.testOf === null ? presentAccount(own) : presentAccount(await readAccount({ accountId: own.testOf }), own);
}

/** Available balance, excluding money reserved for messages in flight. @throws 404 */
export async function getBalance(actor: AccountActor): Promise<Balance> {
  const asOf = now();
  const { balanceMicros, currency } = await readAccount(actor);
  const livemode = !isTestAccount(actor.accountId);
  return { object: "balance", livemode, balance: fromMicros(balanceMicros), currency, as_of: asOf.toISOString() };
}

const utcMidnight = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()));

function boundsOf(period: (typeof USAGE_PERIODS)[number], at: Date, createdAt: Date): { from: Date; to: Date } {
  if (period === "all") return { from: createdAt, to: at };
  if (period === "day") return { from: utcMidnight(at), to: new Date(utcMidnight(at).getTime() + DAY_MS) };
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { from: new Date(Date.UTC(year, month, 1)), to: new Date(Date.UTC(year, month + 1, 1)) };
}

/**
 * Messages accepted in the current UTC day, in the current UTC month, or since the account was created, from the daily
 * counters. `starts_at` is inclusive, `ends_at` exclusive.
 * @throws 404
 */
export async function getUsage(actor: AccountActor, input: { period: (typeof USAGE_PERIODS)[number] }): Promise<Usage> {
  const account = await readAccount(actor);
  const { from, to } = boundsOf(input.period, now(), account.createdAt);
  // Counters are per whole day: `all` includes the day of creation and today.
  const day = input.period === "all" ? undefined : { gte: from, lt: to };
  const { _sum } = await readPrisma().usageDay.aggregate({
    where: { accountId: actor.accountId, day },
    _sum: {
      messages: true,
      costMicros: true,
      pending: true,
      sent: true,
      delivered: true,
      failed: true,
      undelivered: true,
    },
  });
  return {
    object: "usage",
    period: input.period,
    starts_at: from.toISOString(),
    ends_at: to.toISOString(),
    currency: account.currency,
    totals: { messages: _sum.messages ?? 0, cost: fromMicros(_sum.costMicros ?? 0n) },
    by_status: {
      pending: _sum.pending ?? 0,
      sent: _sum.sent ?? 0,
      delivered: _sum.delivered ?? 0,
      failed: _sum.failed ?? 0,
      undelivered: _sum.undelivered ?? 0,
    },
  };
}

/** The last `days` UTC days including today, oldest first; a day without messages is a row of zeros. */
export async function getUsageSeries(actor: AccountActor, input: { days: number }): Promise<UsageSeries> {
  const today = utcMidnight(now());
  const first = new Date(today.getTime() - (input.days - 1) * DAY_MS);
  const rows = await readPrisma().usageDay.findMany({
    where: { accountId: actor.accountId, day: { gte: first, lte: today } },
  });
  const byDay = new Map(rows.map((row) => [utcDay(row.day), row]));
  return Array.from({ length: input.days }, (_, at) => {
    const day = utcDay(new Date(first.getTime() + at * DAY_MS));
    const row = byDay.get(day);
    return {
      day,
      messages: row?.messages ?? 0,
      segments: row?.segments ?? 0,
      cost: fromMicros(row?.costMicros ?? 0n),
      pending: row?.pending ?? 0,
      sent: row?.sent ?? 0,
      delivered: row?.delivered ?? 0,
      failed: row?.failed ?? 0,
      undelivered: row?.undelivered ?? 0,
    };
  });
}

/** Whether an account made in the same second already has the id of the new one. */
export const isAccountIdTaken = (thrown: unknown): boolean => constraintOf(thrown) === "accounts_pkey";

/** `signUpFrom`: origin of the person who signs up; absent: the account is made by the operator's command line. */
type NewAccount = {
  email: string;
  passwordHash: string;
  name: string;
  companyName: string;
  isOperator?: boolean;
  balanceMicros?: bigint;
  signUpFrom?: Origin;
};

type NewIds = { accountId: string; userId: string };

/** An operator's command. */
const ADMIN: Actor = { kind: "system", name: "admin" };

async function insertAccountWithOwner(tx: Tx, input: NewAccount, { accountId, userId }: NewIds): Promise<NewIds> {
  const { passwordHash, name, companyName, isOperator = false, balanceMicros = 0n, signUpFrom } = input;
  const email = normalEmail(input.email);
  const at = now();
  await tx.query("INSERT INTO accounts (id, email, name, company_name, created_at) VALUES ($1, $2, $3, $4, $5)", [
    accountId,
    email,
    name,
    companyName,
    at,
  ]);
  await tx.query(
    `INSERT INTO users (id, account_id, email, name, password_hash, is_operator, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [userId, accountId, email, name, passwordHash, isOperator, at],
  );
  const by: Actor = signUpFrom
    ? { kind: "session", accountId, userId, isOperator: false, sessionId: "", origin: signUpFrom }
    : ADMIN;
  const balance = fromMicros(balanceMicros);
  const after = { email, name, company_name: companyName, is_operator: isOperator, balance };
  await recordAudit(tx, by, { action: "account.created", accountId, subjectId: accountId, after });
  if (balanceMicros !== 0n) {
    const opening = { accountId, kind: "credit", amountMicros: balanceMicros, reservedMicros: 0n } as const;
    await postMoney(tx, [{ ...opening, messageId: null, note: "Opening balance", at }]);
  }
  return { accountId, userId };
}

/**
 * Creates an account and the user who owns it, in one transaction. The email is stored in lower case. An opening balance, in
 * micro-units, is a ledger credit like any other. The password is passed hashed, because hashing takes long.
 * @param request of an operator's command; its Idempotency-Key belongs to all operators.
 * @throws 409 `email_taken` when a user with this email exists.
 */
export async function createAccountWithOwner(
  input: NewAccount,
  request: IdempotentRequest = plainRequest(),
): Promise<NewIds> {
  const ids = { accountId: newId("account"), userId: newId("user") };
  const carryOut = (tx: Tx) => insertAccountWithOwner(tx, input, ids);
  try {
    return await (input.signUpFrom
      ? transaction(carryOut)
      : createOnceFor({ ...OPERATORS, actor: ADMIN }, request, { whileSuspended: true, carryOut }));
  } catch (thrown) {
    if (isAccountIdTaken(thrown)) return createAccountWithOwner(input, request);
    if (constraintOf(thrown) !== "users_email_key") throw thrown;
    throw conflict("There is an account with this email already.", { param: "email", reason: "email_taken" });
  }
}
