/**
 * Requests per minute, of a caller (a key or a person) and of its account as a whole. Never more over all web processes: each
 * count is a row in the database. Concurrent requests of a process are counted by one statement, and busy callers with a
 * large limit ahead of time (advances.ts).
 */
import { createBatcher } from "../core/batcher";
import { MINUTE_MS, SECOND_MS } from "../core/clock";
import { pool, repeatWhenLost } from "../core/db";
import { env } from "../core/env";
import { defineProcessValue } from "../core/process";
import { openAdvances } from "./advances";
import { RATE_LIMIT_DEFAULT } from "./ceiling";

/**
 * The state of a caller in its current minute. `resetMs` is the time until the next one; `refusedBy` says whose limit is used up,
 * null when the request may pass. `limit` and `remaining` are the caller's own; when the account refuses, nothing remains for the
 * caller either.
 */
export type RateState = {
  refusedBy: "caller" | "account" | null;
  limit: number;
  remaining: number;
  resetMs: number;
  /** Requests per minute of the whole account; null where it was not looked at. */
  accountLimit: number | null;
};

/** `caller`: id of a key or a person, or another name of the limit. `accountId`: null when the request counts for no account. */
type Ask = { caller: string; limit: number; accountId: string | null };
/**
 * `limit`: that of the caller which was refused. `until`: end of its minute; `knownUntil`: when it is counted again. Both are
 * milliseconds of the process's monotonic clock.
 */
type Exhausted = { limit: number; until: number; knownUntil: number; accountLimit: number | null };

const ASKS_MAX = 2_000;
/** Queue limit. One statement counts thousands of requests, so only an unavailable database fills the queue. */
const WAITING_MAX = 20_000;
const EXHAUSTED_MAX = 10_000;
/** Changes of keys apply everywhere within this time, and the limit of an account is derived from its keys. */
const ACCOUNT_KNOWN_MS = SECOND_MS;

const countQueue = defineProcessValue("api-keys.rate", () =>
  createBatcher(countAll, { name: "rate_counts", maxWeight: ASKS_MAX, maxWaiting: WAITING_MAX }),
);

const advances = defineProcessValue("api-keys.advances", openAdvances);

/** Counts one request of a caller against its own limit per minute and, when it passes that, against its account's. */
export async function countRequest(ask: Ask): Promise<RateState> {
  const advance = takeAdvance(ask);
  if (advance) return advance;
  // An exhausted caller is refused until the next minute without a query, an account for a second, so that a flood does not
  // load the database.
  const known = knownRefusal(ask);
  if (known) return known;
  const state = await countQueue()(ask);
  noteRefusal(ask, state);
  return state;
}

/** The state of a request for which permits of its caller and its account are left; null: it has to be counted. */
function takeAdvance({ caller, limit, accountId }: Ask): RateState | null {
  const at = performance.now();
  if (!advances().has(caller, limit, at) || (accountId !== null && !advances().has(accountId, null, at))) return null;
  const own = advances().take(caller, at);
  const accountLimit = accountId === null ? null : advances().take(accountId, at).limit;
  const resetMs = Math.min(MINUTE_MS, Math.ceil(own.until - at));
  return { refusedBy: null, limit, remaining: Math.max(0, limit - own.used), resetMs, accountLimit };
}

const exhausted = defineProcessValue("api-keys.exhausted", () => new Map<string, Exhausted>());

/** Keeps a refusal, so that those that follow need no query. */
function noteRefusal({ caller, limit, accountId }: Ask, { refusedBy, resetMs, accountLimit }: RateState): void {
  const spent = refusedBy === "account" ? accountId : caller;
  if (refusedBy === null || spent === null) return;
  if (exhausted().size >= EXHAUSTED_MAX) exhausted().clear();
  const at = performance.now();
  const until = at + resetMs;
  const knownUntil = refusedBy === "caller" ? until : Math.min(until, at + ACCOUNT_KNOWN_MS);
  exhausted().set(spent, { limit, until, knownUntil, accountLimit });
}

