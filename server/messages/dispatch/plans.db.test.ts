/**
 * Tests of the plans of statements that find their rows by id, after a quiet hour: according to the statistics nothing is pending, but a
 * backlog has arrived since. A plan that trusts the statistics walks the partial index of everything pending, once per job.
 */
import { beforeAll, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { HOUR_MS, MINUTE_MS } from "@/server/core/clock";
import { pool, transaction } from "@/server/core/db";
import { sendBulk } from "@/server/messages/accept/send";
import { applyReceipts, rejoinReceipts } from "@/server/messages/receipts/apply-receipts";
import { createEndpoint } from "@/server/webhooks/service";
import { loadDue, parkDeliveries } from "@/server/webhooks/store";
import { accepted, claimAttempts, claimMany, prepareAttempts, record, report } from "@/test/database/attempts";
import { copyMessage } from "@/test/database/messages/copies";
import { explain, rowsRead, type Statement, statementsOf } from "@/test/database/plans";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { type Attempt, begin, giveBack } from "./claims";
import { joinLeftReceipts } from "./join-left-receipts";
import { applyLeftReceipts, expireUnconfirmed, failStranded, requeueOrphans } from "./sweeps";
import { enqueueThrottled } from "./throttle-queue";

/** Messages of the job under test, and of the backlog that it must not walk. */
const OWN = 20;
const BACKLOG = 20_000;
/** Rows that a plan by id may read per own row and table: the row, its attempts, its account and sender. */
const READ_PER_ROW_MAX = 10;

type Backlog = { accountId: string; ids: string[]; endpointId: string; deliveryIds: string[] };

let backlog: Backlog = { accountId: "", ids: [], endpointId: "", deliveryIds: [] };

/** Copies a message `BACKLOG` times, each to another number. */
const copyAs = (id: string, status: string): Promise<string[]> =>
  copyMessage(
    id,
    BACKLOG,
    {
      id: "'msg_' || substr(m.id, 5, 10) || $3 || lpad(n::text, 12, '0')",
      status: "$3::text",
      to_number: "'+1415' || lpad(n::text, 7, '0')",
    },
    [status],
  );

const addDeliveries = async (endpointId: string, accountId: string, count: number): Promise<string[]> => {
  const { rows } = await pool().query<{ id: string }>(
    `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, next_attempt_at, created_at)
     SELECT 'whd_' || gen_random_uuid(), $2, $1, 'evt_' || gen_random_uuid(), now(), now() FROM generate_series(1, $3)
     RETURNING id`,
    [endpointId, accountId, count],
  );
  return rows.map((row) => row.id);
};

beforeAll(async () => {
  await prepareAttempts();
  await makeRoute({ prefix: "1", chain: ["twilio"] });
  const account = await makeAccount();
  const send = async (): Promise<string[]> => {
    const recipients = Array.from({ length: OWN }, (_, at) => `+1628558${String(at).padStart(4, "0")}`);
    const input = { recipients, from: account.senderId, body: "Hi" };
    return (await sendBulk(account.actor, input, plainRequest())).messages.map((message) => message.id);
  };
  const lists = ["pending_messages", "sent_messages", "failed_messages"];
  for (const table of ["messages", "message_attempts", "webhook_deliveries", ...lists]) {
    await pool().query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  }
  const { id: endpointId } = await createEndpoint(account.actor, { url: "https://93.184.215.14/hook" }, plainRequest());
  // A quiet hour: everything has ended, and the statistics reflect that.
  const [first = ""] = await send();
  await copyAs(first, "delivered");
  await pool().query("UPDATE messages SET status = 'delivered' WHERE status = 'pending'");
  await addDeliveries(endpointId, account.accountId, BACKLOG);
  await pool().query("UPDATE webhook_deliveries SET status = 'delivered'");
  await pool().query(`VACUUM ANALYZE messages, message_attempts, webhook_deliveries, ${lists.join(", ")}`);
  // Then a backlog.
  await copyAs(first, "pending");
  await copyAs(first, "sent");
  await pool().query(
    `INSERT INTO message_attempts (message_id, seq, provider, started_at, worker_id)
     SELECT id, 1, 'vonage', now(), 'another' FROM messages WHERE status = 'pending'`,
  );
  await addDeliveries(endpointId, account.accountId, BACKLOG);
  const { accountId } = account;
  backlog = { accountId, ids: await send(), endpointId, deliveryIds: await addDeliveries(endpointId, accountId, OWN) };
});

/** The named statements that read more than a few rows of `relations` per own row. */
async function excessiveReads(statements: Statement[], names: readonly string[], relations: readonly string[]) {
  const asked = statements.filter(({ name }) => names.includes(name));
  expect(asked.map(({ name }) => name).sort()).toEqual([...names].sort());
  const reads: { name: string; read: number }[] = [];
  for (const statement of asked) {
    const { plan, listsRead } = await explain(statement);
    reads.push({ name: statement.name, read: rowsRead(plan, relations) + listsRead });
  }
  return reads.filter(({ read }) => read > OWN * READ_PER_ROW_MAX);
}

test("dispatch, begin and give back find their messages and attempts by id", async () => {
  let claimed: Attempt[] = [];
  const statements = await statementsOf(async () => {
    claimed = await claimAttempts(backlog.ids);
    await Promise.all(claimed.map(begin));
    await giveBack(claimed);
  });
  for (const { slot } of claimed) slot?.release();
  expect(claimed).toHaveLength(OWN);
  const names = ["dispatch.candidates", "attempts.claim", "attempts.begin", "attempts.give_back"];
  expect(await excessiveReads(statements, names, ["messages", "message_attempts"])).toEqual([]);
});

test("the throttle queue finds the messages that enter it, and their attempts, by id", async () => {
  const claimed = await claimAttempts(backlog.ids);
  for (const { slot } of claimed) slot?.release();
  await giveBack(claimed);
  const statements = await statementsOf(() => transaction((tx) => enqueueThrottled(tx, claimed)));
  expect(await excessiveReads(statements, ["waiting.enter"], ["messages", "message_attempts"])).toEqual([]);
  const { rowCount } = await pool().query("DELETE FROM waiting_messages");
  expect(rowCount).toBe(OWN);
});

test("moves and sweeps find their messages by id in the lists of their status", async () => {
  const at = "id-of-";
  const moves = await statementsOf(async () => {
    const claimed = await claimAttempts(backlog.ids);
    for (const { slot } of claimed) slot?.release();
    expect(claimed).toHaveLength(OWN);
    await Promise.all(claimed.map((attempt) => record(attempt, accepted(at + attempt.message.id))));
  });
  expect(await excessiveReads(moves, ["messages.move"], ["messages"])).toEqual([]);
  const ends = await statementsOf(() =>
    applyReceipts(
      "twilio",
      backlog.ids.map((id) => report(at + id, "delivered")),
    ),
  );
  expect(await excessiveReads(ends, ["messages.lock", "messages.move"], ["messages"])).toEqual([]);
  // Nothing of the backlog is old enough.
  const sweeps = await statementsOf(async () => {
    await requeueOrphans(HOUR_MS);
    await failStranded(HOUR_MS);
    await applyLeftReceipts(HOUR_MS);
    await expireUnconfirmed(HOUR_MS);
  });
  const names = sweeps.map(({ name }) => name);
  // Three for the rounds, one for left receipts, and one for messages without a final receipt.
  expect(names).toHaveLength(5);
  expect(await excessiveReads(sweeps, names, ["messages", "message_attempts"])).toEqual([]);
});

test("a webhook job finds its deliveries by id", async () => {
  const { accountId, endpointId, deliveryIds } = backlog;
  const statements = await statementsOf(async () => {
    await loadDue(accountId, { endpointId, deliveryIds });
    await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [endpointId]);
    await parkDeliveries(endpointId, deliveryIds);
  });
  const names = ["webhooks.load_due", "webhooks.park_deliveries"];
  expect(await excessiveReads(statements, names, ["webhook_deliveries"])).toEqual([]);
});

