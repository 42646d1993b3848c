/** A sweep after something went wrong for many at once. */
import pg from "pg";
import { expect, test, vi } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { sweepAlerts } from "./sweep";

const MANY = 1_200;
const STEP_MAX = 500;

test("many alerts are raised and cleared in steps, with a few statements each", async () => {
  const { accountId } = await makeAccount();
  await pool().query(
    `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed, failure_count)
     SELECT 'whe_' || lpad(n::text, 26, '0'), $1, 'https://example.com/hook', '{}', 'none', 6 FROM generate_series(1, $2) n`,
    [accountId, MANY],
  );
  const steps = async (state: "raised" | "cleared") => {
    const { rows } = await pool().query<{ count: number }>(
      "SELECT count(*)::int4 AS count FROM alerts WHERE state = $1 GROUP BY created_at ORDER BY 1 DESC",
      [state],
    );
    return rows.map(({ count }) => count);
  };
  const query = vi.spyOn(pg.Client.prototype, "query");
  await sweepAlerts();
  expect(query.mock.calls.length).toBeLessThan(MANY / 10);
  query.mockRestore();
  expect(await steps("raised")).toEqual([STEP_MAX, STEP_MAX, MANY - 2 * STEP_MAX]);
  await pool().query("UPDATE webhook_endpoints SET failure_count = 0 WHERE account_id = $1", [accountId]);
  await pool().query("UPDATE alert_states SET raised_at = raised_at - interval '11 minutes'");
  await sweepAlerts();
  expect(await steps("cleared")).toEqual([STEP_MAX, STEP_MAX, MANY - 2 * STEP_MAX]);
});
