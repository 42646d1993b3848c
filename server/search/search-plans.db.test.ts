/** A search of an account's things, in an installation where others have made theirs since. */
import { beforeAll, expect, test } from "vitest";
import { rowsReadBy } from "@/test/database/plans";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { search } from "./service";

const OWN = 100;
const LATER = 20_000;

let own: TestAccount;

const add = async ({ accountId }: TestAccount, place: string, count: number) => {
  await pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type, status)
     SELECT 'snd_' || $2::text || lpad(n::text, 25, '0'), $1, 'S' || n, 'alphanumeric', 'approved' FROM generate_series(1, $3) n`,
    [accountId, place, count],
  );
  await pool().query(
    `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, rate_limit)
     SELECT 'key_' || $2::text || lpad(n::text, 25, '0'), $1, 'Key', $2 || n, 'hint', '{}', 600 FROM generate_series(1, $3) n`,
    [accountId, place, count],
  );
  await pool().query(
    `INSERT INTO webhook_endpoints (id, account_id, url, secret_sealed, events)
     SELECT 'whk_' || $2::text || lpad(n::text, 25, '0'), $1, 'https://example.com', 's', '{}' FROM generate_series(1, $3) n`,
    [accountId, place, count],
  );
};

const TABLES = ["senders", "api_keys", "webhook_endpoints"];

beforeAll(async () => {
  own = await makeAccount();
  await add(own, "1", OWN);
  await add(await makeAccount(), "2", LATER);
  await pool().query(`VACUUM ANALYZE ${TABLES.join(", ")}`);
});

test.each(TABLES)("%s of other accounts are not read", async (table) => {
  expect(await rowsReadBy(() => search(personOf(own), { text: "nothing" }), [table])).toBeLessThanOrEqual(OWN + 1);
});
