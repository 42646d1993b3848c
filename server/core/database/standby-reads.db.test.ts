import { rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createDatabase, type RunningPostgres, startPostgres } from "@/scripts/postgres/server";
import { makeServerFolder } from "@/test/database/servers/server-folder";
import { loseMachine, promote, startStandby } from "@/test/database/servers/standby";
import { compareReadUrl } from "../../observability/same-database";
import { SESSION_SETTINGS, SessionClient } from "./session";
import { haveOneDatabase, readFromStandby } from "./standby-reads";

const SETTINGS = { shared_buffers: "16MB", max_connections: "40" };

let folder = "";
let primary: RunningPostgres;
let standby: RunningPostgres;
let onPrimary: pg.Pool;
let onStandby: pg.Pool;
let asked = 0;

beforeAll(async () => {
  folder = await makeServerFolder("standby-");
  const data = path.join(folder, "primary");
  primary = await startPostgres(data, SETTINGS);
  const url = await createDatabase(primary, "reads");
  standby = await startStandby(primary, data, path.join(folder, "standby"), SETTINGS);
  onPrimary = new pg.Pool({ connectionString: url });
  onStandby = new pg.Pool({ connectionString: standby.url("reads"), connectionTimeoutMillis: 500 });
  for (const pool of [onPrimary, onStandby]) pool.on("error", () => undefined);
  await onPrimary.query("CREATE TABLE notes (id int PRIMARY KEY)");
});

afterAll(async () => {
  await Promise.allSettled([onPrimary.end(), onStandby.end()]);
  await Promise.allSettled([primary.stop(), standby.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** A new reader, which counts its reads of the primary. */
function makeReader() {
  asked = 0;
  const read = readFromStandby(
    () => onStandby.connect(),
    onPrimary,
    (...args) => {
      asked += 1;
      return onPrimary.query(...(args as [string]));
    },
  );
  return (text: string, values: unknown[] = []) => read(text, values) as Promise<pg.QueryResult>;
}

test("a standby of another database is never read, however far it has replayed", async () => {
  await createDatabase(primary, "strangers");
  const onOther = new pg.Pool({ connectionString: primary.url("strangers") });
  const readOther = new pg.Pool({ connectionString: standby.url("strangers") });
  try {
    await onOther.query("CREATE TABLE notes (id int PRIMARY KEY); INSERT INTO notes VALUES (666)");
    await expect
      .poll(() =>
        readOther.query("SELECT FROM notes").then(
          ({ rowCount }) => rowCount,
          () => 0,
        ),
      )
      .toBe(1);
    const read = readFromStandby(
      () => readOther.connect(),
      onPrimary,
      (...args) => onPrimary.query(...(args as [string])),
    );
    expect(await read("SELECT id FROM notes WHERE id = 666")).toMatchObject({ rows: [] });
  } finally {
    await Promise.all([onOther.end(), readOther.end()]);
  }
});

test("a user without rights can tell which database it is, even where the host withholds the installation's identifier", async () => {
  await onPrimary.query("CREATE ROLE plain LOGIN PASSWORD 'plain'");
  const [url, name] = [new URL(primary.url("reads")), "plain"];
  Object.assign(url, { username: name, password: name });
  const plain = new pg.Pool({ connectionString: url.href });
  try {
    expect(await haveOneDatabase(plain, onStandby)).toBe(true);
    await onPrimary.query("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
    await expect(plain.query("SELECT pg_control_system()")).rejects.toMatchObject({ code: "42501" });
    expect(await haveOneDatabase(plain, onStandby)).toBe(true);
    expect(await haveOneDatabase(plain, plain)).toBe(true);
  } finally {
    await onPrimary.query("GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC");
    await plain.end();
  }
});

describe("on a standby whose transactions are serializable by default", () => {
  const strictUrl = (database: string): string =>
    Object.assign(new URL(standby.url(database)), { username: "strict", password: "strict" }).href;

  beforeAll(async () => {
    await onPrimary.query("CREATE ROLE strict LOGIN PASSWORD 'strict' IN ROLE pg_monitor");
    await onPrimary.query("ALTER ROLE strict SET default_transaction_isolation = 'serializable'");
    const isThere = "SELECT FROM pg_db_role_setting JOIN pg_roles ON setrole = pg_roles.oid WHERE rolname = 'strict'";
    await vi.waitFor(async () => expect((await onStandby.query(isThere)).rowCount).toBe(1));
  });

  test("a new connection sets its values", async () => {
    const client = new SessionClient({ connectionString: strictUrl("reads") });
    await client.connect();
    try {
      await expect(client.query("SELECT 1")).rejects.toMatchObject({ code: "0A000" });
      await client.query(SESSION_SETTINGS);
      expect((await client.query("SHOW transaction_isolation")).rows).toEqual([
        { transaction_isolation: "read committed" },
      ]);
      expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    } finally {
      await client.end();
    }
  });

  test("the database is compared with that of DATABASE_URL", async () => {
    await expect(compareReadUrl(primary.url("reads"), strictUrl("reads"))).resolves.toBeNull();
    await expect(compareReadUrl(primary.url("reads"), strictUrl("postgres"))).resolves.toContain(
      "DATABASE_READ_URL leads to the database postgres, and DATABASE_URL to reads",
    );
  });
});

const replay = (isOn: boolean) => onStandby.query(`SELECT pg_wal_replay_${isOn ? "resume" : "pause"}()`);

test("a read sees every write that was acknowledged before it, and comes from the standby", async () => {
  const read = makeReader();
  for (let id = 1; id <= 50; id += 1) {
    await onPrimary.query("INSERT INTO notes VALUES ($1)", [id]);
    const { rows } = await read("SELECT pg_is_in_recovery() AS on_standby, count(*)::int FROM notes");
    expect(rows).toEqual([{ on_standby: true, count: id }]);
  }
  expect(asked).toBe(0);
});

test("an error of the statement is thrown as it is, and not tried on the primary", async () => {
  const read = makeReader();
  await expect(read("SELECT no_such_column FROM notes")).rejects.toMatchObject({ code: "42703" });
  expect(asked).toBe(0);
});

test("while the standby lags, the primary is read", async () => {
  const read = makeReader();
  await replay(false);
  // The write returns when the standby has received it, not when the standby has replayed it.
  await onPrimary.query("INSERT INTO notes VALUES (1000)");
  const { rows } = await read("SELECT pg_is_in_recovery() AS on_standby FROM notes WHERE id = 1000");
  expect(rows).toEqual([{ on_standby: false }]);
  await replay(true);
  // After that the standby is not tried for a while.
  await read("SELECT 1");
  expect(asked).toBe(2);
});

test("a standby that was promoted or is unavailable is not read", async () => {
  await onPrimary.query("ALTER SYSTEM RESET synchronous_standby_names");
  await onPrimary.query("SELECT pg_reload_conf()");
  await promote(standby);
  const promoted = makeReader();
  await onPrimary.query("INSERT INTO notes VALUES (2000)");
  expect((await promoted("SELECT id FROM notes WHERE id = 2000")).rows).toEqual([{ id: 2000 }]);
  expect(asked).toBe(1);

  await loseMachine(standby);
  const away = makeReader();
  expect((await away("SELECT id FROM notes WHERE id = 2000")).rows).toEqual([{ id: 2000 }]);
  expect(asked).toBe(1);
});