/** A refusal that was counted before, under the caller's present limit; null: the request has to be counted. */
function knownRefusal({ caller, limit, accountId }: Ask): RateState | null {
  const at = performance.now();
  const own = exhausted().get(caller);
  if (own && own.limit === limit && at < own.knownUntil) return refusalOf("caller", limit, own, at);
  const account = accountId === null ? undefined : exhausted().get(accountId);
  return account && at < account.knownUntil ? refusalOf("account", limit, account, at) : null;
}

const refusalOf = (refusedBy: "caller" | "account", limit: number, spent: Exhausted, at: number): RateState => ({
  refusedBy,
  limit,
  remaining: 0,
  resetMs: Math.ceil(spent.until - at),
  accountLimit: spent.accountLimit,
});

/**
 * SQL: whether the minute of the count `k` dates from before the database's clock was set back: no statement waits for its row
 * that long.
 */
const IS_SET_BACK = "k.minute - excluded.minute > interval '1 minute'";

/** Adds to the counts of `rows`, selected as (id, n). */
const addTo = (rows: string): string => `
  INSERT INTO api_key_minutes AS k (key_id, minute, used)
  SELECT id, date_trunc('minute', clock_timestamp()), n FROM ${rows} ORDER BY id
  ON CONFLICT (key_id) DO UPDATE SET
    minute = CASE WHEN ${IS_SET_BACK} THEN excluded.minute ELSE GREATEST(k.minute, excluded.minute) END,
    used = CASE WHEN k.minute < excluded.minute OR ${IS_SET_BACK} THEN excluded.used ELSE k.used + excluded.used END
  RETURNING key_id, used, minute`;

/**
 * The minute is the database's, so that web processes with other clocks agree on it. It goes back only if that clock does: a
 * statement that waited for the row while the minute changed counts in the new one. Rows are taken in the order of their ids, all
 * callers before all accounts. Only what passed its caller's limit counts for the account, so that one key's refused flood is not
 * held against the others. `n` requests and `more` permits for each caller; `account_more` for its account.
 *
 * Its commit does not wait for the disk: a crash of the database may lose the counts of less than a second, within a minute in
 * which it was unavailable for longer than that.
 */
const COUNT_SQL = `
  WITH asked AS (
    SELECT *, n_asked + more AS n
    FROM unnest($1::text[], $2::int4[], $3::int4[], $4::text[], $7::int4[], $8::int4[])
      AS a (id, n_asked, most, account_id, more, account_more)
  ), callers AS (${addTo("asked")}
  ), passed AS (
    SELECT a.account_id AS id,
      (sum(least(a.n_asked, greatest(0, a.most - (c.used - a.n)))) + max(a.account_more))::int4 AS n
    FROM asked a JOIN callers c ON c.key_id = a.id WHERE a.account_id IS NOT NULL GROUP BY a.account_id
  ), accounts AS (${addTo("passed")}
  ), counted AS (
    SELECT key_id, used, minute, NULL::int4 AS passed, NULL::float8 AS account_limit FROM callers
    UNION ALL
    SELECT key_id, used, minute, p.n, $5::float8 * GREATEST($6::int4,
      (SELECT max(rate_limit) FROM api_keys o WHERE o.account_id = key_id AND o.revoked_at IS NULL))
    FROM accounts JOIN passed p ON p.id = key_id
  )
  SELECT key_id AS id, used, passed, account_limit AS "accountLimit",
    (extract(epoch FROM minute + interval '1 minute' - clock_timestamp()) * 1000)::int4 AS "leftMs"
  FROM counted, (SELECT set_config('synchronous_commit', 'off', true)) AS hurried`;

type Counted = { id: string; used: number; passed: number | null; accountLimit: number | null; leftMs: number };

/** The requests of a batch by caller, and the permits that are counted with them. */
type Group = { ask: Ask; count: number; more: number; accountMore: number };

