/** Raised alerts that other subjects show. */
import { readPool } from "../core/db";
import { HOUR } from "../traffic/store";
import { type AlertDetail, presentTraffic } from "./present";
import type { UnusualTraffic } from "./schema";

/** The most countries whose unusual traffic is shown. */
const SHOWN_MAX = 20;

type Found = { accountId: string; name: string; detail: AlertDetail };

/**
 * Ongoing unusual traffic, the latest first: the messages of this hour or the last one, and the highest hour before, as of the
 * alert.
 * @param accountId null: of all accounts.
 */
export async function readUnusualTraffic(
  accountId: string | null,
): Promise<(UnusualTraffic & { accountId: string; name: string })[]> {
  const { rows } = await readPool().query<Found>({
    name: "alerts.unusual_traffic",
    text: `SELECT s.account_id AS "accountId", coalesce(nullif(a.company_name, ''), a.name) AS name,
             r.detail || jsonb_build_object('country', s.country, 'messages', (
               SELECT coalesce(max(t.messages), 0) FROM traffic_hours t
               WHERE t.account_id = s.account_id AND t.country = s.country AND t.hour >= ${HOUR} - interval '1 hour')) AS detail
           FROM (SELECT kind, subject_id, account_id, raised_at, split_part(subject_id, ':', 2) AS country
                 FROM alert_states WHERE kind = 'unusual_traffic' AND ($1::text IS NULL OR account_id = $1)
                 ORDER BY raised_at DESC, subject_id LIMIT ${SHOWN_MAX}) s
           JOIN accounts a ON a.id = s.account_id
           CROSS JOIN LATERAL (
             SELECT detail FROM alerts l
             WHERE l.account_id = s.account_id AND l.kind = s.kind AND l.subject_id = s.subject_id AND l.state = 'raised'
             ORDER BY l.id DESC LIMIT 1) r
           ORDER BY s.raised_at DESC, s.subject_id`,
    values: [accountId],
  });
  return rows.map(({ detail, ...account }) => ({ ...account, ...presentTraffic(detail) }));
}
