/** The plan of the statement that finds what a pause has parked, also by statistics of a time when its endpoint had one delivery. */
import { expect, test } from "vitest";
import { explain, rowsRead, type Statement, statementsOf } from "@/test/database/plans";
import { raiseSent, webhooksOfFile } from "@/test/database/webhooks";
import { pool } from "../../core/db";
import { pauseEndpoint, resumeEndpoint } from "../pause";

const HISTORY = 20_000;
const PARKED = 2_500;
const PAUSED_AT = "2026-01-01T00:00:00.000Z";

const setUp = webhooksOfFile();

/** The first step of the release of an endpoint that has parked 2,500 deliveries, with a history of others. */
async function firstStep(former: string): Promise<Statement> {
  const { account, endpoint } = await setUp();
  await pool().query("ALTER TABLE webhook_deliveries SET (autovacuum_enabled = false)");
  await pauseEndpoint(account.actor, endpoint.id);
  await raiseSent({ account });
  const [read] = (await statementsOf(() => resumeEndpoint(account.actor, endpoint.id))).filter(
    ({ name }) => name === "webhooks.deliveries_parked_by",
  );
  if (!read) throw new Error("not read");
  await pool().query("VACUUM ANALYZE webhook_deliveries, events");
  const { rows: seeds } = await pool().query<{ id: string }>(
    "SELECT id FROM webhook_deliveries WHERE endpoint_id = $1",
    [endpoint.id],
  );
  const add = (status: string, since: string, count: number) =>
    pool().query(
      `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, created_at, status, attempts)
       SELECT id || $3 || n, account_id, endpoint_id, event_id, $3::timestamptz + n * interval '1 second', $2, 1
       FROM webhook_deliveries, generate_series(1, $4::int) n WHERE id = $1`,
      [seeds[0]?.id, status, since, count],
    );
  await add("delivered", "2024-01-01T00:00:00.000Z", HISTORY);
  await add(former, "2025-01-01T00:00:00.000Z", HISTORY);
  await pool().query("UPDATE webhook_endpoints SET resume_from = $2 WHERE id = $1", [endpoint.id, PAUSED_AT]);
  await add("held", PAUSED_AT, PARKED);
  const [id, , , limit] = read.values;
  return { ...read, values: [id, new Date(0).toISOString(), "", limit, PAUSED_AT] };
}

/** Rows that the statement reads, planned without and with its values. */
async function readsOf(statement: Statement): Promise<number[]> {
  const reads: number[] = [];
  for (const planned of [statement, { ...statement, name: statement.text }]) {
    const { plan } = await explain(planned);
    reads.push(rowsRead(plan, ["webhook_deliveries"]));
  }
  return reads;
}

test.each(["abandoned", "held"])(
  "a resumption reads what its pause has parked, and nothing of a history of %s deliveries",
  async (former) => {
    const step = await firstStep(former);
    const limit = Number(step.values[3]);
    expect(await readsOf(step)).toEqual([limit, limit]);
    await pool().query("VACUUM ANALYZE webhook_deliveries");
    expect(await readsOf(step)).toEqual([limit, limit]);
  },
);
