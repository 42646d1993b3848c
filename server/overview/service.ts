import { setImmediate } from "node:timers/promises";
import { readUnusualTraffic } from "../alerts/store";
import type { AccountActor } from "../core/actor";
import { DAY_MS, MINUTE_MS, now } from "../core/clock";
import { prisma } from "../core/db";
import { notFound } from "../core/errors";
import { fromMicros } from "../core/wire";
import { countryOf } from "../messages/accept/fraud-rules";
import { idsWithin } from "../messages/lists/created-range";
import { numberPrefixOf } from "../traffic/country";
import { readTraffic } from "../traffic/store";
import { isPaused } from "../webhooks/present";
import { daysLeft, failingConcern } from "./concerns";
import type { Breakdown, Comparison, Concern, OverviewQuery, SentCountries, Share, Totals } from "./schema";
import {
  FAILURES_MAX,
  type GroupRow,
  LOOKED_AT_MAX,
  readCanceled,
  readErrors,
  readForgotten,
  readGroups,
  readWaitingSince,
} from "./store";

const SHOWN_MAX = 8;
/** About two milliseconds' worth. */
const LOOK_UPS_PER_TURN = 50;
/** Spending and failures are compared with these whole days before yesterday. */
const USUAL_DAYS = 7;
/** Providers take messages within seconds; a limit or an outage makes them wait. */
const WAITING_MS = 5 * MINUTE_MS;
const EXPIRING_MS = 7 * DAY_MS;

const midnight = (at: Date): number => Math.floor(at.getTime() / DAY_MS) * DAY_MS;

type Sums = Totals & { costMicros: bigint };

/** Sums of an account's counters over UTC days, `from` inclusive and `to` exclusive, in milliseconds. */
async function sumDays(accountId: string, from: number, to: number): Promise<Sums> {
  const { _sum: sum } = await prisma().usageDay.aggregate({
    where: { accountId, day: { gte: new Date(from), lt: new Date(to) } },
    _sum: {
      messages: true,
      segments: true,
      costMicros: true,
      pending: true,
      sent: true,
      delivered: true,
      failed: true,
      undelivered: true,
    },
  });
  const costMicros = sum.costMicros ?? 0n;
  return {
    messages: sum.messages ?? 0,
    segments: sum.segments ?? 0,
    cost: fromMicros(costMicros),
    costMicros,
    pending: sum.pending ?? 0,
    sent: sum.sent ?? 0,
    delivered: sum.delivered ?? 0,
    failed: sum.failed ?? 0,
    undelivered: sum.undelivered ?? 0,
  };
}

const withoutMicros = ({ costMicros: _, ...totals }: Sums): Totals => totals;

/** @throws 404 when the actor's account is gone. */
async function readAccount({ accountId }: AccountActor) {
  const account = await prisma().account.findUnique({ where: { id: accountId } });
  if (!account) throw notFound("There is no such account.");
  return account;
}

/** The messages of the last `days` UTC days, today included, and of as many days before. @throws 404 */
export async function compareDays(actor: AccountActor, { days }: OverviewQuery): Promise<Comparison> {
  const end = midnight(now()) + DAY_MS;
  const [account, current, previous] = await Promise.all([
    readAccount(actor),
    sumDays(actor.accountId, end - days * DAY_MS, end),
    sumDays(actor.accountId, end - 2 * days * DAY_MS, end - days * DAY_MS),
  ]);
  return { currency: account.currency, current: withoutMicros(current), previous: withoutMicros(previous) };
}

/** Adds up `rows` by a name, the most messages first; at most {@link SHOWN_MAX}. */
function sumBy<Row extends Share, Name>(rows: readonly Row[], nameOf: (row: Row) => Name): (Share & { name: Name })[] {
  const sums = new Map<Name, Share>();
  for (const row of rows) {
    const name = nameOf(row);
    const sum = sums.get(name) ?? { messages: 0, delivered: 0, failed: 0 };
    sum.messages += row.messages;
    sum.delivered += row.delivered;
    sum.failed += row.failed;
    sums.set(name, sum);
  }
  return [...sums]
    .map(([name, sum]) => ({ name, ...sum }))
    .sort((a, b) => b.messages - a.messages || String(a.name).localeCompare(String(b.name)))
    .slice(0, SHOWN_MAX);
}

/** The countries of numbers by their prefix; each prefix is looked up once. Yields to other work in between. */
async function countriesOf(groups: readonly GroupRow[]): Promise<Map<string, string | null>> {
  const countries = new Map<string, string | null>();
  for (const { prefix, sample } of groups) {
    if (countries.has(prefix)) continue;
    countries.set(prefix, countryOf(sample));
    if (countries.size % LOOK_UPS_PER_TURN === 0) await setImmediate();
  }
  return countries;
}

