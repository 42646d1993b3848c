/** Pages of the deliveries to an endpoint that another endpoint has replaced since. */
import { expect, test } from "vitest";
import { rowsReadBy } from "@/test/database/plans";
import { webhooksOfFile } from "@/test/database/webhooks";
import { pool } from "../../core/db";
import { rebuildListTotals } from "../../lists/rebuild";
import type { ListDeliveriesQuery } from "../schema";
import { createEndpoint } from "../service";
import { listDeliveries } from "./list-deliveries";

const FORMER = 20_000;
const SINCE = 1_500;
const LIMIT = 50;

const setUp = webhooksOfFile();

test("a page is read in the index of its endpoint, not through what another one got since", async () => {
  const { account, endpoint, receiver } = await setUp();
  const other = await createEndpoint(account.actor, { url: `${receiver.url}/other` });
  const add = (endpointId: string, minute: number, count: number) =>
    pool().query(
      `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, status, created_at)
       SELECT 'dlv_' || $3::text || lpad(n::text, 9, '0') || '0' || repeat('0', 25), $1, $2, 'evt_' || n, 'delivered',
         timestamptz '2026-01-01' + $3::int4 * interval '1 minute' FROM generate_series(1, $4) n`,
      [account.accountId, endpointId, minute, count],
    );
  await pool().query("ALTER TABLE webhook_deliveries SET (autovacuum_enabled = false)");
  await add(endpoint.id, 0, 1);
  await pool().query("VACUUM ANALYZE webhook_deliveries");
  await add(endpoint.id, 1, FORMER);
  await add(other.id, 2, SINCE);
  await rebuildListTotals();
  const readOf = (query: Partial<ListDeliveriesQuery>) =>
    rowsReadBy(
      () => listDeliveries(account.actor, { id: endpoint.id, page: 1, limit: LIMIT, ...query }),
      ["webhook_deliveries"],
    );
  const expectShort = async () => {
    // As ids and as rows, with the row behind the page.
    expect(await readOf({})).toBeLessThanOrEqual(2 * (LIMIT + 1));
    expect(await readOf({ status: "delivered" })).toBeLessThanOrEqual(2 * (LIMIT + 1));
  };
  await expectShort();
  await pool().query("VACUUM ANALYZE webhook_deliveries");
  await expectShort();
});
