/**
 * Milestones of the list of messages: messages from which a deep page is reached quickly. Messages are added only at the new
 * end of the list and deleted only at the old end, so a place counted from the oldest message ever does not change.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/clock";
import { pool, type Queryable, readPool, type Tx } from "../core/db";
import { firstIdAt } from "../core/ids";
import { log } from "../core/log";
import { defineProcessValue } from "../core/process";
import { runParts } from "../retention/steps";

/** Messages between two milestones: a page reads at most this many to reach its place. */
export const MILESTONE_EVERY = 2_000;
/** Milestones set per account and run: an installation without any gets them over some hours. */
const SET_MAX = 2_500;
/** A run ends after this time; the next one continues. */
const RUN_MAX_MS = 10 * MINUTE_MS;
/**
 * Messages with ids older than this are committed, so none can still be inserted in front of a milestone. A process whose clock
 * was set back by more breaks this; {@link dropWrong} detects it.
 */
const SETTLED_MS = HOUR_MS;
/**
 * Milestones that become wrong again within this time have another cause, such as a wrong counter, which setting them again
 * does not fix.
 */
const DROPPED_EVERY_MS = DAY_MS;

/** When this process dropped the milestones of accounts, by `performance.now()`. */
const droppedAt = defineProcessValue("lists.milestones_dropped", () => new Map<string, number>());

/** SQL: the number of messages that the account `$1` has ever had. */
const EVER = "(SELECT coalesce(sum(messages), 0) FROM usage_days WHERE account_id = $1)";

/**
 * The last milestone before the place `offset` messages behind the newest.
 * @returns its message, and how many messages are between it and the place; null: there is none.
 */
export async function milestoneBefore(
  accountId: string,
  offset: number,
): Promise<{ messageId: string; skip: number } | null> {
  const { rows } = await readPool().query<{ messageId: string; skip: bigint }>({
    name: "lists.milestone_before",
    text: `SELECT m.message_id AS "messageId", (m.place - w.place)::int8 AS skip
           FROM (SELECT ${EVER} - $2::int8 AS place) w
           CROSS JOIN LATERAL (SELECT place, message_id FROM list_milestones
             WHERE account_id = $1 AND place >= w.place ORDER BY place LIMIT 1) m`,
    values: [accountId, offset],
  });
  const [row] = rows;
  return row ? { messageId: row.messageId, skip: Number(row.skip) } : null;
}

/** Accounts whose counters one statement reads. */
const ACCOUNTS_PER_STEP = 1_000;

type CountedAccount = { id: string; now: Date; isDue: boolean };

/** The accounts that have milestones, or enough messages for one. */
async function readCounted(ids: readonly string[]): Promise<CountedAccount[]> {
  const sumOf = (table: string) =>
    `CROSS JOIN LATERAL (SELECT coalesce(sum(messages), 0) AS messages FROM ${table} WHERE account_id = a.id)`;
  const { rows } = await pool().query<CountedAccount>({
    name: "lists.counted_accounts",
    text: `SELECT a.id, now() AS now, u.messages - coalesce(l.place, f.messages) > $1 AS "isDue"
           FROM unnest($2::text[]) AS a (id) ${sumOf("usage_days")} u ${sumOf("forgotten_days")} f
           LEFT JOIN LATERAL (SELECT place FROM list_milestones WHERE account_id = a.id ORDER BY place DESC LIMIT 1) l ON true
           WHERE l.place IS NOT NULL OR u.messages - f.messages > $1`,
    values: [MILESTONE_EVERY, ids],
  });
  return rows;
}

/**
 * Sets missing milestones, and replaces wrong ones, until `stop`. Over all runs each message is read once, except those behind
 * the account's last milestone.
 */
