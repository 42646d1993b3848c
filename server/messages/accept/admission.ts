/** Admission of requests: the account's status, its balance and spending cap, and the quotas of the API key. */
import type { LockedAccount } from "../../accounts/store";
import type { AccountActor, KeyQuota } from "../../core/actor";
import { nextUtcDay, nextUtcMonth, now, utcDay, utcMonth, wholeSeconds } from "../../core/clock";
import type { Queryable, Tx } from "../../core/db";
import { env } from "../../core/env";
import { type ApiError, forbidden, insufficientBalance, rateLimited } from "../../core/errors";
import { isTestAccount } from "../../core/ids";
import { unnest } from "../../core/unnest";
import { fromMicros } from "../../core/wire";

/**
 * The API key with its quotas, before the keys that it descends from: a message counts against all of them. Null for a console
 * user. In test mode, where no balance limits sending, the account has a quota of its own as well.
 */
export type SendingKey = readonly KeyQuota[] | null;

export function sendingKey(actor: AccountActor): SendingKey {
  const keys = actor.kind === "apiKey" ? [{ id: actor.keyId, ...actor.limits }, ...(actor.ancestors ?? [])] : [];
  const daily = env().TEST_MESSAGES_PER_DAY;
  if (isTestAccount(actor.accountId) && daily > 0) return [...keys, { id: actor.accountId, daily, monthly: null }];
  return actor.kind === "apiKey" ? keys : null;
}

/** Returns the account when it may send. @throws 403 */
export function requireActive<Account extends { status: string }>(account: Account | null | undefined): Account {
  if (account?.status === "active") return account;
  throw forbidden("This account may not send messages.", { reason: "account_not_active" });
}

/** @throws 402 when the balance does not cover the cost. */
export function requireBalance(costMicros: bigint, balanceMicros: bigint, currency: string): void {
  if (costMicros <= balanceMicros) return;
  throw insufficientBalance("The balance does not cover this request. Nothing was sent.", {
    details: { required: fromMicros(costMicros), balance: fromMicros(balanceMicros), currency },
  });
}

/**
 * Messages to be added to a key's count of a period, `day:2026-01-31` or `month:2026-01`, or to an account's count of
 * messages that failed at once, `failed:2026-01-31`; `keyId` is the account's id then.
 */
export type QuotaCount = { keyId: string; period: string; added: number };

const periodKey = (id: string, period: string) => `${id} ${period}`;

const secondsUntil = (end: Date): number => wholeSeconds(end.getTime() - now().getTime());

function whoseQuota(id: string, generation: number): string {
  if (isTestAccount(id)) return "In test mode an account";
  return generation === 0 ? "This API key" : "A parent of this API key, together with the keys created from it,";
}

/** Loads the daily and monthly quotas of keys; exact under the admission locks of their accounts. */
export async function loadQuotas(db: Queryable, keys: readonly SendingKey[]) {
  const at = new Date();
  const periodsOf = (key: SendingKey) =>
    (key ?? []).flatMap(({ id: keyId, daily, monthly }, generation) => {
      // Most keys have no quota.
      if (daily === null && monthly === null) return [];
      return [
        {
          period: `day:${utcDay(at)}`,
          limit: daily,
          reason: isTestAccount(keyId) ? "test_mode_limit" : "daily_limit",
          endsAt: nextUtcDay(at),
        },
        { period: `month:${utcMonth(at)}`, limit: monthly, reason: "monthly_limit", endsAt: nextUtcMonth(at) },
      ].flatMap((entry) => (entry.limit === null ? [] : [{ ...entry, limit: entry.limit, keyId, generation }]));
    });
  const limited = keys.flatMap(periodsOf);
  const used = new Map<string, number>();
  if (limited.length > 0) {
    const { rows } = await db.query<{ keyId: string; period: string; messages: number }>({
      name: "messages.quotas",
      text: `SELECT key_id AS "keyId", period, messages FROM api_key_quotas
             WHERE key_id = ANY($1::text[]) AND period = ANY($2::text[])`,
      values: [[...new Set(limited.map((entry) => entry.keyId))], [...new Set(limited.map((entry) => entry.period))]],
    });
    for (const row of rows) used.set(periodKey(row.keyId, row.period), row.messages);
  }
  const added = new Map<string, QuotaCount>();

  /** A 429 for each quota that this number of messages would exceed. */
  const refusals = (key: SendingKey, messages: number): ApiError[] =>
    periodsOf(key).flatMap(({ keyId, period, limit, reason, endsAt, generation }) => {
      const before = used.get(periodKey(keyId, period)) ?? 0;
      if (before + messages <= limit) return [];
      const text = `${whoseQuota(keyId, generation)} may send ${limit} messages per ${period.split(":")[0]}. Nothing was sent.`;
      const details = { limit, used: before, requested: messages };
      return [rateLimited(text, { reason, details, retryAfterS: secondsUntil(endsAt) })];
    });

  return {
    refusals,
    /** Counts messages. @throws 429 naming the quota that they would exceed; nothing is counted then. */
    take(key: SendingKey, messages: number): void {
      const [refusal] = refusals(key, messages);
      if (refusal) throw refusal;
      for (const { keyId, period } of periodsOf(key)) {
        const id = periodKey(keyId, period);
        used.set(id, (used.get(id) ?? 0) + messages);
        added.set(id, { keyId, period, added: (added.get(id)?.added ?? 0) + messages });
      }
    },
    counts: (): QuotaCount[] => [...added.values()],
  };
}

