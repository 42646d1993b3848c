/** Daily and monthly message quotas of API keys, and the daily quota of an account in test mode. */
import type { AccountActor, KeyQuota } from "../../core/actor";
import { nextUtcDay, nextUtcMonth, secondsUntil, utcDay, utcMonth } from "../../core/clock";
import type { Queryable, Tx } from "../../core/db";
import { env } from "../../core/env";
import { type ApiError, rateLimited } from "../../core/errors";
import { isTestAccount } from "../../core/ids";
import { unnest } from "../../core/unnest";

/**
 * The API key with its quotas, followed by the keys that it descends from: a message counts against all of them. Null for a console
 * user. In test mode, where no balance limits sending, the account has a quota too.
 */
export type SendingKey = readonly KeyQuota[] | null;

/** The quotas that the actor's messages count against. */
export function sendingKey(actor: AccountActor): SendingKey {
  const keys =
    actor.kind === "apiKey"
      ? [{ id: actor.countedAs ?? actor.keyId, ...actor.limits }, ...(actor.ancestors ?? [])]
      : [];
  const daily = env().TEST_MESSAGES_PER_DAY;
  if (isTestAccount(actor.accountId) && daily > 0) return [...keys, { id: actor.accountId, daily, monthly: null }];
  return actor.kind === "apiKey" ? keys : null;
}

/**
 * Messages to be added to a key's count of a period, `day:2026-01-31` or `month:2026-01`, or to an account's count of
 * messages that failed at once, `failed:2026-01-31`; `keyId` is the account's id then.
 */
export type QuotaCount = { keyId: string; period: string; added: number };

/** A quota of a key in its current period. `generation`: 0 for the key itself, 1 for its parent, and so on. */
type Quota = {
  keyId: string;
  generation: number;
  limit: number;
  unit: "day" | "month";
  period: string;
  endsAt: Date;
  reason: string;
};

function quotasOf(key: SendingKey, at: Date): Quota[] {
  const quotas: Quota[] = [];
  // Most keys have no quota.
  key?.forEach(({ id: keyId, daily, monthly }, generation) => {
    if (daily !== null) {
      const reason = isTestAccount(keyId) ? "test_mode_limit" : "daily_limit";
      const period = `day:${utcDay(at)}`;
      quotas.push({ keyId, generation, limit: daily, unit: "day", period, endsAt: nextUtcDay(at), reason });
    }
    if (monthly !== null) {
      const period = `month:${utcMonth(at)}`;
      const endsAt = nextUtcMonth(at);
      quotas.push({ keyId, generation, limit: monthly, unit: "month", period, endsAt, reason: "monthly_limit" });
    }
  });
  return quotas;
}

const idOf = ({ keyId, period }: { keyId: string; period: string }): string => `${keyId} ${period}`;

/** The counts of quotas as stored. */
async function readUsed(db: Queryable, quotas: readonly Quota[]): Promise<Map<string, number>> {
  if (quotas.length === 0) return new Map();
  const { rows } = await db.query<{ keyId: string; period: string; messages: number }>({
    name: "messages.quotas",
    text: `SELECT key_id AS "keyId", period, messages FROM api_key_quotas
           WHERE key_id = ANY($1::text[]) AND period = ANY($2::text[])`,
    values: [[...new Set(quotas.map(({ keyId }) => keyId))], [...new Set(quotas.map(({ period }) => period))]],
  });
  return new Map(rows.map((row) => [idOf(row), row.messages]));
}

function holderOf({ keyId, generation }: Quota): string {
  if (isTestAccount(keyId)) return "In test mode an account";
  return generation === 0 ? "This API key" : "A parent of this API key, together with the keys created from it,";
}

function exceeded(quota: Quota, used: number, requested: number): ApiError {
  const { limit, unit, reason, endsAt } = quota;
  return rateLimited(`${holderOf(quota)} may send ${limit} messages per ${unit}. Nothing was sent.`, {
    reason,
    details: { limit, used, requested },
    retryAfterS: secondsUntil(endsAt),
  });
}

/** Loads the daily and monthly quotas of keys; exact under the admission locks of their accounts. */
export async function loadQuotas(db: Queryable, keys: readonly SendingKey[]) {
  const at = new Date();
  const used = await readUsed(
    db,
    keys.flatMap((key) => quotasOf(key, at)),
  );
  const added = new Map<string, QuotaCount>();

  /** A 429 for each quota that this number of messages would exceed. None exceeds no quota, even one that was lowered meanwhile. */
  const refusals = (key: SendingKey, messages: number): ApiError[] =>
    quotasOf(key, at).flatMap((quota) => {
      const before = used.get(idOf(quota)) ?? 0;
      return messages === 0 || before + messages <= quota.limit ? [] : [exceeded(quota, before, messages)];
    });

  return {
    refusals,
    /** Counts messages. @throws 429 naming the quota that they would exceed; nothing is counted then. */
    take(key: SendingKey, messages: number): void {
      const [refusal] = refusals(key, messages);
      if (refusal) throw refusal;
      for (const quota of quotasOf(key, at)) {
        const { keyId, period } = quota;
        const id = idOf(quota);
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

/** Stores the counts of quotas, and of messages that failed at once (failed-at-once.ts). */
export async function countQuotas(tx: Tx, counts: readonly QuotaCount[]): Promise<void> {
  if (counts.length === 0) return;
  await tx.query({
    name: "messages.count_quotas",
    text: `INSERT INTO api_key_quotas AS q (key_id, period, messages)
           SELECT * FROM ${QUOTA_COUNTS.sql} ORDER BY 1, 2
           ON CONFLICT (key_id, period) DO UPDATE SET messages = q.messages + excluded.messages`,
    values: QUOTA_COUNTS.values(counts),
  });
}
