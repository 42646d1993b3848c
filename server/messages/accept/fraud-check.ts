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
} from "./fraud-rules";

/** A message that would go, had nobody anything against it. */
export type CandidateMessage = Pick<MessageRow, "id" | "accountId" | "toNumber" | "fromSender" | "body" | "chain">;

type CheckedAccount = Pick<LockedAccount, "id" | "allowedCountries" | "floodIdentical" | "floodTotal">;

/** What is blocked of one request. `release` takes back that the rest counts, when the request is refused after all. */
type FraudDecision = { blocked: Map<CandidateMessage, Refusal>; release: () => void };

/**
 * Messages that were blocked count for no limit but stand in the same index. So many of them are looked through per
 * recipient; whoever tried even more often within the hour stays blocked.
 */
const BLOCKED_SCANNED_MAX = 1_000;

const NOTHING_BLOCKED: FraudDecision = { blocked: new Map(), release: () => undefined };

const recipientOf = ({ accountId, toNumber }: CandidateMessage): string => `${accountId} ${toNumber}`;
const textOf = (candidate: CandidateMessage): string => `${recipientOf(candidate)} ${candidate.body}`;

/**
 * Reads what can hold `candidates` back, and returns what judges the requests that they come from, one after the other.
 * Exact while the accounts are locked. One query, and only when a limit holds for some of them.
 */
export async function loadFraudCheck(
  db: Queryable,
  accounts: ReadonlyMap<string, CheckedAccount>,
  candidates: readonly CandidateMessage[],
  isSuppressed: (candidate: CandidateMessage) => boolean,
): Promise<(request: readonly CandidateMessage[]) => FraudDecision> {
  const defaults = { identical: env().FLOOD_IDENTICAL_PER_HOUR, total: env().FLOOD_TOTAL_PER_HOUR };
  const refused = new Map<CandidateMessage, Refusal>();
  const limited = new Map<CandidateMessage, FloodLimits>();
  for (const candidate of candidates) {
    const account = accounts.get(candidate.accountId);
    if (!account) continue;
    const refusal = isSuppressed(candidate)
      ? BLOCKLISTED
      : countryRefusal(account.allowedCountries, candidate.toNumber);
    const limits = floodLimitsOf(account, candidate.chain, defaults);
    if (refusal) refused.set(candidate, refusal);
    else if (isLimited(limits)) limited.set(candidate, limits);
  }
  if (refused.size + limited.size === 0) return () => NOTHING_BLOCKED;
  const went = await readWent(db, limited);
  const listOf = (key: string): string[] => {
    const list = went.get(key) ?? [];
    went.set(key, list);
    return list;
  };

  return (request) => {
    const blocked = new Map<CandidateMessage, Refusal>();
    const counted: string[][] = [];
    for (const candidate of request) {
      const limits = limited.get(candidate);
      const [identical, total] = [listOf(textOf(candidate)), listOf(recipientOf(candidate))];
      const refusal = refused.get(candidate) ?? (limits && floodRefusal(limits, { identical, total }));
      if (refusal) {
        blocked.set(candidate, refusal);
        continue;
      }
      for (const list of [identical, total]) {
        list.push(candidate.id);
        counted.push(list);
      }
    }
    return {
      blocked,
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
async function readWent(
  db: Queryable,
  limited: ReadonlyMap<CandidateMessage, FloodLimits>,
): Promise<Map<string, string[]>> {
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
  const asked = [...new Map([...limited.keys()].map((candidate) => [textOf(candidate), candidate])).values()];
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
      asked.map((candidate) => candidate.accountId),
      asked.map((candidate) => candidate.toNumber),
      asked.map((candidate) => bodies.get(candidate.body)),
      limits.map((limit) => limit.identical),
      limits.map((limit) => limit.total),
      [...bodies.keys()],
      firstIdAt("message", new Date(now().getTime() - FLOOD_WINDOW_MS)),
      BLOCKED_SCANNED_MAX,
    ],
  });
  for (const { n, scanned, oldest, total, identical } of rows) {
    const [candidate, limit] = [asked[n - 1], limits[n - 1]];
    if (!candidate || !limit) continue;
    const isCutOff = limit.total > 0 && scanned === limit.total + BLOCKED_SCANNED_MAX;
    const newestFirst = total ?? [];
    const unseen = isCutOff ? Array<string>(limit.total - newestFirst.length).fill(oldest) : [];
    lists.set(recipientOf(candidate), [...unseen, ...newestFirst.toReversed()]);
    lists.set(textOf(candidate), (identical ?? []).toReversed());
  }
  return lists;
}
