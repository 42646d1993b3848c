import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const MIGRATIONS = path.join("prisma", "migrations");
/** Later migrations keep the rule. */
const RULE_SINCE = "20261122050000";
/** Statements that take away what processes of the previous version still use, or that break them. */
const NARROWS = /\b(DROP\s+(TABLE|COLUMN)|RENAME\s+(TO|COLUMN)|SET\s+NOT\s+NULL|DROP\s+DEFAULT|SET\s+DATA\s+TYPE)\b/i;
/** They make a table anew that has no rows, with all of its columns. */
const MAKES_EMPTY_TABLE_ANEW = ["20261126003200_order_of_columns"];

const names = readdirSync(MIGRATIONS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name > RULE_SINCE)
  .map((entry) => entry.name);

test("the rule recognizes what narrows a database", () => {
  expect("ALTER TABLE a DROP COLUMN b;").toMatch(NARROWS);
  expect('ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL').toMatch(NARROWS);
  expect("ALTER TABLE a ADD COLUMN b text; DROP INDEX c").not.toMatch(NARROWS);
});

describe("a migration that narrows the database is named contract_, so that older versions refuse it", () => {
  test.each([...names, "none yet"])("%s", (name) => {
    if (!names.includes(name)) return;
    const sql = readFileSync(path.join(MIGRATIONS, name, "migration.sql"), "utf8").replace(/^--.*$/gm, "");
    if (NARROWS.test(sql) && !MAKES_EMPTY_TABLE_ANEW.includes(name)) expect(name).toMatch(/^\d+_contract_/);
  });
});
