/** Blocks messages of a batch of sends: by suppressions, by country, and by flood limits over the last hour. */
import type { LockedAccount } from "../../accounts/store";
import { now } from "../../core/clock";
import type { Queryable } from "../../core/db";
import { env } from "../../core/env";
import { firstIdAt } from "../../core/ids";
import { unnest } from "../../core/unnest";
import { BLOCKLISTED, type Refusal } from "../failure";
import type { MessageRow } from "../present";
import { type CountryLimits, countryRefusal } from "./country-rules";
import { FLOOD_WINDOW_MS, type FloodLimits, floodLimitsOf, floodRefusal, isLimited } from "./fraud-rules";

/** A message that is accepted unless it is blocked here. */
export type CandidateMessage = Pick<MessageRow, "id" | "accountId" | "toNumber" | "fromSender" | "body" | "chain">;

type CheckedAccount = CountryLimits & Pick<LockedAccount, "id" | "floodIdentical" | "floodTotal">;

/**
 * The blocked messages of one request. `release` takes the others out of the counts again if the request is refused after all.
 */
type FraudDecision = { blocked: Map<CandidateMessage, Refusal>; release: () => void };

/**
 * Blocked messages count towards no limit but are in the same index. At most this many are scanned per recipient; a recipient
 * with even more of them within the hour stays blocked.
 */
const BLOCKED_SCANNED_MAX = 1_000;

/**
 * Where only identical texts are limited, any number of accepted messages can be in between, too. At most this many more messages
 * than the limit are scanned per recipient; one with even more within the hour stays blocked.
 */
const SCANNED_MAX = 10_000;

const NOTHING_BLOCKED: FraudDecision = { blocked: new Map(), release: () => undefined };

const recipientKey = ({ accountId, toNumber }: Pick<CandidateMessage, "accountId" | "toNumber">): string =>
  `${accountId} ${toNumber}`;
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
    const refusal = isSuppressed(candidate) ? BLOCKLISTED : countryRefusal(account, candidate.toNumber);
    const limits = floodLimitsOf(account, candidate.chain, defaults);
    if (refusal) refused.set(candidate, refusal);
    else if (isLimited(limits)) limited.set(candidate, limits);
  }
  return { refused, limited };
}

/** A recipient of an account, numbered by `no`. */
type Recipient = { no: number; accountId: string; toNumber: string; limits: FloodLimits };

/** How many of a recipient's newest messages are scanned. */
const scannedMax = ({ identical, total }: FloodLimits): number =>
  total > 0 ? total + BLOCKED_SCANNED_MAX : identical + SCANNED_MAX;

/** A text, numbered by `no`, so that it is sent to the database once. */
type Text = { no: number; body: string };

/** One text to one recipient, by their numbers. */
type LookUp = { no: number; candidate: CandidateMessage; recipient: Recipient; text: Text };

const RECIPIENTS = unnest<Recipient>({
  no: ["int4", ({ no }) => no],
  account_id: ["text", ({ accountId }) => accountId],
  to_number: ["text", ({ toNumber }) => toNumber],
  identical: ["int4", ({ limits }) => limits.identical],
  total: ["int4", ({ limits }) => limits.total],
  scanned_max: ["int4", ({ limits }) => scannedMax(limits)],
});

const TEXTS = unnest<Text>({ no: ["int4", ({ no }) => no], body: ["text", ({ body }) => body] }, 7);

const LOOK_UPS = unnest<LookUp>(
  {
    no: ["int4", ({ no }) => no],
    recipient_no: ["int4", ({ recipient }) => recipient.no],
    text_no: ["int4", ({ text }) => text.no],
  },
  9,
);

/** `no`: of a recipient, or of a look-up (`isIdentical`). `ids`: newest first. */
type FoundRecent = { no: number; isIdentical: boolean; scanned: number; oldest: string; ids: string[] | null };

/**
 * Reads the ids of messages within the window, oldest first, by recipient and by recipient and text, of each no more than
 * its limit needs. Each recipient is scanned once, however many texts go to it. Messages that this transaction has inserted are
 * left out: they are the ones to be decided on.
 */