const QUOTA_COUNTS = unnest<QuotaCount>({
  key_id: ["text", ({ keyId }) => keyId],
  period: ["text", ({ period }) => period],
  messages: ["int4", ({ added }) => added],
});

/** Stores the counts of {@link loadQuotas} and {@link loadFailures}. */
export async function countQuotas(tx: Tx, quotas: readonly QuotaCount[]): Promise<void> {
  if (quotas.length === 0) return;
  await tx.query({
    name: "messages.count_quotas",
    text: `INSERT INTO api_key_quotas AS q (key_id, period, messages)
           SELECT * FROM ${QUOTA_COUNTS.sql} ORDER BY 1, 2
           ON CONFLICT (key_id, period) DO UPDATE SET messages = q.messages + excluded.messages`,
    values: QUOTA_COUNTS.values(quotas),
  });
}

type CappedAccount = Pick<LockedAccount, "id" | "dailySpendCapMicros">;

/** Loads what accounts with a daily cap have spent; exact under their admission locks. One query, if any has a cap. */
export async function loadSpending(db: Queryable, accounts: Iterable<CappedAccount>, days: Iterable<string>) {
  const capped = [...accounts].flatMap(({ id, dailySpendCapMicros }) => (dailySpendCapMicros === null ? [] : [id]));
  const spent = new Map<string, bigint>();
  if (capped.length > 0) {
    const { rows } = await db.query<{ accountId: string; day: string; costMicros: bigint }>({
      name: "messages.spent",
      text: `SELECT account_id AS "accountId", to_char(day, 'YYYY-MM-DD') AS day, cost_micros AS "costMicros"
             FROM usage_days WHERE account_id = ANY($1::text[]) AND day = ANY($2::date[])`,
      values: [capped, [...new Set(days)]],
    });
    for (const row of rows) spent.set(periodKey(row.accountId, row.day), row.costMicros);
  }

  return {
    /** A 429 when this cost would exceed the account's cap of the day. */
    refusals({ id, dailySpendCapMicros: cap }: CappedAccount, day: string, costMicros: bigint): ApiError[] {
      const before = spent.get(periodKey(id, day)) ?? 0n;
      if (cap === null || costMicros === 0n || before + costMicros <= cap) return [];
      const details = { limit: fromMicros(cap), spent: fromMicros(before), requested: fromMicros(costMicros) };
      const text = "This request would pass what the account may spend in a UTC day. Nothing was sent.";
      const retryAfterS = secondsUntil(nextUtcDay(new Date(day)));
      return [rateLimited(text, { reason: "daily_spend_cap", details, retryAfterS })];
    },
    add({ id }: CappedAccount, day: string, costMicros: bigint): void {
      spent.set(periodKey(id, day), (spent.get(periodKey(id, day)) ?? 0n) + costMicros);
    },
  };
}

/**
 * Limit of messages that fail at once. They cost nothing, and each is a row, an event and a line in the account's lists; so of a
 * day's messages FAILED_AT_ONCE_PER_DAY may fail beyond as many as were sent. Exact under the admission locks of the accounts. One
 * query, or none without accounts.
 */
export async function loadFailures(db: Queryable, accountIds: Iterable<string>, days: Iterable<string>) {
  const limit = env().FAILED_AT_ONCE_PER_DAY;
  const ids = [...new Set(accountIds)];
  const today = new Map<string, { sent: number; failed: number }>();
  const added = new Map<string, QuotaCount>();
  const at = (accountId: string, day: string) => today.get(periodKey(accountId, day)) ?? { sent: 0, failed: 0 };
  if (limit > 0 && ids.length > 0) {
    const { rows } = await db.query<{ accountId: string; day: string; messages: number; failed: number }>({
      name: "messages.failures",
      text: `SELECT u.account_id AS "accountId", to_char(u.day, 'YYYY-MM-DD') AS day, u.messages,
               coalesce(q.messages, 0) AS failed
             FROM usage_days u
             LEFT JOIN api_key_quotas q ON q.key_id = u.account_id AND q.period = 'failed:' || to_char(u.day, 'YYYY-MM-DD')
             WHERE u.account_id = ANY($1::text[]) AND u.day = ANY($2::date[])`,
      values: [ids, [...new Set(days)]],
    });
    for (const { accountId, day, messages, failed } of rows)
      today.set(periodKey(accountId, day), { sent: messages - failed, failed });
  }

  return {
    /** 429 when so many more would be too many that fail at once; `sent` go to a provider with the same request. */
    refusals(accountId: string, day: string, { sent, failed }: { sent: number; failed: number }): ApiError[] {
      const before = at(accountId, day);
      const allowed = limit + before.sent + sent;
      if (limit === 0 || failed === 0 || before.failed + failed <= allowed) return [];
      const text = "Too many messages of this account failed today when they were accepted. Nothing was sent.";
      const details = { limit: allowed, failed: before.failed, requested: failed };
      const retryAfterS = secondsUntil(nextUtcDay(new Date(day)));
      return [rateLimited(text, { reason: "failed_limit", details, retryAfterS })];
    },
    add(accountId: string, day: string, { sent, failed }: { sent: number; failed: number }): void {
      const before = at(accountId, day);
      today.set(periodKey(accountId, day), { sent: before.sent + sent, failed: before.failed + failed });
      if (failed === 0) return;
      const period = `failed:${day}`;
      const id = periodKey(accountId, period);
      added.set(id, { keyId: accountId, period, added: (added.get(id)?.added ?? 0) + failed });
    },
    counts: (): QuotaCount[] => [...added.values()],
  };
}