export async function setMilestones(stop?: AbortSignal): Promise<void> {
  const runUntil = performance.now() + RUN_MAX_MS;
  const mayGoOn = () => !stop?.aborted && performance.now() < runUntil;
  const set = async ({ id, now, isDue }: CountedAccount) => {
    if (!mayGoOn() || !((await dropWrong(id)) || isDue)) return;
    const settled = firstIdAt("message", new Date(now.getTime() - SETTLED_MS));
    for (let count = 0; count < SET_MAX && mayGoOn() && (await setNext(id, settled)); ) count += 1;
  };
  const counted: CountedAccount[] = [];
  for (let last: string | undefined = ""; last !== undefined && mayGoOn(); ) {
    const { rows }: { rows: { id: string }[] } = await pool().query({
      name: "lists.accounts",
      text: "SELECT id FROM accounts WHERE id > $1 ORDER BY id LIMIT $2",
      values: [last, ACCOUNTS_PER_STEP],
    });
    counted.push(...(await readCounted(rows.map(({ id }) => id))));
    last = rows.length === ACCOUNTS_PER_STEP ? rows.at(-1)?.id : undefined;
  }
  await runParts(counted.map((account) => () => set(account)));
}

/**
 * Drops the account's milestones if the number of messages behind the last one contradicts its place: a process whose clock was
 * set back has stored some in front of it.
 * @returns whether it did.
 */
async function dropWrong(accountId: string): Promise<boolean> {
  const last = droppedAt().get(accountId);
  if (last !== undefined && performance.now() - last < DROPPED_EVERY_MS) return false;
  const { rowCount } = await pool().query({
    text: `DELETE FROM list_milestones WHERE account_id = $1 AND EXISTS (
             SELECT 1 FROM (SELECT place, message_id FROM list_milestones WHERE account_id = $1 ORDER BY place DESC LIMIT 1) l
             WHERE ${EVER} - l.place <> (SELECT count(*) FROM messages
               WHERE account_id = ANY(ARRAY[$1::text]) AND id > l.message_id))`,
    values: [accountId],
  });
  if (!rowCount) return false;
  droppedAt().set(accountId, performance.now());
  log("warn", "lists.milestones_dropped", { account_id: accountId, milestones: rowCount });
  return true;
}

/**
 * Sets the account's next milestone: after the last one, or else after the forgotten messages, whose places all come before
 * those of the remaining ones.
 * @returns whether there was one to set.
 */
async function setNext(accountId: string, settled: string): Promise<boolean> {
  const { rowCount } = await pool().query({
    text: `INSERT INTO list_milestones (account_id, place, message_id)
           SELECT $1, l.place + $2, m.id
           FROM (SELECT coalesce(sum(messages), 0)::int8 AS place, '' AS message_id FROM forgotten_days WHERE account_id = $1
                 UNION ALL SELECT place, message_id FROM list_milestones WHERE account_id = $1 ORDER BY 1 DESC LIMIT 1) l
           CROSS JOIN LATERAL (SELECT id FROM messages WHERE account_id = ANY(ARRAY[$1::text]) AND id > l.message_id AND id < $3
             ORDER BY account_id, id OFFSET $2::int8 - 1 LIMIT 1) m
           ON CONFLICT DO NOTHING`,
    values: [accountId, MILESTONE_EVERY, settled],
  });
  return rowCount === 1;
}

/** Deletes the milestones in front of deleted messages. @param lastIds the last deleted message of each account. */
export async function dropMilestones(tx: Tx, lastIds: ReadonlyMap<string, string>): Promise<void> {
  await tx.query({
    name: "lists.drop_milestones",
    text: `DELETE FROM list_milestones l USING unnest($1::text[], $2::text[]) AS f (account_id, message_id)
           WHERE l.account_id = f.account_id AND l.message_id <= f.message_id`,
    values: [[...lastIds.keys()], [...lastIds.values()]],
  });
}

/** Deletes all milestones, because the counters behind them were wrong. They are set again. */
export const dropAllMilestones = (tx: Queryable): Promise<unknown> => tx.query("DELETE FROM list_milestones");
