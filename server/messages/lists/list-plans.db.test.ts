/** Lists and sweeps of messages, in an installation with many accounts that have messages. */
import { beforeAll, describe, expect, test } from "vitest";
import { rowsReadBy } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { HOUR_MS } from "../../core/clock";
import { pool } from "../../core/db";
import { expireUnconfirmed } from "../dispatch/sweeps";
import { listMessages } from "./list-messages";

const OWN = 2_000;
const OTHERS = 10_000;
const ACCOUNTS = 5_000;
const LIMIT = 50;
const TABLES = ["messages", "message_metadata", "accounts", "sent_messages"];

let own: TestAccount;

const add = ({ accountId }: TestAccount, tag: string, count: number) =>
  pool().query(
    `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency, chain, created_at,
       sent_at, metadata)
     SELECT 'msg_01k0' || $2::text || lpad(n::text, 21, '0'), $1, '+14155550123', 'DEMO', 'Hello', 'GSM-7', 1, 'sent', 0, 'USD', '{sandbox}',
       now(), now(), '{"campaign": "spring"}' FROM generate_series(1, $3) n`,
    [accountId, tag, count],
  );

beforeAll(async () => {
  own = await makeAccount();
  for (const table of TABLES) {
    await pool().query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    await pool().query(`VACUUM ANALYZE ${table}`);
  }
  await add(own, "a", OWN);
  await add(await makeAccount(), "b", OTHERS);
  await pool().query(
    "INSERT INTO message_metadata (account_id, key, value, message_id) SELECT account_id, 'campaign', 'spring', id FROM messages",
  );
  await pool().query(
    `INSERT INTO accounts (id, email, name) SELECT 'acc_' || lpad(n::text, 12, '0'), n || '@many.example', 'Many' FROM generate_series(1, $1) n`,
    [ACCOUNTS],
  );
});

describe.each(["of nearly empty tables", "of now"])("by statistics %s", (time) => {
  beforeAll(async () => {
    if (time === "of now") await pool().query(`VACUUM ANALYZE ${TABLES.join(", ")}`);
  });

  test("messages with a pair of metadata are counted without the rows of other messages", async () => {
    const readOf = (query: Partial<Parameters<typeof listMessages>[1]>) =>
      rowsReadBy(
        () => listMessages(own.actor, { page: 1, limit: LIMIT, metadata: { campaign: "spring" }, ...query }),
        ["messages"],
      );
    // The rows of the page, and the one after it.
    expect(await readOf({})).toBe(LIMIT + 1);
    // All with the pair, counted and looked through for the page.
    expect(await readOf({ from: "DEMO" })).toBeLessThanOrEqual(2 * OWN + 2 * (LIMIT + 1));
  });

  test("the sweep of messages without a final receipt asks only accounts that have some", async () => {
    expect(await rowsReadBy(() => expireUnconfirmed(HOUR_MS), ["accounts"])).toBe(0);
  });
});