test.each(["without unknown attempts", "of an earlier time", "of now"])(
  "with statistics %s, the sweep of left receipts reads each later attempt once per run, and no first one",
  async (statistics) => {
    const later = 6_000;
    if (statistics === "of now") await pool().query("VACUUM ANALYZE messages, message_attempts, receipts");
    else {
      await pool().query("DELETE FROM message_attempts WHERE outcome = 'unknown'");
      if (statistics !== "of an earlier time") await pool().query("VACUUM ANALYZE message_attempts");
      await pool().query(
        `INSERT INTO message_attempts (message_id, seq, provider, outcome, started_at, begun_at, worker_id)
         SELECT m.id, s.seq, 'vonage', 'unknown', now() - interval '2 hours' + m.n * interval '1 millisecond', now(), 'ended'
         FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM messages WHERE status = 'sent' LIMIT $1) m,
           generate_series(1, 2) s (seq) WHERE s.seq = 1 OR m.n <= $2`,
        [BACKLOG, later],
      );
    }
    let read = 0;
    let last: unknown[] = [new Date(0), ""];
    const [sweep] = await statementsOf(() => applyLeftReceipts(MINUTE_MS));
    if (!sweep) throw new Error("no statement");
    const [ageMs, , , limit] = sweep.values;
    for (let found = 1; found > 0; ) {
      const values = [ageMs, ...last, limit];
      const { plan } = await explain({ ...sweep, values });
      read += rowsRead(plan, ["message_attempts"]);
      const { rows } = await pool().query<{ id: string; startedAt: Date }>(sweep.text, values);
      found = rows.length;
      const end = rows.at(-1);
      if (end) last = [end.startedAt, end.id];
    }
    expect(read).toBeGreaterThanOrEqual(later);
    // The many attempts of the backlog are too young.
    expect(read).toBeLessThan(later + OWN * READ_PER_ROW_MAX);
  },
);

