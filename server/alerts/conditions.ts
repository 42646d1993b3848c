/**
 * When an alert is raised and when it is cleared, in SQL. The two conditions differ by a margin, so that a value around a limit
 * alerts once.
 */
import { HOUR } from "../traffic/store";
import { IS_PAUSED } from "../webhooks/present";
import { type AlertKind, UNUSUAL_TRAFFIC_FROM } from "./schema";

/**
 * `raised`: rows (subject_id, account_id, detail) of current problems. `cleared`: the FROM and WHERE of the states `t` that
 * have ended, the condition under which that is reported, and the detail. No alert is sent for subjects that were disabled or
 * deleted, and none for an endpoint that somebody paused.
 */
type Condition = { raised: string; cleared: { from: string; where: string; isNotified: string; detail: string } };

/** Failures in a row of an endpoint; it is disabled after 25. */
const FAILING_FROM = 5;

const BALANCE_DETAIL = `jsonb_build_object('balance_micros', a.balance_micros, 'threshold_micros', s.low_balance_micros,
  'currency', a.currency)`;
/** Endpoints of an account's test mode are its own, too: the twin has no members. */
const ENDPOINTS = "webhook_endpoints e JOIN accounts a ON a.id = e.account_id";
const OWNER = "coalesce(a.test_of, a.id)";
const ENDPOINT_DETAIL = "jsonb_build_object('url', e.url, 'failures', e.failure_count, 'reason', e.disabled_reason)";
const PROVIDER_DETAIL = "jsonb_build_object('reason', p.last_error)";

/** Traffic is unusual from this multiple of the earlier busiest hour on. */
const UNUSUAL_TIMES = 5;
/** The threshold of an account; null: it wants no such alert. */
const TRAFFIC_FROM = `(CASE WHEN s.account_id IS NULL THEN ${UNUSUAL_TRAFFIC_FROM} ELSE s.unusual_traffic_from END)`;
/**
 * The hours `b` that those of `t` are compared with: the seven days before the last 24 hours. If the last hours counted, ongoing
 * traffic would become usual an hour after it began.
 */
const HOURS_BEFORE = `b.account_id = t.account_id AND b.country = t.country
  AND b.hour BETWEEN ${HOUR} - interval '8 days' AND ${HOUR} - interval '1 day'`;
const HIGHEST_BEFORE = `(SELECT coalesce(max(b.messages), 0) FROM traffic_hours b WHERE ${HOURS_BEFORE})`;
/** The current hour and the one before, whose last messages may have been counted after the last check. */
const LATE_HOURS = `hour >= ${HOUR} - interval '1 hour'`;
/** A new account has no whole day yet that hours could be compared with. */
const IS_KNOWN = `EXISTS (SELECT FROM traffic_hours f WHERE f.account_id = t.account_id AND f.hour <= ${HOUR} - interval '2 days')`;
const trafficDetail = (country: string, messages: string, highest: string) =>
  `jsonb_build_object('country', ${country}, 'messages', ${messages}, 'highest_before', ${highest})`;

export const CONDITIONS: Readonly<Record<AlertKind, Condition>> = {
  balance_low: {
    raised: `SELECT a.id, a.id, ${BALANCE_DETAIL} FROM alert_settings s JOIN accounts a ON a.id = s.account_id
             WHERE a.balance_micros < s.low_balance_micros`,
    // A tenth above the threshold.
    cleared: {
      from: "accounts a LEFT JOIN alert_settings s ON s.account_id = a.id",
      where:
        "a.id = t.subject_id AND (s.low_balance_micros IS NULL OR a.balance_micros * 10 >= s.low_balance_micros * 11)",
      isNotified: "s.low_balance_micros IS NOT NULL",
      detail: BALANCE_DETAIL,
    },
  },
  unusual_traffic: {
    // Few hours reach the threshold, and only those (OFFSET 0 keeps the order) are compared with earlier ones. Most traffic is usual, and
    // finding one hour that shows it is quicker than finding the highest one.
    raised: `SELECT DISTINCT ON (subject_id) t.account_id || ':' || t.country AS subject_id, t.account_id,
               ${trafficDetail("t.country", "t.messages", HIGHEST_BEFORE)}
             FROM (SELECT t.* FROM traffic_hours t LEFT JOIN alert_settings s ON s.account_id = t.account_id
                   WHERE t.${LATE_HOURS} AND t.messages >= ${TRAFFIC_FROM} OFFSET 0) t
             WHERE (SELECT true FROM traffic_hours b
                    WHERE ${HOURS_BEFORE} AND b.messages * ${UNUSUAL_TIMES}::int8 > t.messages LIMIT 1) IS NULL
               AND ${IS_KNOWN}
             ORDER BY subject_id, t.messages DESC`,
    // Half of what raises it.
    cleared: {
      from: `(SELECT t.subject_id, t.country, ${TRAFFIC_FROM} AS traffic_from, ${HIGHEST_BEFORE} AS highest,
                (SELECT coalesce(max(l.messages), 0) FROM traffic_hours l
                 WHERE l.account_id = t.account_id AND l.country = t.country AND l.${LATE_HOURS}) AS messages
              FROM (SELECT subject_id, account_id, split_part(subject_id, ':', 2) AS country FROM alert_states
                    WHERE kind = 'unusual_traffic') t
              LEFT JOIN alert_settings s ON s.account_id = t.account_id) n`,
      where: `n.subject_id = t.subject_id AND (n.traffic_from IS NULL
        OR n.messages * 2::int8 < greatest(n.traffic_from, n.highest * ${UNUSUAL_TIMES}::int8))`,
      isNotified: "n.traffic_from IS NOT NULL",
      detail: trafficDetail("n.country", "n.messages", "n.highest"),
    },
  },
  endpoint_failing: {
    raised: `SELECT e.id, ${OWNER}, ${ENDPOINT_DETAIL} FROM ${ENDPOINTS}
             WHERE e.deleted_at IS NULL AND e.is_active AND e.failure_count >= ${FAILING_FROM}`,
    cleared: {
      from: "webhook_endpoints e",
      where: "e.id = t.subject_id AND (e.failure_count = 0 OR NOT e.is_active OR e.deleted_at IS NOT NULL)",
      isNotified: "e.is_active AND e.deleted_at IS NULL",
      detail: ENDPOINT_DETAIL,
    },
  },
  endpoint_disabled: {
    raised: `SELECT e.id, ${OWNER}, ${ENDPOINT_DETAIL} FROM ${ENDPOINTS}
             WHERE e.deleted_at IS NULL AND NOT e.is_active AND NOT ${IS_PAUSED}`,
    cleared: {
      from: "webhook_endpoints e",
      where: "e.id = t.subject_id AND (e.is_active OR e.deleted_at IS NOT NULL)",
      isNotified: "e.deleted_at IS NULL",
      detail: ENDPOINT_DETAIL,
    },
  },
  provider_down: {
    // A breaker that opens briefly and closes again raises no alert.
    raised: `SELECT p.id, NULL, ${PROVIDER_DETAIL} FROM providers p
             WHERE NOT p.is_drained AND p.breaker <> 'closed' AND p.unavailable_since <= now() - interval '1 minute'`,
    cleared: {
      from: "providers p",
      where: "p.id = t.subject_id AND (p.is_drained OR (p.breaker = 'closed' AND p.unavailable_since IS NULL))",
      isNotified: "NOT p.is_drained",
      detail: PROVIDER_DETAIL,
    },
  },
};
