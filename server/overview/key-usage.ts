import type { AccountActor } from "../core/actor";
import { DAY_MS, now } from "../core/clock";
import { prisma } from "../core/db";
import { notFound } from "../core/errors";
import { fromMicros } from "../core/wire";
import { idsWithin } from "../messages/lists/created-range";
import type { KeyUsage, KeyUsageQuery } from "./schema";
import { KEY_MESSAGES_MAX, readForgotten, readKeyDays, readKeyQuotas } from "./store";

const NO_MESSAGES = {
  messages: 0,
  segments: 0,
  costMicros: 0n,
  pending: 0,
  sent: 0,
  delivered: 0,
  failed: 0,
  undelivered: 0,
};

/**
 * Messages sent with a key in the last `days` UTC days, today included. There are no counters per key, which every send would
 * have to keep: the newest 50,000 messages are counted. @throws 404
 */
export async function usageOfKey(actor: AccountActor, { id, days }: KeyUsageQuery): Promise<KeyUsage> {
  const { accountId } = actor;
  const tomorrow = Math.floor(now().getTime() / DAY_MS + 1) * DAY_MS;
  const from = tomorrow - days * DAY_MS;
  const [key, rows, quotas, forgotten] = await Promise.all([
    prisma().apiKey.findFirst({ where: { id, accountId }, include: { account: true } }),
    readKeyDays(accountId, id, idsWithin({ from, to: null }).first ?? ""),
    readKeyQuotas(accountId, id),
    readForgotten(accountId, from),
  ]);
  if (!key) throw notFound("There is no such API key.", { param: "id" });
  const lookedAt = rows.reduce((sum, { messages }) => sum + messages, 0);
  const byDay = new Map(rows.map(({ day, ...counts }) => [day, counts]));
  return {
    currency: key.account.currency,
    series: Array.from({ length: days }, (_, at) => {
      const day = new Date(from + at * DAY_MS).toISOString().slice(0, 10);
      const { costMicros, ...counts } = byDay.get(day) ?? NO_MESSAGES;
      return { day, ...counts, cost: fromMicros(costMicros) };
    }),
    looked_at: lookedAt,
    is_complete: lookedAt < KEY_MESSAGES_MAX && !forgotten.hasMessages,
    used_today: quotas.today,
    used_this_month: quotas.month,
  };
}
