/** Blocks messages of a batch of sends: by suppressions, by country, and by flood limits over the last hour. */
import type { LockedAccount } from "../../accounts/store";
import { now } from "../../core/clock";
import type { Queryable } from "../../core/db";
import { env } from "../../core/env";
import { firstIdAt } from "../../core/ids";
import { unnest } from "../../core/unnest";
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

/** A message that is accepted unless it is blocked here. */
export type CandidateMessage = Pick<MessageRow, "id" | "accountId" | "toNumber" | "fromSender" | "body" | "chain">;

type CheckedAccount = Pick<LockedAccount, "id" | "allowedCountries" | "floodIdentical" | "floodTotal">;

/**
 * The blocked messages of one request. `release` takes the others out of the counts again if the request is refused after all.
 */
type FraudDecision = { blocked: Map<CandidateMessage, Refusal>; release: () => void };

/**
 * Blocked messages count for no limit but stand in the same index. At most this many are scanned per recipient; a recipient
 * with even more of them within the hour stays blocked.
 */
const BLOCKED_SCANNED_MAX = 1_000;

const NOTHING_BLOCKED: FraudDecision = { blocked: new Map(), release: () => undefined };

const recipientKey = ({ accountId, toNumber }: CandidateMessage): string => `${accountId} ${toNumber}`;
const textKey = (candidate: CandidateMessage): string => `${recipientKey(candidate)} ${candidate.body}`;

/**
 * Loads everything that can block `candidates`, and returns a function that decides on their requests one after the other.
 * Exact under the admission locks of the accounts. One query, and only when a flood limit applies to some of them.
 */