function groupAsks(asks: readonly Ask[], at: number): Group[] {
  const groups = new Map<string, Group>();
  const counts = new Map<string, number>();
  for (const ask of asks) {
    const group = groups.get(ask.caller) ?? { ask, count: 0, more: 0, accountMore: 0 };
    group.count += 1;
    groups.set(ask.caller, group);
    if (ask.accountId !== null) counts.set(ask.accountId, (counts.get(ask.accountId) ?? 0) + 1);
  }
  const accountsMore = new Map([...counts].map(([id, count]) => [id, advances().wanted(id, count, at)]));
  for (const group of groups.values()) {
    group.more = advances().wanted(group.ask.caller, group.count, at);
    group.accountMore = accountsMore.get(group.ask.accountId ?? "") ?? 0;
  }
  return [...groups.values()];
}

/** Where an id stands: `used` before the next request, and the `kept` permits of this process that it includes. */
type Standing = { used: number; kept: number; leftMs: number; accountLimit: number | null };

/** Counts the requests of a batch, and their permits in advance, by one statement. */
async function countAll(asks: Ask[]) {
  const at = performance.now();
  const groups = groupAsks(asks, at);
  const count = {
    name: "api-keys.count_requests",
    text: COUNT_SQL,
    values: [
      groups.map(({ ask }) => ask.caller),
      groups.map((group) => group.count),
      groups.map(({ ask }) => ask.limit),
      groups.map(({ ask }) => ask.accountId),
      env().ACCOUNT_RATE_FACTOR,
      RATE_LIMIT_DEFAULT,
      groups.map((group) => group.more),
      groups.map((group) => group.accountMore),
    ],
  };
  // Counting a request twice when the database goes away is better than refusing it.
  const { rows } = await repeatWhenLost(() => pool().query<Counted>(count));
  const standings = standingsOf(rows, groups, at);
  return asks.map((ask) => {
    const own = standings.get(ask.caller);
    if (!own) return { ok: false as const, error: new Error("The request was not counted.") };
    const account = ask.accountId === null ? undefined : standings.get(ask.accountId);
    return { ok: true as const, value: takeRequest(ask.limit, own, account) };
  });
}

const resetMsOf = ({ leftMs }: Standing): number => Math.min(MINUTE_MS, Math.max(0, leftMs));

/** Takes one request from the allowance of its caller and, if that suffices, from that of its account. */
function takeRequest(limit: number, own: Standing, account: Standing | undefined): RateState {
  const accountLimit = account?.accountLimit ?? null;
  own.used += 1;
  if (own.used > limit) return { refusedBy: "caller", limit, remaining: 0, resetMs: resetMsOf(own), accountLimit };
  if (account) account.used += 1;
  if (account && accountLimit !== null && account.used > accountLimit) {
    return { refusedBy: "account", limit, remaining: 0, resetMs: resetMsOf(account), accountLimit };
  }
  return { refusedBy: null, limit, remaining: limit - own.used + own.kept, resetMs: resetMsOf(own), accountLimit };
}

/** Notes the advances of a count that was sent at `at`, and returns where each id stood before its requests. */
function standingsOf(rows: readonly Counted[], groups: readonly Group[], at: number): Map<string, Standing> {
  const byCaller = new Map(groups.map((group) => [group.ask.caller, group]));
  const byAccount = new Map(groups.map((group) => [group.ask.accountId ?? "", group]));
  return new Map(
    rows.map(({ id, used: usedAfter, passed, leftMs, accountLimit }) => {
      const caller = byCaller.get(id);
      const extra = passed === null ? (caller?.more ?? 0) : (byAccount.get(id)?.accountMore ?? 0);
      const asked = passed === null ? (caller?.count ?? 0) : passed - extra;
      const limit = passed === null ? (caller?.ask.limit ?? 0) : (accountLimit ?? 0);
      const used = usedAfter - asked - extra;
      // Counted from when it was sent: a permit must not outlive its minute.
      const kept = advances().note(id, { used, asked, extra, limit, until: at + leftMs }, at);
      return [id, { used, kept, leftMs, accountLimit }];
    }),
  );
}
