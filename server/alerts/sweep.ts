/** Finds problems that have begun or ended, and alerts once for each change. */

import { addJob } from "../core/add-jobs";
import { type Tx, transaction } from "../core/db";
import { publicUrl } from "../core/env";
import { newId } from "../core/ids";
import { errorFields, log } from "../core/log";
import type { Letter } from "../mail/compose";
import { isMailSet, queueMail } from "../mail/store";
import { numberPrefixOf } from "../traffic/country";
import { CONDITIONS } from "./conditions";
import { type AlertDetail, type AlertRow, presentAlert } from "./present";
import { ALERT_KINDS, type Alert, type AlertKind } from "./schema";

const MAIL_VALID_S = 24 * 60 * 60;
/** A raised alert stays raised for a while, so that a condition that comes and goes does not alert every minute. */
const RAISED_AT_LEAST = "10 minutes";
/** An email about more changes than this names only the first ones. */
const NAMED_MAX = 20;

type Change = { subjectId: string; accountId: string | null; detail: AlertDetail; isNotified: boolean };

/** Only one of several processes reports a change: the one whose row is inserted. */
async function raise(tx: Tx, kind: AlertKind): Promise<Change[]> {
  const { rows } = await tx.query<Change>(
    `WITH wrong (subject_id, account_id, detail) AS (${CONDITIONS[kind].raised}),
     raised AS (
       INSERT INTO alert_states (kind, subject_id, account_id) SELECT $1, subject_id, account_id FROM wrong
       ON CONFLICT DO NOTHING RETURNING subject_id)
     SELECT subject_id AS "subjectId", account_id AS "accountId", detail, true AS "isNotified"
     FROM raised JOIN wrong USING (subject_id)`,
    [kind],
  );
  return rows;
}

/** Only one of several processes reports a change: the one that deletes the row. */
async function clear(tx: Tx, kind: AlertKind): Promise<Change[]> {
  const { from, where, isNotified, detail } = CONDITIONS[kind].cleared;
  const { rows } = await tx.query<Change>(
    `DELETE FROM alert_states t USING ${from} WHERE t.kind = $1 AND ${where}
       AND t.raised_at <= now() - interval '${RAISED_AT_LEAST}'
     RETURNING t.subject_id AS "subjectId", t.account_id AS "accountId", ${detail} AS detail, (${isNotified}) AS "isNotified"`,
    [kind],
  );
  return rows.filter((change) => change.isNotified);
}

type Reader = { address: string };

/** Owners of the account, unless it wants no emails; without an account the operators. */
async function readersOf(tx: Tx, accountId: string | null): Promise<Reader[]> {
  const { rows } = await tx.query<Reader>(
    accountId === null
      ? "SELECT email AS address FROM users WHERE is_operator AND $1::text IS NULL ORDER BY email"
      : `SELECT u.email AS address FROM account_members m JOIN users u ON u.id = m.user_id
         LEFT JOIN alert_settings s ON s.account_id = m.account_id
         WHERE m.account_id = $1 AND m.role = 'owner' AND coalesce(s.by_mail, true) ORDER BY u.email`,
    [accountId],
  );
  return rows;
}

/** The messages of an account to the country of an alert on unusual traffic. */
function messagesPath(subjectId: string): string {
  const prefix = numberPrefixOf(subjectId.split(":")[1] ?? "");
  return prefix === null ? "/messages" : `/messages?to=${encodeURIComponent(prefix)}`;
}

const PAGES: Readonly<Record<AlertKind, { label: string; path: (subjectId: string) => string }>> = {
  balance_low: { label: "Open the usage", path: () => "/usage" },
  unusual_traffic: { label: "Open the messages", path: messagesPath },
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

/** Stores an alert, and has it posted to the alert URL of its account. */
async function store(tx: Tx, kind: AlertKind, state: Alert["state"], change: Change): Promise<Alert> {
  const { subjectId, accountId, detail } = change;
  const id = newId("alert");
  const { rows } = await tx.query<{ createdAt: Date; hasUrl: boolean }>(
    `INSERT INTO alerts (id, account_id, kind, subject_id, state, detail) VALUES ($1, $2, $3, $4, $5, $6::jsonb)
     RETURNING created_at AS "createdAt",
       EXISTS (SELECT 1 FROM alert_settings WHERE account_id = $2 AND url IS NOT NULL) AS "hasUrl"`,
    [id, accountId, kind, subjectId, state, JSON.stringify(detail)],
  );
  const [made] = rows as [{ createdAt: Date; hasUrl: boolean }];
  log("info", `alert.${state}`, { kind, subject_id: subjectId, account_id: accountId });
  if (made.hasUrl) await addJob(tx, "post_alert", { alertId: id });
  return presentAlert({ id, kind, subjectId, state, detail, createdAt: made.createdAt });
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
 * Stores the changes and writes one email per reader, including alerts that earlier sweeps could not email. A reader over the
 * hourly limit is served by a later sweep.
 */
async function sendAlerts(tx: Tx, kind: AlertKind, state: Alert["state"], changes: readonly Change[]): Promise<void> {
  const made: AlertEmail[] = [];
  for (const change of changes) {
    made.push({ accountId: change.accountId, alert: await store(tx, kind, state, change), addresses: null });
  }
  if (!isMailSet()) return;
  const emails = [...(await takeUnsent(tx, kind, state)), ...made];
  for (const accountId of new Set(emails.map((email) => email.accountId))) {
    const own = emails.filter((email) => email.accountId === accountId);
    for (const { address } of await readersOf(tx, accountId)) {
      const theirs = own.filter(({ addresses }) => addresses?.includes(address) ?? true).map(({ alert }) => alert);
      const [first, ...more] = theirs;
      if (!first) continue;
      const letter = letterOf([first, ...more]);
      if (await queueMail(tx, { address, kind: "alert", accountId, letter, validS: MAIL_VALID_S })) continue;
      const ids = theirs.map(({ id }) => id);
      await tx.query("UPDATE alerts SET untold = array_append(untold, $2) WHERE id = ANY($1)", [ids, address]);
    }
  }
}

/**
 * Checks the conditions of alerts, one kind at a time: a kind that fails does not stop the others.
 * @throws the first failure, once all kinds were checked.
 */
export async function sweepAlerts(): Promise<void> {
  const failures: unknown[] = [];
  for (const kind of ALERT_KINDS) {
    try {
      await transaction(async (tx) => {
        await sendAlerts(tx, kind, "cleared", await clear(tx, kind));
        await sendAlerts(tx, kind, "raised", await raise(tx, kind));
      });
    } catch (thrown) {
      log("warn", "alerts.not_checked", { kind, ...errorFields(thrown) });
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw failures[0];
}