async function readRecent(
  db: Queryable,
  limited: ReadonlyMap<CandidateMessage, FloodLimits>,
): Promise<Map<string, string[]>> {
  if (limited.size === 0) return new Map();
  const { recipients, texts, lookUps } = lookUpsOf(limited);
  const { rows } = await db.query<FoundRecent>({
    name: "messages.recent",
    text: `WITH scanned AS MATERIALIZED (
             SELECT r.no, r.identical, r.total, s.id, s.body, s.went FROM ${RECIPIENTS.as("r")}
             CROSS JOIN LATERAL (
               SELECT m.id, m.body, m.failed_at IS DISTINCT FROM m.created_at AS went FROM messages m
               WHERE m.account_id = r.account_id AND m.to_number = r.to_number AND m.id > $12
                 AND m.xmin IS DISTINCT FROM pg_current_xact_id_if_assigned()::xid
               ORDER BY m.id DESC LIMIT r.scanned_max
             ) AS s
           )
           SELECT no, false AS "isIdentical", count(*)::int4 AS scanned, min(id) AS oldest,
             (array_agg(id ORDER BY id DESC) FILTER (WHERE went))[1:total] AS ids
           FROM scanned GROUP BY no, total
           UNION ALL
           SELECT l.no, true, 0, '', (array_agg(s.id ORDER BY s.id DESC))[1:s.identical]
           FROM ${LOOK_UPS.as("l")} JOIN ${TEXTS.as("t")} ON t.no = l.text_no
           JOIN scanned s ON s.no = l.recipient_no AND s.body = t.body AND s.went
           GROUP BY l.no, s.identical`,
    values: [
      ...RECIPIENTS.values(recipients),
      ...TEXTS.values(texts),
      ...LOOK_UPS.values(lookUps),
      firstIdAt("message", new Date(now().getTime() - FLOOD_WINDOW_MS)),
    ],
  });
  const found = new Map(rows.map((row) => [`${row.isIdentical} ${row.no}`, row]));
  const recent = new Map<string, string[]>();
  const scanOf = (recipient: Recipient) => found.get(`false ${recipient.no}`);
  for (const recipient of recipients) {
    const { limits } = recipient;
    const scan = scanOf(recipient);
    recent.set(recipientKey(recipient), idsWithin(limits, limits.total, { scan, newestFirst: scan?.ids }));
  }
  for (const { no, candidate, recipient } of lookUps) {
    const { limits } = recipient;
    const newestFirst = found.get(`true ${no}`)?.ids;
    recent.set(textKey(candidate), idsWithin(limits, limits.identical, { scan: scanOf(recipient), newestFirst }));
  }
  return recent;
}

/** Numbers the recipients, the texts, and each text to each recipient. */
function lookUpsOf(limited: ReadonlyMap<CandidateMessage, FloodLimits>) {
  const limitsOf = highestLimits(limited);
  const recipients = new Map<string, Recipient>();
  const texts = new Map<string, Text>();
  const lookUps = new Map<string, LookUp>();
  for (const [candidate, own] of limited) {
    const { accountId, toNumber, body } = candidate;
    const limits = limitsOf.get(accountId) ?? own;
    const recipient = recipients.get(recipientKey(candidate)) ?? { no: recipients.size, accountId, toNumber, limits };
    const text = texts.get(body) ?? { no: texts.size, body };
    recipients.set(recipientKey(candidate), recipient);
    texts.set(body, text);
    const key = textKey(candidate);
    if (!lookUps.has(key)) lookUps.set(key, { no: lookUps.size, candidate, recipient, text });
  }
  return { recipients: [...recipients.values()], texts: [...texts.values()], lookUps: [...lookUps.values()] };
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

/** The ids that a recipient's scan found, oldest first. Where it was cut off, the rest of `limit` counts as used up. */
function idsWithin(
  limits: FloodLimits,
  limit: number,
  { scan, newestFirst }: { scan: FoundRecent | undefined; newestFirst: string[] | null | undefined },
): string[] {
  const found = newestFirst?.toReversed() ?? [];
  if (scan?.scanned !== scannedMax(limits)) return found;
  return [...Array<string>(limit - found.length).fill(scan.oldest), ...found];
}
