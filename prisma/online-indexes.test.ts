import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { onlineIndexesOf } from "./online-indexes";

const MIGRATIONS = path.join("prisma", "migrations");
/** Of version 0.1.0: no older installation is brought up to date by it. */
const LAST_OF_FIRST_VERSION = "20261123220400_index_kept_endpoints";
const PLAIN_INDEX = /\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(?!IF\b|CONCURRENTLY\b)"?\w+"?\s+ON\s+"?(\w+)"?/gi;

const names = readdirSync(MIGRATIONS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name > LAST_OF_FIRST_VERSION)
  .map((entry) => entry.name);

test("an index that is made if it does not exist is built without a lock that writers wait for", () => {
  const sql = `-- CREATE INDEX IF NOT EXISTS no ON no (no);
    CREATE UNIQUE INDEX IF NOT EXISTS "a_key" ON "a" ("b", "c");
    CREATE INDEX IF NOT EXISTS a_some ON a (b) WHERE b <> ';' AND c > 1;
    CREATE INDEX a_plain ON a (b);`;
  expect(onlineIndexesOf(sql)).toEqual([
    { name: '"a_key"', table: '"a"', statement: 'CREATE UNIQUE INDEX CONCURRENTLY "a_key" ON "a" ("b", "c")' },
    { name: "a_some", table: "a", statement: "CREATE INDEX CONCURRENTLY a_some ON a (b) WHERE b <> ';' AND c > 1" },
  ]);
});

describe("a migration builds no index of an existing table while writers wait", () => {
  test.each(names)("%s", (name) => {
    const sql = readFileSync(path.join(MIGRATIONS, name, "migration.sql"), "utf8").replace(/^--.*$/gm, "");
    const made = new Set([...sql.matchAll(/\bCREATE\s+TABLE\s+"?(\w+)"?/gi)].map(([, table]) => table));
    const tables = [...sql.matchAll(PLAIN_INDEX)].map(([, table]) => table);
    expect(tables.filter((table) => !made.has(table))).toEqual([]);
  });
});
