/** The most that an account may spend in a UTC day. */
import type { LockedAccount } from "../../accounts/store";
import { nextUtcDay, secondsUntil } from "../../core/clock";
import type { Queryable } from "../../core/db";
import { type ApiError, rateLimited } from "../../core/errors";
import { fromMicros } from "../../core/wire";

type Caps = Pick<LockedAccount, "dailySpendCapMicros" | "ownDailySpendCapMicros">;
type CappedAccount = Caps & Pick<LockedAccount, "id">;

/**
 * An account's lower cap, with the end of the sentence that names it; null: it has none. Of two equal caps the operator's, which
 * owners cannot raise.
 */
export function lowerCapOf({ dailySpendCapMicros: operators, ownDailySpendCapMicros: own }: Caps) {
  if (own !== null && (operators === null || own < operators)) {
    return {
      micros: own,
      whose: "that its owners have set. An owner can change it in the console: Settings, Sending.",
    };
  }
  return operators === null
    ? null
    : { micros: operators, whose: "that the operator has set. Ask the operator to raise it." };
}

const idOf = (accountId: string, day: string): string => `${accountId} ${day}`;

/**
 * Loads what accounts with a daily cap have spent, with what was accepted earlier and let through on the day; exact under their
 * admission locks. One query, if any has a cap.
 */
export async function loadSpending(db: Queryable, accounts: Iterable<CappedAccount>, days: Iterable<string>) {
  const capped = [...accounts].flatMap((account) => (lowerCapOf(account) === null ? [] : [account.id]));
  const spent = new Map<string, bigint>();
  if (capped.length > 0) {
    const { rows } = await db.query<{ accountId: string; day: string; costMicros: bigint }>({
      name: "messages.spent",
      text: `SELECT a.id AS "accountId", to_char(d.day, 'YYYY-MM-DD') AS day,
               COALESCE(u.cost_micros, 0) + COALESCE(t.cost_micros, 0) AS "costMicros"
             FROM unnest($1::text[]) AS a (id) CROSS JOIN unnest($2::date[]) AS d (day)
             LEFT JOIN usage_days u ON u.account_id = a.id AND u.day = d.day
             LEFT JOIN due_spending_days t ON t.account_id = a.id AND t.day = d.day`,
      values: [capped, [...new Set(days)]],
    });
    for (const { accountId, day, costMicros } of rows) spent.set(idOf(accountId, day), costMicros);
  }

  return {
    /** A 429 when this cost would exceed the account's lower cap of the day; null: it would not. */
    refusal(account: CappedAccount, day: string, costMicros: bigint): ApiError | null {
      const cap = lowerCapOf(account);
      const before = spent.get(idOf(account.id, day)) ?? 0n;
      if (cap === null || costMicros === 0n || before + costMicros <= cap.micros) return null;
      return rateLimited(`Nothing was sent: this request would exceed the account's daily spending cap ${cap.whose}`, {
        reason: "daily_spend_cap",
        details: { limit: fromMicros(cap.micros), spent: fromMicros(before), requested: fromMicros(costMicros) },
        retryAfterS: secondsUntil(nextUtcDay(new Date(day))),
      });
    },
    add({ id }: CappedAccount, day: string, costMicros: bigint): void {
      spent.set(idOf(id, day), (spent.get(idOf(id, day)) ?? 0n) + costMicros);
    },
  };
}
