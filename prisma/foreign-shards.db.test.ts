import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type RunningPostgres, startPostgres } from "@/scripts/postgres/server";
import { pool } from "@/server/core/db";
import { makeServerFolder } from "@/test/database/servers/server-folder";
import { statementsOfAMessage } from "@/test/database/statements-of-a-message";

const SHARDS = 4;
const SERVERS = 2;
const SETTINGS = { fsync: "off", shared_buffers: "16MB", max_connections: "30" };

const distributed = [
  ...readFileSync("deploy/citus.sql", "utf8").matchAll(/create_distributed_table\('(\w+)', '(\w+)'/g),
].map(([, table = "", key = ""]) => ({ table, key }));

let folder = "";
const servers: RunningPostgres[] = [];

beforeAll(async () => {
  // Only a superuser may reach other servers.
  const { pathname } = new URL(process.env.DATABASE_URL ?? "");
  process.env.DATABASE_URL = Object.assign(new URL(inject("superuserUrl")), { pathname }).href;
  folder = await makeServerFolder("messaging-shards-");
  for (let at = 0; at < SERVERS; at += 1) servers.push(await startPostgres(path.join(folder, `${at}`), SETTINGS));
});

afterAll(async () => {
  await Promise.allSettled(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
});

const COLUMNS = `SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) AS columns
  FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`;

/** Puts tables in front of the ordinary ones whose partitions by account are on other servers. */
async function shard(coordinator: pg.ClientBase): Promise<void> {
  await coordinator.query("CREATE EXTENSION postgres_fdw; CREATE SCHEMA sharded");
  const shards = servers.map((server) => new pg.Client({ connectionString: server.url("postgres") }));
  try {
    for (const [at, server] of servers.entries()) {
      await shards[at]?.connect();
      const { port, password } = new URL(server.url("postgres"));
      await coordinator.query(
        `CREATE SERVER shard_${at} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '${port}', dbname 'postgres');
         CREATE USER MAPPING FOR CURRENT_USER SERVER shard_${at} OPTIONS (user 'postgres', password '${password}')`,
      );
    }
    for (const { table, key } of distributed) {
      const { rows } = await coordinator.query<{ columns: string }>(COLUMNS, [`public.${table}`]);
      const columns = rows[0]?.columns;
      await coordinator.query(`CREATE TABLE sharded.${table} (${columns}) PARTITION BY HASH (${key})`);
      for (let at = 0; at < SHARDS; at += 1) {
        await shards[at % SERVERS]?.query(`CREATE TABLE ${table}_${at} (${columns})`);
        await coordinator.query(
          `CREATE FOREIGN TABLE sharded.${table}_${at} PARTITION OF sharded.${table}
             FOR VALUES WITH (MODULUS ${SHARDS}, REMAINDER ${at}) SERVER shard_${at % SERVERS} OPTIONS (schema_name 'public', table_name '${table}_${at}')`,
        );
      }
    }
  } finally {
    for (const each of shards) await each.end();
  }
}

/** Shards that a plan reads or changes. An INSERT names none: each of its rows goes to its own. */
function shardsIn(plan: string): string[] {
  const partitions = distributed.map(({ table }) => table).join("|");
  const found = [...plan.matchAll(new RegExp(`"Relation Name": "(?:${partitions})_(\\d)"`, "g"))];
  return [...new Set(found.map(([, at = ""]) => at))];
}

const names = (of: { name: string }[]): string[] => of.map(({ name }) => name).sort();

/** By the account alone, of which a batch may have many. Over foreign tables a join is not pruned; a list of values is. */
const OF_ONE_SHARD = [
  "accounts.lock",
  "accounts.read",
  "messages.get",
  "messages.insert",
  "webhooks.insert_events",
  "webhooks.load_due",
];
const JOINED_WITH_A_BATCH = [
  "accounts.post_money",
  "messages.move_counters",
  "senders.approved",
  "suppressions.find",
  "webhooks.insert_deliveries",
];
/** Foreign tables have no unique keys. */
const NOT_PLANNED = ["messages.count_accepted"];

test("with partitions by account on two servers, statements that name the account ask one shard", async () => {
  const isOfAccounts = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE) (${distributed.map(({ table }) => table).join("|")})\\b`);
  const sent = (await statementsOfAMessage()).filter(({ text }) => isOfAccounts.test(text));
  const client = await pool().connect();
  try {
    await shard(client);
    const planned: { name: string; shards: string[] | null }[] = [];
    for (const { name, text, values } of sent) {
      await client.query("BEGIN; SET LOCAL search_path = sharded, public");
      const plan = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values).catch(() => null);
      planned.push({ name, shards: plan && shardsIn(JSON.stringify(plan.rows[0]["QUERY PLAN"], null, 1)) });
      await client.query("ROLLBACK");
    }
    expect(names(planned.filter(({ shards }) => shards !== null && shards.length < 2))).toEqual(OF_ONE_SHARD);
    expect(names(planned.filter(({ shards }) => shards === null))).toEqual(NOT_PLANNED);
    // The others find rows by the ids of messages, endpoints or deliveries (sharding.db.test.ts).
    expect(names(planned.filter(({ shards }) => shards?.length === SHARDS))).toEqual(
      expect.arrayContaining(JOINED_WITH_A_BATCH),
    );
  } finally {
    client.release();
  }
});

test("an account and its messages are on one server, and are found there", async () => {
  await pool().query("INSERT INTO sharded.accounts SELECT * FROM public.accounts");
  await pool().query("INSERT INTO sharded.messages SELECT * FROM public.messages");
  const { rows } = await pool().query<{ account: string; message: string; id: string }>(
    `SELECT a.tableoid::regclass::text AS account, m.tableoid::regclass::text AS message, m.id
     FROM sharded.messages m JOIN sharded.accounts a ON a.id = m.account_id`,
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { account, message } of rows) expect(message.replace("messages", "accounts")).toBe(account);
});