/** Parks as many receipts as the backlog has messages, under the provider's ids `name-1`, `name-2` and so on. */
const parkReceipts = (name: string) =>
  pool().query(
    `INSERT INTO receipts (id, provider, provider_message_id, status, occurred_at, received_at)
     SELECT 'rcpt_' || $2::text || n, 'twilio', $2 || '-' || n, 'sent', now(), now() FROM generate_series(1, $1) n`,
    [BACKLOG, name],
  );

test("accepted outcomes and late matches find their parked receipts by the provider's id, even if the statistics know of none", async () => {
  await pool().query("ALTER TABLE receipts SET (autovacuum_enabled = false)");
  await pool().query("VACUUM ANALYZE receipts");
  await parkReceipts("early");
  const { attempts } = await claimMany(OWN);
  const ids = attempts.map((_, at) => `early-${at + 1}`);
  const outcomes = await statementsOf(() =>
    Promise.all(attempts.map((attempt, at) => record(attempt, accepted(ids[at] ?? "")))),
  );
  expect(await excessiveReads(outcomes, ["receipts.parked"], ["receipts"])).toEqual([]);
  const { rows } = await pool().query("SELECT count(*)::int AS left FROM receipts WHERE message_id IS NULL");
  expect(rows).toEqual([{ left: BACKLOG - OWN }]);
  const rejoin = await statementsOf(() => rejoinReceipts("twilio", ids));
  expect(await excessiveReads(rejoin, ["receipts.parked"], ["receipts"])).toEqual([]);
});

test("the sweep of parked receipts looks up the message of each by its id, even if the statistics know of many", async () => {
  await parkReceipts("unknown");
  await pool().query("VACUUM ANALYZE receipts, message_attempts, attempt_parts");
  const sweep = (await statementsOf(() => joinLeftReceipts(HOUR_MS))).find(
    ({ name }) => name === "sweeps.look_at_parked",
  );
  if (!sweep) throw new Error("no statement");
  const { plan } = await explain(sweep);
  expect(rowsRead(plan, ["message_attempts", "attempt_parts"])).toBe(0);
});
