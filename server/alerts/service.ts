/** Alert settings of an account, and its latest alerts. */
import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import type { SessionActor } from "../core/actor";
import { pool, readPool, type Tx } from "../core/db";
import { fromMicros, readPage, toMicros, toPage } from "../core/wire";
import { isMailSet } from "../mail/store";
import { assertReachable } from "../webhooks/delivery/assert-reachable";
import { newSigningSecret } from "../webhooks/delivery/signature";
import { sealSecret } from "../webhooks/secrets";
import { type AlertRow, presentAlert } from "./present";
import {
  type AlertSettings,
  type ListAlertsQuery,
  UNUSUAL_TRAFFIC_FROM,
  type UpdateAlertsInput,
  type UpdatedAlertSettings,
} from "./schema";

type SettingsRow = {
  lowBalanceMicros: bigint | null;
  unusualTrafficFrom: number | null;
  byMail: boolean;
  url: string | null;
};

const UNSET: SettingsRow = {
  lowBalanceMicros: null,
  unusualTrafficFrom: UNUSUAL_TRAFFIC_FROM,
  byMail: true,
  url: null,
};

async function readSettings(db: Tx, accountId: string, lock = ""): Promise<SettingsRow> {
  const { rows } = await db.query<SettingsRow>(
    `SELECT low_balance_micros AS "lowBalanceMicros", unusual_traffic_from AS "unusualTrafficFrom", by_mail AS "byMail", url
     FROM alert_settings WHERE account_id = $1 ${lock}`,
    [accountId],
  );
  return rows[0] ?? UNSET;
}

const auditOf = ({ lowBalanceMicros, unusualTrafficFrom, byMail, url }: SettingsRow) => ({
  low_balance: lowBalanceMicros === null ? null : fromMicros(lowBalanceMicros),
  unusual_traffic_from: unusualTrafficFrom,
  by_mail: byMail,
  url,
});

/** The account's settings of alerts. */
export async function getAlertSettings(actor: SessionActor): Promise<AlertSettings> {
  return { ...auditOf(await readSettings(pool(), actor.accountId)), mail_is_set: isMailSet() };
}

/**
 * Changes the alert settings. A new URL gets a new signing secret, as does an unchanged one on request; only this response contains
 * it.
 * @throws 400 `url_not_allowed` for a URL that must not be reached.
 */
export async function updateAlertSettings(
  actor: SessionActor,
  input: UpdateAlertsInput,
): Promise<UpdatedAlertSettings> {
  const { accountId } = actor;
  if (input.url !== null) await assertReachable(input.url);
  const { after, secret } = await transactionBy(actor, async (tx) => {
    // Creates the row to lock, so that the second of two concurrent changes sees the first.
    await tx.query("INSERT INTO alert_settings (account_id) VALUES ($1) ON CONFLICT DO NOTHING", [accountId]);
    const before = await readSettings(tx, accountId, "FOR UPDATE");
    const after: SettingsRow = {
      lowBalanceMicros: input.low_balance === null ? null : toMicros(input.low_balance),
      unusualTrafficFrom:
        input.unusual_traffic_from === undefined ? before.unusualTrafficFrom : input.unusual_traffic_from,
      byMail: input.by_mail,
      url: input.url,
    };
    const fresh = after.url !== null && (after.url !== before.url || input.new_secret) ? newSigningSecret() : null;
    await tx.query(
      `UPDATE alert_settings SET low_balance_micros = $2, by_mail = $3, url = $4, updated_at = now(),
         secret_sealed = CASE WHEN $4::text IS NULL THEN NULL ELSE coalesce($5, secret_sealed) END,
         unusual_traffic_from = $6
       WHERE account_id = $1`,
      [
        accountId,
        after.lowBalanceMicros,
        after.byMail,
        after.url,
        fresh === null ? null : sealSecret(fresh),
        after.unusualTrafficFrom,
      ],
    );
    const change = { action: "alerts.updated", accountId, subjectId: accountId } as const;
    await recordAudit(tx, actor, {
      ...change,
      before: auditOf(before),
      after: { ...auditOf(after), ...(fresh && { secret: "(new)" }) },
    });
    return { after, secret: fresh };
  });
  return { ...auditOf(after), mail_is_set: isMailSet(), signing_secret: secret };
}

/** Alerts of the actor's account, newest first. */
export async function listAlerts({ accountId }: SessionActor, query: ListAlertsQuery) {
  const { rows, total } = await readPage(
    query,
    async () => {
      const counted = await readPool().query<{ n: number }>(
        "SELECT count(*)::int AS n FROM alerts WHERE account_id = $1",
        [accountId],
      );
      return counted.rows[0]?.n ?? 0;
    },
    async (skip) => {
      const read = await readPool().query<AlertRow>(
        `SELECT id, kind, subject_id AS "subjectId", state, detail, created_at AS "createdAt"
         FROM alerts WHERE account_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
        [accountId, query.limit, skip],
      );
      return read.rows;
    },
  );
  return toPage(rows.map(presentAlert), total, query);
}
