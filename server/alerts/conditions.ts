/**
 * When an alert is raised and when it is cleared, in SQL. The two conditions differ by a margin, so that a value around a limit
 * alerts once.
 */
import type { AlertKind } from "./schema";

/**
 * `raised`: rows (subject_id, account_id, detail) of current problems. `cleared`: the FROM and WHERE of the states `t` that
 * have ended, the condition under which that is reported, and the detail. No alert is sent for subjects that were disabled or
 * deleted.
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
             WHERE e.deleted_at IS NULL AND NOT e.is_active`,
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
