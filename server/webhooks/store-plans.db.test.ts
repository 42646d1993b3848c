/** The plans of statements that go through an endpoint's deliveries in order, by statistics of a time when it had few. */
import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { explain, rowsRead, type Statement, statementsOf } from "@/test/database/plans";
import { raiseSent, recordWaitingOf, webhooksOfFile } from "@/test/database/webhooks";
import { rebuildListTotals } from "../lists/rebuild";
import { recoverDeliveries } from "./history/recover";
import { pauseEndpoint } from "./pause";
import { createEndpoint } from "./service";
import { parkAllPending } from "./store";

const HISTORY = 20_000;
const LEFT = 2_500;

const setUp = webhooksOfFile();

/**
 * An endpoint with a long history and some deliveries of a status, behind statistics of a time when it had one.
 * @param status of the deliveries that are left.
 */
async function longEndpoint(status: "pending" | "held") {
  const { account, endpoint } = await setUp();
  await pool().query("ALTER TABLE webhook_deliveries SET (autovacuum_enabled = false)");
  await raiseSent({ account });
  await recordWaitingOf(endpoint.id);
  await pool().query("VACUUM ANALYZE webhook_deliveries, events");
  await pool().query(
    `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, created_at, status, next_attempt_at, attempts)
     SELECT 'del_' || $4 || n || $1, d.account_id, d.endpoint_id, d.event_id, d.created_at + n * interval '1 millisecond',
       CASE WHEN n > $2::int THEN $4::text ELSE 'delivered' END,
       CASE WHEN n > $2::int AND $4::text = 'pending' THEN now() + n * interval '1 millisecond' END, 1
     FROM webhook_deliveries d, generate_series(1, $2::int + $3::int) n WHERE d.endpoint_id = $1`,
    [endpoint.id, HISTORY, LEFT, status],
  );
  await rebuildListTotals();
  return { account, endpoint };
}

/** Rows that the statement reads in all its steps, each with its values, planned without and with them. */
async function readsOf(statement: Statement): Promise<number[]> {
  const reads: number[] = [];
  for (const planned of [statement, { ...statement, name: statement.text }]) {
    const { plan } = await explain(planned);
    reads.push(rowsRead(plan, ["webhook_deliveries"]));
  }
  return reads;
}

test("parking all that is pending at an endpoint reads what is pending, and not its history", async () => {
  const { endpoint } = await longEndpoint("pending");
  await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [endpoint.id]);
  const [first] = (await statementsOf(() => parkAllPending(endpoint.id))).filter(
    ({ name }) => name === "webhooks.read_pending",
  );
  if (!first) throw new Error("not read");
  await pool().query(
    "UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = created_at WHERE status = 'held'",
  );
  const [id, , limit] = first.values;
  const reads = await readsOf({ ...first, values: [id, new Date(0).toISOString(), limit] });
  expect(Math.max(...reads)).toBeLessThan(Number(limit) * 2);
});

test("pausing an endpoint that has nothing pending does not read what others have", async () => {
  const { account, endpoint } = await longEndpoint("pending");
  const other = await createEndpoint(account.actor, { url: endpoint.url });
  const read = async (id: string) =>
    (await statementsOf(() => pauseEndpoint(account.actor, id))).filter(({ name }) => name === "webhooks.read_pending");
  expect(await read(other.id)).toEqual([]);
  expect(await read(endpoint.id)).toHaveLength(1);
});

test("recovering what an endpoint missed reads each step from where the one before ended", async () => {
  const { account, endpoint } = await longEndpoint("held");
  const [missed] = (
    await statementsOf(() => recoverDeliveries(account.actor, { id: endpoint.id, since: "2026-01-01T00:00:00Z" }))
  ).filter(({ name }) => name === "webhooks.missed_deliveries");
  if (!missed) throw new Error("not read");
  await pool().query("UPDATE webhook_deliveries SET status = 'held' WHERE status = 'pending'");
  const [id, , , limit] = missed.values;
  const reads = await readsOf({ ...missed, values: [id, new Date(0).toISOString(), "", limit] });
  expect(Math.max(...reads)).toBeLessThan(Number(limit) * 2);
});
