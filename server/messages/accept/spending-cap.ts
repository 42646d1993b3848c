/** The most that an account may spend in a UTC day. */
import type { LockedAccount } from "../../accounts/store";
import { nextUtcDay, secondsUntil } from "../../core/clock";
import type { Queryable } from "../../core/db";
import { type ApiError, rateLimited } from "../../core/errors";
import { fromMicros } from "../../core/wire";

type CappedAccount = Pick<LockedAccount, "id" | "dailySpendCapMicros">;

const idOf = (accountId: string, day: string): string => `${accountId} ${day}`;

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
    for (const { accountId, day, costMicros } of rows) spent.set(idOf(accountId, day), costMicros);
  }

  return {
    /** A 429 when this cost would exceed the account's cap of the day; null: it would not. */
    refusal({ id, dailySpendCapMicros: cap }: CappedAccount, day: string, costMicros: bigint): ApiError | null {
      const before = spent.get(idOf(id, day)) ?? 0n;
      if (cap === null || costMicros === 0n || before + costMicros <= cap) return null;
      return rateLimited("This request would exceed the account's spending cap of the UTC day. Nothing was sent.", {
        reason: "daily_spend_cap",
        details: { limit: fromMicros(cap), spent: fromMicros(before), requested: fromMicros(costMicros) },
        retryAfterS: secondsUntil(nextUtcDay(new Date(day))),
      });
    },
    add({ id }: CappedAccount, day: string, costMicros: bigint): void {
      spent.set(idOf(id, day), (spent.get(idOf(id, day)) ?? 0n) + costMicros);
    },
  };
}
