import { afterEach, beforeEach, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { inEmptyDatabase, migrationNames } from "@/test/database/empty-database";
import { refuseUnfitDatabase } from "./database";

const LAST = migrationNames().at(-1);
let own = "";

beforeEach(() => {
  own = process.env.DATABASE_URL ?? "";
});

afterEach(() => {
  process.env.DATABASE_URL = own;
});

/** The commands' error line for a database whose address is changed in this way. */
async function said(change: (url: URL) => void): Promise<string> {
  const url = new URL(own);
  change(url);
  process.env.DATABASE_URL = url.href;
  return refuseUnfitDatabase().then(
    () => "nothing",
    (thrown: Error) => thrown.message,
  );
}

const asItIs = () => undefined;
const server = () => `${new URL(own).hostname}:${new URL(own).port}`;

test("a suitable database is accepted", async () => {
  expect(await said(asItIs)).toBe("nothing");
});

test("one without migrations is refused with instructions", async () => {
  const line = await inEmptyDatabase(async (client) =>
    said((url) => {
      url.pathname = `/${client.database}`;
    }),
  );
  expect(line).toBe(
    "The database has no tables of the service yet: run `npm run migrate` with the same DATABASE_URL first.",
  );
});

test("so is one that is older or newer than this version", async () => {
  const finish = (name: string | undefined, at: string) =>
    pool().query(`UPDATE _prisma_migrations SET finished_at = ${at} WHERE migration_name = $1`, [name]);
  await finish(LAST, "NULL");
  expect(await said(asItIs)).toBe(
    "The database is older than this version of the service, and lacks 1 of its migrations: run `npm run migrate` with the same DATABASE_URL first.",
  );
  await finish(LAST, "now()");
  const add = (name: string) =>
    pool().query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ($1, '', $1, now())",
      [name],
    );
  await add("29990101000000_widens");
  expect(await said(asItIs)).toBe("nothing");
  await add("29990101000000_contract_narrows");
  expect(await said(asItIs)).toMatch(
    /^The database is newer than this version .* Start the version that brought it\.$/,
  );
  await pool().query("DELETE FROM _prisma_migrations WHERE migration_name LIKE '2999%'");
});

test("so is an address that is no URL, without showing its password", async () => {
  process.env.DATABASE_URL = "postgresql://user:hunter#2@localhost:5432/service";
  await expect(refuseUnfitDatabase()).rejects.toThrow(
    "DATABASE_URL must be a URL, with special characters of user and password percent-encoded (@ is %40, # is %23, / is %2F).",
  );
});

test("so are a missing database, a refused user, and a server that does not respond", async () => {
  expect(await said((url) => (url.pathname = "/nowhere"))).toBe(
    `PostgreSQL at ${server()} has no database "nowhere": create it (docs/operations.md, The database), or correct DATABASE_URL.`,
  );
  const refusal = `PostgreSQL at ${server()} does not let the user`;
  const remedy =
    "correct user and password in DATABASE_URL, or pg_hba.conf; if it wants TLS, add ?sslmode=verify-full (docs/operations.md, TLS to the database).";
  for (const change of [(url: URL) => (url.username = "stranger"), (url: URL) => (url.password = "wrong")]) {
    const line = await said(change);
    expect([line.startsWith(refusal), line.endsWith(remedy), line.includes("wrong")]).toEqual([true, true, false]);
  }
  expect(await said((url) => (url.port = "1"))).toMatch(
    /^PostgreSQL cannot be reached at .*:1 \(.*ECONNREFUSED.*\): start it, or correct DATABASE_URL\.$/,
  );
  expect(await said((url) => (url.hostname = "nowhere.invalid"))).toMatch(
    /^PostgreSQL cannot be reached at nowhere\.invalid:\d+ \(.+\): start it, or correct DATABASE_URL\.$/,
  );
});