/** The newest messages of the last `days` UTC days by country and sender, and the newest failures by their code. */
export async function breakDown(actor: AccountActor, { days }: OverviewQuery): Promise<Breakdown> {
  const from = midnight(now()) + DAY_MS - days * DAY_MS;
  const first = idsWithin({ from, to: null }).first ?? "";
  const [groups, errors, forgotten] = await Promise.all([
    readGroups(actor.accountId, first),
    readErrors(actor.accountId, first),
    readForgotten(actor.accountId, from),
  ]);
  const countries = await countriesOf(groups);
  const lookedAt = groups.reduce((sum, { messages }) => sum + messages, 0);
  return {
    looked_at: lookedAt,
    is_complete: lookedAt < LOOKED_AT_MAX && !forgotten.hasMessages,
    by_country: sumBy(groups, ({ prefix }) => countries.get(prefix) ?? null).map(({ name, ...share }) => ({
      country: name,
      ...share,
    })),
    by_sender: sumBy(groups, ({ sender }) => sender).map(({ name, ...share }) => ({ sender: name, ...share })),
    errors: errors.slice(0, SHOWN_MAX).map(({ lastAt, ...error }) => ({ ...error, last_at: lastAt.toISOString() })),
    errors_are_complete:
      errors.reduce((sum, { messages }) => sum + messages, 0) < FAILURES_MAX && !forgotten.hasFailures,
  };
}

/** The countries of an account's traffic, for its owners to choose from; in test mode, which has no traffic, none. */
export async function listSentCountries({ accountId }: AccountActor): Promise<SentCountries> {
  const [traffic, unusual] = await Promise.all([readTraffic(accountId), readUnusualTraffic(accountId)]);
  const isUnusual = new Set(unusual.map(({ country }) => country));
  return traffic.map(({ country, messages }) => ({
    ...{ country: country || null, messages },
    is_unusual: isUnusual.has(country || null),
  }));
}

type Endpoint = Parameters<typeof isPaused>[0] & { id: string; url: string; failureCount: number };

/** An endpoint that gets no events, or fails; a pause may have been forgotten. */
function endpointConcern(endpoint: Endpoint): Concern {
  const { id, url, failureCount: failures, pausedAt } = endpoint;
  if (endpoint.isActive) return { kind: "endpoint_failing", id, url, failures };
  if (pausedAt && isPaused(endpoint)) return { kind: "endpoint_paused", id, url, since: pausedAt.toISOString() };
  return { kind: "endpoint_disabled", id, url };
}

const NONE = { delivered: 0, failed: 0, undelivered: 0 };

/**
 * Whether unusually many messages fail. Those that their account canceled itself are no failures; they are counted only when they
 * may matter.
 */
async function findFailing(accountId: string, today: number, lately: Totals, usually: Totals) {
  if (!failingConcern(lately, NONE)) return null;
  const firstOf = (from: number) => idsWithin({ from, to: null }).first ?? "";
  const canceled = await readCanceled(accountId, {
    usually: firstOf(today - (USUAL_DAYS + 1) * DAY_MS),
    lately: firstOf(today - DAY_MS),
  });
  const without = (ends: Totals, count: number) => ({ ...ends, failed: Math.max(ends.failed - count, 0) });
  return failingConcern(without(lately, canceled.lately), without(usually, canceled.before));
}

/** Problems of an account's messages, money, endpoints, senders and keys, the worst first; empty: none. @throws 404 */
export async function listConcerns(actor: AccountActor): Promise<Concern[]> {
  const { accountId } = actor;
  const at = now();
  const today = midnight(at);
  const [account, traffic, lately, usually, waitingSince, endpoints, senders, keys] = await Promise.all([
    readAccount(actor),
    readUnusualTraffic(accountId),
    sumDays(accountId, today - DAY_MS, today + DAY_MS),
    sumDays(accountId, today - (USUAL_DAYS + 1) * DAY_MS, today - DAY_MS),
    readWaitingSince(accountId, WAITING_MS),
    prisma().webhookEndpoint.findMany({
      where: { accountId, deletedAt: null, OR: [{ isActive: false }, { failureCount: { gt: 0 } }] },
      orderBy: { id: "desc" },
      take: SHOWN_MAX,
    }),
    prisma().sender.findMany({ where: { accountId, status: { in: ["rejected", "suspended"] } }, take: SHOWN_MAX }),
    prisma().apiKey.findMany({
      where: { accountId, revokedAt: null, expiresAt: { gt: at, lt: new Date(at.getTime() + EXPIRING_MS) } },
      take: SHOWN_MAX,
    }),
  ]);
  const left = daysLeft(account.balanceMicros, usually.costMicros / BigInt(USUAL_DAYS));
  const balance = { balance: fromMicros(account.balanceMicros), currency: account.currency };
  const failing = await findFailing(accountId, today, lately, usually);
  return [
    ...(account.status === "active" ? [] : [{ kind: "account_suspended" } as const]),
    ...traffic.map(
      ({ country, messages, highest_before }) =>
        ({
          kind: "unusual_traffic",
          ...{ country, messages, highest_before },
          number_prefix: numberPrefixOf(country ?? ""),
        }) as const,
    ),
    ...(left === null ? [] : [{ kind: "balance_low", ...balance, days_left: left } as const]),
    ...(failing ? [failing] : []),
    ...(waitingSince ? [{ kind: "messages_waiting", since: waitingSince.toISOString() } as const] : []),
    ...endpoints.map(endpointConcern),
    ...senders.map(
      ({ senderId, statusReason }) => ({ kind: "sender_rejected", sender: senderId, reason: statusReason }) as const,
    ),
    ...keys.flatMap(({ id, name, expiresAt }) =>
      expiresAt ? [{ kind: "key_expiring", id, name, expires_at: expiresAt.toISOString() } as const] : [],
    ),
  ];
}
