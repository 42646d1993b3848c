/** Pages of senders, in an installation where others have registered theirs since. */
import { beforeAll, describe, expect, test } from "vitest";
import { rowsReadBy } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { listSenderNames, listSenders } from "./service";

const OWN = 100;
const LATER = 20_000;
const LIMIT = 50;

let own: TestAccount;

const add = ({ accountId }: TestAccount, place: string, count: number) =>
  pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type, status)
     SELECT 'snd_' || $2::text || lpad(n::text, 25, '0'), $1, 'S' || n, 'alphanumeric', 'approved' FROM generate_series(1, $3) n`,
    [accountId, place, count],
  );

beforeAll(async () => {
  own = await makeAccount();
  await pool().query("ALTER TABLE senders SET (autovacuum_enabled = false)");
  await pool().query("VACUUM ANALYZE senders");
  await add(own, "1", OWN);
  await add(await makeAccount(), "2", LATER);
});

describe.each(["of a time when there were few", "of now"])("by statistics %s", (time) => {
  beforeAll(async () => {
    if (time === "of now") await pool().query("VACUUM ANALYZE senders");
  });

  test("a page reads the account's senders, not what others have registered since", async () => {
    // One more comes with the account. Each is counted once, and read once.
    const all = OWN + 1;
    const list = (query: object) =>
      rowsReadBy(() => listSenders(own.actor, { page: 1, limit: LIMIT, ...query }), ["senders"]);
    expect(await list({})).toBeLessThanOrEqual(2 * all);
    expect(await list({ status: "approved" })).toBeLessThanOrEqual(2 * all);
    const { next_cursor: cursor } = await listSenders(own.actor, { page: 1, limit: LIMIT });
    expect(await list({ cursor: cursor ?? "" })).toBeLessThanOrEqual(all);
    expect(await rowsReadBy(() => listSenderNames(own.actor), ["senders"])).toBeLessThanOrEqual(all);
  });
});