export async function loadFraudCheck(
  db: Queryable,
  accounts: ReadonlyMap<string, CheckedAccount>,
  candidates: readonly CandidateMessage[],
  isSuppressed: (candidate: CandidateMessage) => boolean,
): Promise<(request: readonly CandidateMessage[]) => FraudDecision> {
  const { refused, limited } = applyRules(accounts, candidates, isSuppressed);
  if (refused.size + limited.size === 0) return () => NOTHING_BLOCKED;
  const recent = await readRecent(db, limited);
  const listOf = (key: string): string[] => {
    const list = recent.get(key) ?? [];
    recent.set(key, list);
    return list;
  };

  return (request) => {
    const blocked = new Map<CandidateMessage, Refusal>();
    const counted: string[][] = [];
    for (const candidate of request) {
      const limits = limited.get(candidate);
      const [identical, total] = [listOf(textKey(candidate)), listOf(recipientKey(candidate))];
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

/** Applies the rules that need no history. @returns refused candidates, and the flood limits of the others. */
function applyRules(
  accounts: ReadonlyMap<string, CheckedAccount>,
  candidates: readonly CandidateMessage[],
  isSuppressed: (candidate: CandidateMessage) => boolean,
): { refused: Map<CandidateMessage, Refusal>; limited: Map<CandidateMessage, FloodLimits> } {
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
  return { refused, limited };
}

/** A text under the number that look-ups name it by, so that it is sent to the database once. */
type NumberedText = { no: number; body: string };

/** One text to one recipient. `n` numbers the look-ups. */
type LookUp = { n: number; candidate: CandidateMessage; bodyNo: number; limits: FloodLimits };

const LOOK_UPS = unnest<LookUp>({
  n: ["int4", ({ n }) => n],
  account_id: ["text", ({ candidate }) => candidate.accountId],
  to_number: ["text", ({ candidate }) => candidate.toNumber],
  body_no: ["int4", ({ bodyNo }) => bodyNo],
  identical: ["int4", ({ limits }) => limits.identical],
  total: ["int4", ({ limits }) => limits.total],
});

const TEXTS = unnest<NumberedText>(
  {
    no: ["int4", ({ no }) => no],
    body: ["text", ({ body }) => body],
  },
  7,
);

type FoundRecent = { n: number; scanned: number; oldest: string; total: string[] | null; identical: string[] | null };

/**
 * Reads the ids of messages within the window, oldest first, by recipient and by recipient and text, of each no more than
 * its limit needs.
 */
async function readRecent(
  db: Queryable,
  limited: ReadonlyMap<CandidateMessage, FloodLimits>,
): Promise<Map<string, string[]>> {
  if (limited.size === 0) return new Map();
  const { lookUps, texts } = lookUpsOf(limited);
  const { rows } = await db.query<FoundRecent>({
    name: "messages.went",
    text: `SELECT r.n, count(*)::int4 AS scanned, min(s.id) AS oldest,
             (array_agg(s.id ORDER BY s.id DESC) FILTER (WHERE s.went))[1:r.total] AS total,
             (array_agg(s.id ORDER BY s.id DESC) FILTER (WHERE s.went AND s.body = b.body))[1:r.identical] AS identical
           FROM ${LOOK_UPS.as("r")}
           JOIN ${TEXTS.as("b")} ON b.no = r.body_no
           CROSS JOIN LATERAL (
             SELECT m.id, m.body, m.failed_at IS DISTINCT FROM m.created_at AS went FROM messages m
             WHERE m.account_id = r.account_id AND m.to_number = r.to_number AND m.id > $9
             ORDER BY m.id DESC LIMIT (CASE WHEN r.total > 0 THEN r.total ELSE r.identical END) + $10::int4
           ) AS s
           GROUP BY r.n, r.total, r.identical`,
    values: [
      ...LOOK_UPS.values(lookUps),
      ...TEXTS.values(texts),
      firstIdAt("message", new Date(now().getTime() - FLOOD_WINDOW_MS)),
      BLOCKED_SCANNED_MAX,
    ],
  });
  const found = new Map(rows.map((row) => [row.n, row]));
  return new Map(lookUps.flatMap((lookUp) => recentLists(lookUp, found.get(lookUp.n))));
}

/** One look-up per recipient and text, and the texts that they name. */
function lookUpsOf(limited: ReadonlyMap<CandidateMessage, FloodLimits>): { lookUps: LookUp[]; texts: NumberedText[] } {
  const limitsOf = highestLimits(limited);
  const texts = new Map<string, NumberedText>();
  const lookUps = new Map<string, LookUp>();
  for (const [candidate, own] of limited) {
    const { accountId, body } = candidate;
    const text = texts.get(body) ?? { no: texts.size + 1, body };
    texts.set(body, text);
    const key = textKey(candidate);
    const n = lookUps.get(key)?.n ?? lookUps.size + 1;
    lookUps.set(key, { n, candidate, bodyNo: text.no, limits: limitsOf.get(accountId) ?? own });
  }
  return { lookUps: [...lookUps.values()], texts: [...texts.values()] };
}

/** The highest limits of each account's messages, which may take different chains. */
function highestLimits(limited: ReadonlyMap<CandidateMessage, FloodLimits>): Map<string, FloodLimits> {
  const highest = new Map<string, FloodLimits>();
  for (const [{ accountId }, limits] of limited) {
    const { identical, total } = highest.get(accountId) ?? limits;
    highest.set(accountId, {
      identical: Math.max(identical, limits.identical),
      total: Math.max(total, limits.total),
    });
  }
  return highest;
}

/** The lists that a look-up found, by their keys. Where the scan was cut off, the rest of the limit counts as used up. */
function recentLists({ candidate, limits }: LookUp, found: FoundRecent | undefined): [key: string, ids: string[]][] {
  if (!found) return [];
  const isCutOff = limits.total > 0 && found.scanned === limits.total + BLOCKED_SCANNED_MAX;
  const newestFirst = found.total ?? [];
  const unseen = isCutOff ? Array<string>(limits.total - newestFirst.length).fill(found.oldest) : [];
  return [
    [recipientKey(candidate), [...unseen, ...newestFirst.toReversed()]],
    [textKey(candidate), (found.identical ?? []).toReversed()],
  ];
}
