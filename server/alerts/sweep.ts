/** Finds problems that have begun or ended, and alerts once for each change. */

import { addJobs } from "../core/add-jobs";
import { now } from "../core/clock";
import { type Tx, transaction } from "../core/db";
import { publicUrl } from "../core/env";
import { groupBy } from "../core/group-by";
import { newId } from "../core/ids";
import { errorFields, log } from "../core/log";
import { unnest } from "../core/unnest";
import type { Letter } from "../mail/compose";
import { isMailSet, queueMail } from "../mail/store";
import { CONDITIONS } from "./conditions";
import { type AlertDetail, type AlertRow, presentAlert } from "./present";
import { ALERT_KINDS, type Alert, type AlertKind } from "./schema";

const MAIL_VALID_S = 24 * 60 * 60;
/** A raised alert stays raised for a while, so that a condition that comes and goes does not alert every minute. */
const RAISED_AT_LEAST = "10 minutes";
/** An email about more changes than this names only the first ones. */
const NAMED_MAX = 20;
/** Changes of one transaction, which holds a connection and, with emails, locks of addresses. */
const CHANGES_MAX = 500;

type Change = { subjectId: string; accountId: string | null; detail: AlertDetail; isNotified: boolean };

/**
 * Raises up to {@link CHANGES_MAX} problems, those of an account together. Only one of several processes reports a change: the one whose row is
 * inserted.
 */
async function raise(tx: Tx, kind: AlertKind): Promise<Change[]> {
  const { rows } = await tx.query<Change>(
    `WITH wrong (subject_id, account_id, detail) AS (${CONDITIONS[kind].raised}),
     fresh AS (
       SELECT * FROM wrong w WHERE NOT EXISTS (SELECT FROM alert_states t WHERE t.kind = $1 AND t.subject_id = w.subject_id)
       ORDER BY account_id, subject_id LIMIT $2),
     raised AS (
       INSERT INTO alert_states (kind, subject_id, account_id) SELECT $1, subject_id, account_id FROM fresh
       ON CONFLICT DO NOTHING RETURNING subject_id)
     SELECT subject_id AS "subjectId", account_id AS "accountId", detail, true AS "isNotified"
     FROM raised JOIN fresh USING (subject_id)`,
    [kind, CHANGES_MAX],
  );
  return rows;
}

/** Like {@link raise}, for problems that have ended: the process that deletes the row reports it. */
async function clear(tx: Tx, kind: AlertKind): Promise<Change[]> {
  const { from, where, isNotified, detail } = CONDITIONS[kind].cleared;
  const { rows } = await tx.query<Change>(
    `WITH ended AS MATERIALIZED (
       SELECT t.subject_id, t.account_id, ${detail} AS detail, (${isNotified}) AS is_notified
       FROM alert_states t, ${from} WHERE t.kind = $1 AND ${where} AND t.raised_at <= now() - interval '${RAISED_AT_LEAST}'
       ORDER BY t.account_id, t.subject_id LIMIT $2 FOR UPDATE OF t SKIP LOCKED)
     DELETE FROM alert_states t USING ended e WHERE t.kind = $1 AND t.subject_id = e.subject_id
     RETURNING t.subject_id AS "subjectId", t.account_id AS "accountId", e.detail, e.is_notified AS "isNotified"`,
    [kind, CHANGES_MAX],
  );
  return rows;
}

type Reader = { accountId: string | null; address: string };

/** Owners of the accounts that want emails; of those without an account the operators. */
async function readersOf(tx: Tx, accountIds: ReadonlyArray<string | null>): Promise<Reader[]> {
  const { rows } = await tx.query<Reader>(
    `SELECT m.account_id AS "accountId", u.email AS address FROM account_members m JOIN users u ON u.id = m.user_id
     LEFT JOIN alert_settings s ON s.account_id = m.account_id
     WHERE m.account_id = ANY($1::text[]) AND m.role = 'owner' AND coalesce(s.by_mail, true)
     UNION ALL
     SELECT NULL, email FROM users WHERE is_operator AND $2 ORDER BY 1, 2`,
    [accountIds.filter((id) => id !== null), accountIds.includes(null)],
  );
  return rows;
}

