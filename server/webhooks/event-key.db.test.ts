/** Events have one index. Each statement that looks for some of them reads those alone, whatever the statistics say. */
import { expect, test } from "vitest";
import { explain, type Plan, rowsRead, type Statement, statementsOf } from "@/test/database/plans";
import { raiseSent, takeDeliveryJobs, webhooksOfFile } from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool, transaction } from "../core/db";
import { deleteEvents, readEvents } from "../retention/events";
import { search } from "../search/service";
import { listDeliveries } from "./history/list-deliveries";
import { findEvents } from "./history/of-message";
import { recoverDeliveries } from "./history/recover";
import { resendDeliveries } from "./history/resend";
import { loadDue, recordWaiting } from "./store";

const OTHERS = 20_000;
const OWN = 10;
/** Looked up with every type that a former id may have, an event is found once. */
const READ_MAX = OWN * 2;

const setUp = webhooksOfFile();

type Scan = Plan & { "Index Cond"?: string };

/**
 * How each scan of events enters its index, or that of former ids by message. A condition without the account would walk all of the
 * index, which does not count as reading rows.
 */
function conditionsOf(plan: Plan): string[] {
  const { "Node Type": kind, "Relation Name": table, "Index Cond": condition = "none" } = plan as Scan;
  return [
    ...(table === "events" && kind !== "ModifyTable" ? [condition] : []),
    ...(plan.Plans ?? []).flatMap(conditionsOf),
  ];
}

test("events are found by their key, in a table that was empty when it was looked at last", async () => {
  await pool().query("ALTER TABLE events SET (autovacuum_enabled = false)");
  await pool().query("VACUUM ANALYZE events");
  const setup = await setUp(status(500));
  const { actor, accountId } = setup.account;
  await pool().query(
    `INSERT INTO events (id, account_id, type, message_id, status, created_at)
     SELECT 'evt_0000000000' || t.digit || lpad(n::text, 15, '0'), $1, t.type, 'msg_' || n, 'sent', now()
     FROM generate_series(1, $2) n, (VALUES ('0', 'message.sent'), ('1', 'message.delivered')) AS t (digit, type)`,
    [accountId, OTHERS],
  );
  await raiseSent(setup, OWN);
  const [job] = await takeDeliveryJobs(setup.endpoint.id);
  if (!job) throw new Error("There is no job.");
  const { rows: events } = await pool().query<{ id: string; messageId: string; at: Date }>(
    `SELECT id, message_id AS "messageId", created_at AS at FROM events WHERE account_id = $1 ORDER BY id DESC LIMIT $2`,
    [accountId, OWN],
  );
  const [first] = events;
  if (!first) throw new Error("There is no event.");
  const message = { id: first.messageId, accountId, sentAt: first.at, deliveredAt: null, failedAt: null };

  const { deliveryIds } = job.payload;
  const statements: Statement[] = await statementsOf(async () => {
    expect(await loadDue(accountId, job.payload)).toHaveLength(OWN);
    await recordWaiting(setup.endpoint.id, deliveryIds);
    expect(await findEvents(message)).toHaveLength(1);
    expect((await listDeliveries(actor, { id: setup.endpoint.id, page: 1, limit: OWN })).items).toHaveLength(OWN);
    await resendDeliveries(actor, { id: setup.endpoint.id, delivery_ids: deliveryIds });
    await pool().query("UPDATE webhook_deliveries SET status = 'held' WHERE endpoint_id = $1", [setup.endpoint.id]);
    await recoverDeliveries(actor, { id: setup.endpoint.id, since: "2020-01-01T00:00:00Z" });
    await search({ ...actor, kind: "session", userId: "", isOperator: false, sessionId: "" }, { text: first.id });
    const subjects = events.map(({ id, messageId }) => ({ id: messageId, accountId, eventIds: [id] }));
    await transaction(async (tx) => deleteEvents(tx, await readEvents(tx, subjects, new Set())));
  });
  const reading = statements.filter(({ text }) => /\b(?:FROM|JOIN) (?:"public"\.)?"?events\b/.test(text));
  expect(reading.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "webhooks.load_due",
      "webhooks.events_of_message",
      "webhooks.missed_deliveries",
      "retention.events",
      "retention.delete_events",
    ]),
  );
  for (const { name, ...statement } of reading) {
    const { plan } = await explain({ name, ...statement });
    expect(rowsRead(plan, ["events"]), name).toBeLessThanOrEqual(READ_MAX);
    for (const condition of conditionsOf(plan)) expect(condition, name).toMatch(/account_id.*type.*\bid\b|message_id/);
  }
});
