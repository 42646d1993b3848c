import type pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { contradictions } from "@/test/database/account-truth";
import { accepted, claimMany, prepareAttempts, record, report, THROTTLED } from "@/test/database/attempts";
import { inEmptyDatabase, migrationNames } from "@/test/database/empty-database";
import { pool } from "../../core/db";
import type { Attempt } from "../dispatch/claims";
import { applyReceipts } from "../receipts/apply-receipts";
import { MESSAGE_STATUSES } from "../status";
import { listMessages } from "./list-messages";

beforeAll(prepareAttempts);

const idAtProvider = ({ message }: Attempt): string => `id-${message.id}`;

test("each status lists exactly its messages, whatever happens to a message", async () => {
  const { owner, attempts } = await claimMany(12);
  const ends = ["pending", "sent", "delivered", "failed", "undelivered", "refused"] as const;
  const endOf = (at: number) => ends[at % ends.length];
  expect(await contradictions(owner.accountId)).toEqual([]);
  await Promise.all(
    attempts.map(async (attempt, at) => {
      if (endOf(at) === "pending") return;
      const refused = { kind: "refused", code: "21211", detail: "No such number." } as const;
      await record(attempt, endOf(at) === "refused" ? refused : accepted(idAtProvider(attempt)));
    }),
  );
  expect(await contradictions(owner.accountId)).toEqual([]);
  const reports = attempts.flatMap((attempt, at) => {
    const end = endOf(at);
    const isReported = end === "delivered" || end === "failed" || end === "undelivered";
    return isReported ? [report(idAtProvider(attempt), end)] : [];
  });
  await applyReceipts("vonage", reports);
  expect(await contradictions(owner.accountId)).toEqual([]);
  for (const status of MESSAGE_STATUSES) {
    const expected = attempts.filter(
      (_, at) => endOf(at) === status || (status === "failed" && endOf(at) === "refused"),
    );
    const { items } = await listMessages(owner.actor, { page: 1, limit: 50, status });
    expect(items.map(({ id }) => id)).toEqual(expected.map(({ message }) => message.id).toReversed());
    const second = await listMessages(owner.actor, { page: 2, limit: 1, status });
    expect(second.items.map(({ id }) => id)).toEqual(expected.slice(-2, -1).map(({ message }) => message.id));
  }
});

test("a change that keeps the status does not touch the list", async () => {
  const { owner, attempts } = await claimMany(1);
  const [first] = attempts;
  if (!first) throw new Error("not claimed");
  const next = await record(first, THROTTLED);
  if (!next) throw new Error("did not go on");
  await record(next, THROTTLED);
  const { rows } = await pool().query("SELECT cardinality(chain) AS length FROM messages WHERE id = $1", [
    first.message.id,
  ]);
  expect(rows).toEqual([{ length: 4 }]);
  expect(await contradictions(owner.accountId)).toEqual([]);
});

const FIRST_OF_LISTS = "20261122070557_list_messages_by_status";

/** Inserts messages of every status as a process of the previous version does. */
const insertAsBefore = (client: pg.Client, prefix: string) =>
  client.query(
    `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency,
       chain, created_at, sent_at)
     SELECT $1 || status || n, 'acc_' || n % 2, '+14155550123', 'DEMO', 'Hello', 'GSM-7', 1, status, 10000, 'USD', '{sandbox}',
       now(), CASE WHEN status <> 'pending' THEN now() END
     FROM unnest($2::text[]) AS s (status), generate_series(1, 5) n`,
    [prefix, [...MESSAGE_STATUSES]],
  );

const listedIn = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ row: string }>(
    `SELECT concat_ws(' ', account_id, 'pending', message_id, created_at) AS row FROM pending_messages
     UNION ALL SELECT concat_ws(' ', account_id, 'sent', message_id, created_at, sent_at) FROM sent_messages
     UNION ALL SELECT concat_ws(' ', account_id, status, message_id, created_at) FROM failed_messages ORDER BY 1`,
  );
  return rows.map(({ row }) => row);
};

const expectedIn = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ row: string }>(
    `SELECT concat_ws(' ', account_id, status, id, created_at, CASE WHEN status = 'sent' THEN sent_at END) AS row
     FROM messages WHERE status <> 'delivered' ORDER BY 1`,
  );
  return rows.map(({ row }) => row);
};

test("an installation with data gets its lists, and processes of the previous version maintain them", async () => {
  await inEmptyDatabase(async (client, apply) => {
    const names = migrationNames();
    await apply(names.filter((name) => name < FIRST_OF_LISTS));
    await insertAsBefore(client, "old_");
    const [lists = "", ...rest] = names.filter((name) => name >= FIRST_OF_LISTS);
    await apply([lists]);
    // Between the two migrations, and after them.
    await client.query("UPDATE messages SET status = 'failed' WHERE id = 'old_pending1'");
    await apply(rest);
    expect(await listedIn(client)).toEqual(await expectedIn(client));
    await insertAsBefore(client, "new_");
    await client.query("UPDATE messages SET status = 'sent', sent_at = now() WHERE id LIKE '%pending2'");
    await client.query("UPDATE messages SET status = 'delivered' WHERE id LIKE '%sent3'");
    await client.query("UPDATE messages SET status = 'undelivered' WHERE id LIKE '%sent4'");
    const expected = await expectedIn(client);
    expect(expected).toHaveLength(38);
    expect(await listedIn(client)).toEqual(expected);
  });
});