/** The page of an account's countries, which offers to remove the country of an alert on unusual traffic. */
function countriesPath(subjectId: string): string {
  const [, country] = subjectId.split(":");
  return country ? `/settings/sending?without=${country}` : "/settings/sending";
}

const PAGES: Readonly<Record<AlertKind, { label: string; path: (subjectId: string) => string }>> = {
  balance_low: { label: "Open the usage", path: () => "/usage" },
  unusual_traffic: { label: "Limit the countries", path: countriesPath },
  endpoint_failing: { label: "Open the endpoint", path: (id) => `/webhooks/${id}` },
  endpoint_disabled: { label: "Open the endpoint", path: (id) => `/webhooks/${id}` },
  provider_down: { label: "Open the provider", path: (id) => `/operator/providers/${id}` },
};

const firstSentence = (text: string): string => (text.split(/\. (?=[A-Z])/)[0] ?? "").replace(/\.$/, "");

/** One email for all changes of one kind in a sweep. */
function letterOf(alerts: readonly [Alert, ...Alert[]]): Letter {
  const [first, ...more] = alerts;
  const { label, path } = PAGES[first.type];
  const unnamed = alerts.length - NAMED_MAX;
  return {
    subject: `${more.length === 0 ? "" : `${alerts.length} alerts: `}${firstSentence(first.text)}`,
    paragraphs: [
      ...alerts.slice(0, NAMED_MAX).map(({ text }) => text),
      ...(unnamed > 0 ? [`And ${unnamed} more.`] : []),
    ],
    link:
      more.length === 0
        ? { label, url: `${publicUrl()}${path(first.subject_id)}` }
        : { label: "Open the alerts", url: `${publicUrl()}/settings/alerts` },
  };
}

const ALERTS = unnest<Change & { id: string }>(
  {
    id: ["text", ({ id }) => id],
    account_id: ["text", ({ accountId }) => accountId],
    subject_id: ["text", ({ subjectId }) => subjectId],
    detail: ["text", ({ detail }) => JSON.stringify(detail)],
  },
  3,
);

/** Stores alerts, and queues those of accounts with an alert URL to be posted there. */
async function store(
  tx: Tx,
  kind: AlertKind,
  state: Alert["state"],
  changes: readonly Change[],
): Promise<AlertEmail[]> {
  if (changes.length === 0) return [];
  const made = changes.map((change) => ({ ...change, id: newId("alert") }));
  const { rows } = await tx.query<{ id: string; createdAt: Date; hasUrl: boolean }>(
    `INSERT INTO alerts (id, account_id, kind, subject_id, state, detail)
     SELECT id, account_id, $1, subject_id, $2, detail::jsonb FROM ${ALERTS.as("r")}
     RETURNING id, created_at AS "createdAt",
       EXISTS (SELECT 1 FROM alert_settings s WHERE s.account_id = alerts.account_id AND s.url IS NOT NULL) AS "hasUrl"`,
    [kind, state, ...ALERTS.values(made)],
  );
  const stored = new Map(rows.map((row) => [row.id, row]));
  await addJobs(
    tx,
    "post_alert",
    rows.filter(({ hasUrl }) => hasUrl).map(({ id }) => ({ payload: { alertId: id }, runAt: null })),
  );
  return made.map(({ id, subjectId, accountId, detail }) => {
    log("info", `alert.${state}`, { kind, subject_id: subjectId, account_id: accountId });
    const createdAt = stored.get(id)?.createdAt ?? now();
    return { accountId, alert: presentAlert({ id, kind, subjectId, state, detail, createdAt }), addresses: null };
  });
}

/** An alert to be emailed. `addresses`: readers who have not received it yet; null: all. */
type AlertEmail = { accountId: string | null; alert: Alert; addresses: readonly string[] | null };

