/**
 * Limits messages that fail at once. They cost nothing, but each is a row, an event and a line in the account's lists. On a day, at
 * most FAILED_AT_ONCE_PER_DAY more messages may fail than were sent.
 */
import { nextUtcDay, secondsUntil } from "../../core/clock";
import type { Queryable } from "../../core/db";
import { env } from "../../core/env";
import { type ApiError, rateLimited } from "../../core/errors";
import type { QuotaCount } from "./quotas";

/** Messages of an account on a day, or of a request: those that go to a provider, and those that fail at once. */
type Counts = { sent: number; failed: number };

/** These counts are stored with the quotas' counts, under the account's id instead of a key's. */
const PERIOD = "failed:";

const idOf = (accountId: string, day: string): string => `${accountId} ${day}`;

async function readCounts(db: Queryable, accountIds: string[], days: Iterable<string>): Promise<Map<string, Counts>> {
  const { rows } = await db.query<{ accountId: string; day: string; messages: number; failed: number }>({
    name: "messages.failures",
    text: `SELECT u.account_id AS "accountId", to_char(u.day, 'YYYY-MM-DD') AS day, u.messages,
             coalesce(q.messages, 0) AS failed
           FROM usage_days u
           LEFT JOIN api_key_quotas q ON q.key_id = u.account_id AND q.period = '${PERIOD}' || to_char(u.day, 'YYYY-MM-DD')
           WHERE u.account_id = ANY($1::text[]) AND u.day = ANY($2::date[])`,
    values: [accountIds, [...new Set(days)]],
  });
  return new Map(
    rows.map(({ accountId, day, messages, failed }) => [idOf(accountId, day), { sent: messages - failed, failed }]),
  );
}

/** Loads the counts of the limit; exact under the admission locks of the accounts. One query, or none without accounts. */
export async function loadFailures(db: Queryable, accountIds: Iterable<string>, days: Iterable<string>) {
  const limit = env().FAILED_AT_ONCE_PER_DAY;
  const ids = [...new Set(accountIds)];
  const today = limit > 0 && ids.length > 0 ? await readCounts(db, ids, days) : new Map<string, Counts>();
  const added = new Map<string, QuotaCount>();
  const countsOf = (accountId: string, day: string): Counts =>
    today.get(idOf(accountId, day)) ?? { sent: 0, failed: 0 };

  return {
    /** A 429 when the request's messages that fail at once would be too many; null: they would not. */
    refusal(accountId: string, day: string, { sent, failed }: Counts): ApiError | null {
      const before = countsOf(accountId, day);
      const allowed = limit + before.sent + sent;
      if (limit === 0 || failed === 0 || before.failed + failed <= allowed) return null;
      return rateLimited("Too many messages of this account failed today when they were accepted. Nothing was sent.", {
        reason: "failed_limit",
        details: { limit: allowed, failed: before.failed, requested: failed },
        retryAfterS: secondsUntil(nextUtcDay(new Date(day))),
      });
    },
    add(accountId: string, day: string, { sent, failed }: Counts): void {
      const before = countsOf(accountId, day);
      today.set(idOf(accountId, day), { sent: before.sent + sent, failed: before.failed + failed });
      if (failed === 0) return;
      const period = `${PERIOD}${day}`;
      const id = idOf(accountId, day);
      added.set(id, { keyId: accountId, period, added: (added.get(id)?.added ?? 0) + failed });
    },
    counts: (): QuotaCount[] => [...added.values()],
  };
}
