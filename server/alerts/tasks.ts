import { pool } from "../core/db";
import { log } from "../core/log";
import { runParts } from "../retention/steps";
import { deleteOldTraffic } from "../traffic/store";
import { postEvent } from "../webhooks/delivery/post";
import { WEBHOOK_TIMEOUT_MS } from "../webhooks/delivery/retry";
import { unsealSecrets } from "../webhooks/secrets";
import { type AlertRow, presentAlert } from "./present";

const DELETED_AT_ONCE = 1_000;

type Target = AlertRow & { url: string; secretSealed: string; isLate: boolean };

/**
 * Posts an alert to the account's current alert URL, signed as webhooks are. Skips one that was acknowledged, or is
 * a day old.
 * @throws Error when it was not acknowledged: the job is tried again.
 */
export async function postAlert({ alertId }: { alertId: string }): Promise<void> {
  const { rows } = await pool().query<Target>(
    `SELECT a.id, a.kind, a.subject_id AS "subjectId", a.state, a.detail, a.created_at AS "createdAt", s.url,
       s.secret_sealed AS "secretSealed", a.created_at < now() - interval '1 day' AS "isLate"
     FROM alerts a JOIN alert_settings s ON s.account_id = a.account_id
     WHERE a.id = $1 AND a.posted_at IS NULL AND s.url IS NOT NULL AND s.secret_sealed IS NOT NULL`,
    [alertId],
  );
  const [target] = rows;
  if (!target) return;
  if (target.isLate) return log("warn", "alert.not_posted", { alert_id: alertId });
  const secrets = unsealSecrets({ secretSealed: target.secretSealed, previousSecretSealed: null });
  const body = Buffer.from(JSON.stringify(presentAlert(target)));
  const result = await postEvent({ url: target.url, secrets, eventId: alertId, body }, WEBHOOK_TIMEOUT_MS);
  await pool().query(
    `UPDATE alerts SET posted_at = CASE WHEN $2 THEN now() END, post_error = $3 WHERE id = $1 AND posted_at IS NULL`,
    [alertId, result.acknowledged, result.error],
  );
  if (!result.acknowledged) throw new Error(`The alert was not acknowledged: ${result.error}`);
}

export { sweepAlerts } from "./sweep";

/** Deletes alerts older than 90 days, in batches, so that no statement holds many rows. No batch begins once `signal` is aborted. */
async function deleteOldAlerts(signal?: AbortSignal): Promise<void> {
  for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE && !signal?.aborted; ) {
    const { rowCount } = await pool().query(
      `DELETE FROM alerts WHERE id IN (
         SELECT id FROM alerts WHERE created_at < now() - interval '90 days' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [DELETED_AT_ONCE],
    );
    deleted = rowCount ?? 0;
  }
}

/** Forgets old alerts, and old counts of traffic. */
export const forgetAlerts = (signal?: AbortSignal): Promise<void> =>
  runParts([() => deleteOldAlerts(signal), () => deleteOldTraffic(signal)]);