/**
 * Takes the alerts whose email is still owed to some reader, oldest first. Drops raised alerts whose problem has ended (the
 * cleared alert is emailed instead), and alerts that are too old.
 */
async function takeUnsent(tx: Tx, kind: AlertKind, state: Alert["state"]): Promise<AlertEmail[]> {
  const { rows } = await tx.query<AlertRow & { accountId: string | null; addresses: string[]; isDue: boolean }>(
    `WITH unsent AS (SELECT id, untold FROM alerts WHERE kind = $1 AND state = $2 AND untold <> '{}'
                     FOR UPDATE SKIP LOCKED)
     UPDATE alerts a SET untold = '{}' FROM unsent WHERE a.id = unsent.id
     RETURNING a.id, a.kind, a.subject_id AS "subjectId", a.state, a.detail, a.created_at AS "createdAt",
       a.account_id AS "accountId", unsent.untold AS addresses,
       a.created_at > now() - make_interval(secs => $3) AND (a.state = 'cleared' OR EXISTS (
         SELECT 1 FROM alert_states s
         WHERE s.kind = a.kind AND s.subject_id = a.subject_id AND s.raised_at <= a.created_at)) AS "isDue"`,
    [kind, state, MAIL_VALID_S],
  );
  return rows
    .filter(({ isDue }) => isDue)
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    .map((row) => ({ accountId: row.accountId, alert: presentAlert(row), addresses: row.addresses }));
}

/**
 * Stores the changes and writes one email per reader, including `unsent` alerts, which earlier sweeps could not email. A reader over the
 * hourly limit is served by a later sweep.
 */
async function sendAlerts(
  tx: Tx,
  kind: AlertKind,
  state: Alert["state"],
  { changes, unsent }: { changes: readonly Change[]; unsent: readonly AlertEmail[] },
): Promise<void> {
  const made = await store(tx, kind, state, changes);
  if (!isMailSet()) return;
  const byAccount = groupBy([...unsent, ...made], ({ accountId }) => accountId);
  if (byAccount.size === 0) return;
  for (const { accountId, address } of await readersOf(tx, [...byAccount.keys()])) {
    const theirs = (byAccount.get(accountId) ?? []).filter(({ addresses }) => addresses?.includes(address) ?? true);
    const [first, ...more] = theirs.map(({ alert }) => alert);
    if (!first) continue;
    const letter = letterOf([first, ...more]);
    if (await queueMail(tx, { address, kind: "alert", accountId, letter, validS: MAIL_VALID_S })) continue;
    const ids = [first, ...more].map(({ id }) => id);
    await tx.query("UPDATE alerts SET untold = array_append(untold, $2) WHERE id = ANY($1)", [ids, address]);
  }
}

/** One step of a sweep. @returns whether there may be more changes. */
async function sweepStep(kind: AlertKind, state: Alert["state"], isFirst: boolean): Promise<boolean> {
  return transaction(async (tx) => {
    const found = await (state === "cleared" ? clear : raise)(tx, kind);
    // Only once in a sweep, so that a reader over the limit is not tried again at once.
    const unsent = isFirst && isMailSet() ? await takeUnsent(tx, kind, state) : [];
    await sendAlerts(tx, kind, state, { changes: found.filter(({ isNotified }) => isNotified), unsent });
    return found.length === CHANGES_MAX;
  });
}

/**
 * Checks the conditions of alerts, one kind at a time: a kind that fails does not stop the others. Many changes, as after an outage, are made in
 * steps.
 * @throws the first failure, once all kinds were checked.
 */
export async function sweepAlerts(stop?: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const kind of ALERT_KINDS) {
    try {
      for (const state of ["cleared", "raised"] as const) {
        for (let isFirst = true; !stop?.aborted && (await sweepStep(kind, state, isFirst)); ) isFirst = false;
      }
    } catch (thrown) {
      log("warn", "alerts.not_checked", { kind, ...errorFields(thrown) });
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw failures[0];
}
