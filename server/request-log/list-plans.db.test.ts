/** Pages of an account's request log. */
import { beforeAll, describe, expect, test } from "vitest";
import { rowsReadBy } from "@/test/database/plans";
import { makeAccount, personOf } from "@/test/database/seed";
import type { SessionActor } from "../core/actor";
import { pool } from "../core/db";
import { firstIdAt } from "../core/ids";
import type { ListRequestsQuery } from "./schema";
import { listRequests } from "./service";

const MANY = 5_000;
const LIMIT = 50;
/** The page and the row behind it, as ids and as rows; of other days' partitions one each. */
const READ_MAX = 2 * (LIMIT + 1) + 20;
const PARTITIONS = Array.from({ length: 10 }, (_, slot) => `request_log_${slot}`);

let person: SessionActor;
const idOf = (n: number) => firstIdAt("request", new Date()).slice(0, -8) + String(n).padStart(8, "0");

beforeAll(async () => {
  person = personOf(await makeAccount());
  for (const partition of PARTITIONS) await pool().query(`ALTER TABLE ${partition} SET (autovacuum_enabled = false)`);
  await pool().query(
    `INSERT INTO request_log (slot, id, account_id, key_id, method, path, query, status, latency_ms, created_at)
     SELECT n % 3, left($2::text, -8) || lpad(n::text, 8, '0'), $1, 'key_x', 'GET', '/api/v1/messages', '', 200, 1, now()
     FROM generate_series(1, $3) n`,
    [person.accountId, idOf(0), MANY],
  );
});

const readOf = (query: Partial<ListRequestsQuery>) =>
  rowsReadBy(() => listRequests(person, { limit: LIMIT, ...query }), PARTITIONS);

describe.each(["of empty partitions", "of now"])("by statistics %s", (time) => {
  beforeAll(async () => {
    if (time === "of now") await pool().query("VACUUM ANALYZE request_log");
  });

  test("a page behind a cursor reads none of the requests before it", async () => {
    const cursor = (await listRequests(person, { limit: LIMIT })).items.at(-1)?.id ?? "";
    const last = `${cursor.slice(0, -8)}00000200`;
    expect((await listRequests(person, { limit: LIMIT, cursor: last })).items).toHaveLength(LIMIT);
    expect(await readOf({ cursor: last })).toBeLessThanOrEqual(READ_MAX);
  });

  test("a request is found by its id", async () => {
    const id = (await listRequests(person, { limit: LIMIT })).items[0]?.id ?? "";
    const oldest = `${id.slice(0, -8)}00000001`;
    expect((await listRequests(person, { limit: LIMIT, request_id: oldest })).items).toMatchObject([{ id: oldest }]);
    expect(await readOf({ request_id: oldest })).toBeLessThanOrEqual(2);
  });
});
