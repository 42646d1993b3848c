/** What a batch of sends needs to know to hold messages back: suppressions, countries, and what went within the hour. */
import type { LockedAccount } from "../../accounts/store";
import { now } from "../../core/clock";
import type { Queryable } from "../../core/db";
import { env } from "../../core/env";
import { firstIdAt } from "../../core/ids";
import type { MessageRow } from "../present";
import {
  BLOCKLISTED,
  countryRefusal,
  FLOOD_WINDOW_MS,
  type FloodLimits,
  floodLimitsOf,
  floodRefusal,
  isLimited,
  type Refusal,
} from "./guard";

/** A message that would go, had nobody anything against it. */
export type Sending = Pick<MessageRow, "id" | "accountId" | "toNumber" | "fromSender" | "body" | "chain">;

type GuardedAccount = Pick<LockedAccount, "id" | "allowedCountries" | "floodIdentical" | "floodTotal">;

/** What is held back of one request. `release` takes back that the rest counts, when the request is refused after all. */
type Judgement = { held: Map<Sending, Refusal>; release: () => void };

/**
 * Messages that were held back count for no limit but stand in the same index. So many of them are looked through per
 * recipient; whoever tried even more often within the hour stays held back.
 */
const HELD_BACK_SCANNED_MAX = 1_000;

const NOTHING_HELD: Judgement = { held: new Map(), release: () => undefined };

const recipientOf = ({ accountId, toNumber }: Sending): string => `${accountId} ${toNumber}`;
const textOf = (sending: Sending): string => `${recipientOf(sending)} ${sending.body}`;

/**
 * Reads what can hold `sendings` back, and returns what judges the requests that they come from, one after the other.
 * Exact while the accounts are locked. One query, and only when a limit holds for some of them.
 */
export async function openHolds(
  db: Queryable,
  accounts: ReadonlyMap<string, GuardedAccount>,
  sendings: readonly Sending[],
  isSuppressed: (sending: Sending) => boolean,
): Promise<(request: readonly Sending[]) => Judgement> {
  const defaults = { identical: env().FLOOD_IDENTICAL_PER_HOUR, total: env().FLOOD_TOTAL_PER_HOUR };
  const refused = new Map<Sending, Refusal>();
  const limited = new Map<Sending, FloodLimits>();
  for (const sending of sendings) {
    const account = accounts.get(sending.accountId);
    if (!account) continue;
    const refusal = isSuppressed(sending) ? BLOCKLISTED : countryRefusal(account.allowedCountries, sending.toNumber);
    const limits = floodLimitsOf(account, sending.chain, defaults);
    if (refusal) refused.set(sending, refusal);
    else if (isLimited(limits)) limited.set(sending, limits);
  }
  if (refused.size + limited.size === 0) return () => NOTHING_HELD;
  const went = await readWent(db, limited);
  const listOf = (key: string): string[] => {
    const list = went.get(key) ?? [];
    went.set(key, list);
    return list;
  };

  return (request) => {
    const held = new Map<Sending, Refusal>();
    const counted: string[][] = [];
    for (const sending of request) {
      const limits = limited.get(sending);
      const [identical, total] = [listOf(textOf(sending)), listOf(recipientOf(sending))];
      const refusal = refused.get(sending) ?? (limits && floodRefusal(limits, { identical, total }));
      if (refusal) {
        held.set(sending, refusal);
        continue;
      }
      for (const list of [identical, total]) {
        list.push(sending.id);
        counted.push(list);
      }
    }
    return {
      held,
      release: () => {
        for (const list of counted) list.pop();
      },
    };
  };
}

type Went = { n: number; scanned: number; oldest: string; total: string[] | null; identical: string[] | null };

/**
 * Ids, oldest first, of what went within the window to the recipients, by recipient and by recipient and text; of each
 * no more than its limit asks for.
 */
async function readWent(db: Queryable, limited: ReadonlyMap<Sending, FloodLimits>): Promise<Map<string, string[]>> {
  const lists = new Map<string, string[]>();
  if (limited.size === 0) return lists;
  const limitsOf = new Map<string, FloodLimits>();
  for (const [{ accountId }, limits] of limited) {
    const { identical, total } = limitsOf.get(accountId) ?? limits;
    limitsOf.set(accountId, {
      identical: Math.max(identical, limits.identical),
      total: Math.max(total, limits.total),
    });
  }
  const bodies = new Map<string, number>();
  const asked = [...new Map([...limited.keys()].map((sending) => [textOf(sending), sending])).values()];
  for (const { body } of asked) if (!bodies.has(body)) bodies.set(body, bodies.size + 1);
  const limits = asked.map(({ accountId }) => limitsOf.get(accountId) ?? { identical: 0, total: 0 });
  const { rows } = await db.query<Went>({
    name: "messages.went",
    text: `SELECT r.n::int4 AS n, count(*)::int4 AS scanned, min(s.id) AS oldest,
             (array_agg(s.id ORDER BY s.id DESC) FILTER (WHERE s.went))[1:r.total] AS total,
             (array_agg(s.id ORDER BY s.id DESC) FILTER (WHERE s.went AND s.body = b.body))[1:r.identical] AS identical
           FROM unnest($1::text[], $2::text[], $3::int4[], $4::int4[], $5::int4[]) WITH ORDINALITY
             AS r (account_id, to_number, body_no, identical, total, n)
           JOIN unnest($6::text[]) WITH ORDINALITY AS b (body, no) ON b.no = r.body_no
           CROSS JOIN LATERAL (
             SELECT m.id, m.body, m.failed_at IS DISTINCT FROM m.created_at AS went FROM messages m
             WHERE m.account_id = r.account_id AND m.to_number = r.to_number AND m.id > $7
             ORDER BY m.id DESC LIMIT (CASE WHEN r.total > 0 THEN r.total ELSE r.identical END) + $8::int4
           ) AS s
           GROUP BY r.n, r.total, r.identical`,
    values: [
      asked.map((sending) => sending.accountId),
      asked.map((sending) => sending.toNumber),
      asked.map((sending) => bodies.get(sending.body)),
      limits.map((limit) => limit.identical),
      limits.map((limit) => limit.total),
      [...bodies.keys()],
      firstIdAt("message", new Date(now().getTime() - FLOOD_WINDOW_MS)),
      HELD_BACK_SCANNED_MAX,
    ],
  });
  for (const { n, scanned, oldest, total, identical } of rows) {
    const [sending, limit] = [asked[n - 1], limits[n - 1]];
    if (!sending || !limit) continue;
    const isCutOff = limit.total > 0 && scanned === limit.total + HELD_BACK_SCANNED_MAX;
    const newestFirst = total ?? [];
    const unseen = isCutOff ? Array<string>(limit.total - newestFirst.length).fill(oldest) : [];
    lists.set(recipientOf(sending), [...unseen, ...newestFirst.toReversed()]);
    lists.set(textOf(sending), (identical ?? []).toReversed());
  }
  return lists;
}
