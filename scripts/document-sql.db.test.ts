/** Runs the SQL that documents print, so that operators can paste it. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { asSuperuser } from "@/test/database/superuser";

const documents = readdirSync("docs")
  .filter((name) => name.endsWith(".md"))
  .map((name) => path.join("docs", name));

/** The statements of a document's blocks of SQL, which may be indented below a list. */
const statementsIn = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/^ *```sql\n(.*?)^ *```$/gms)].flatMap(([, block = ""]) =>
    block
      .split(/;\s*$/m)
      .map((statement) => statement.trim())
      .filter(Boolean),
  );

const statements = documents.flatMap((file) => statementsIn(file).map((statement) => ({ file, statement })));

test("there are statements to run", () => {
  expect(statements.length).toBeGreaterThan(10);
});

describe("the statements in documents run on a database of this version", () => {
  test.each(statements)("$file: $statement", async ({ statement }) => {
    const role = `role_${randomBytes(6).toString("hex")}`;
    const database = new URL(process.env.DATABASE_URL ?? "").pathname.slice(1);
    const own = statement
      .replace(/\bROLE messaging\b/, `ROLE ${role}`)
      .replace(/\bDATABASE messaging\b/, `DATABASE ${database}`);
    await asSuperuser(`BEGIN; CREATE ROLE ${role}; ${own}; ROLLBACK`);
  });
});
