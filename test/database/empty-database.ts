import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { inject } from "vitest";

const MIGRATIONS = path.join("prisma", "migrations");

/** Names of all migrations, in their order. */
export const migrationNames = (): string[] =>
  readdirSync(MIGRATIONS)
    .filter((name) => /^\d/.test(name))
    .sort();

/** Does `work` in a database without tables; `apply` applies migrations to it by their names. */
export async function inEmptyDatabase<Result>(
  work: (client: pg.Client, apply: (names: readonly string[]) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const name = `empty_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client({ connectionString: inject("adminUrl") });
  await admin.connect();
  const url = new URL(inject("adminUrl"));
  url.pathname = `/${name}`;
  try {
    await admin.query(`CREATE DATABASE ${name}`);
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      return await work(client, async (names) => {
        for (const own of names) await client.query(readFileSync(path.join(MIGRATIONS, own, "migration.sql"), "utf8"));
      });
    } finally {
      await client.end();
    }
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS ${name}`);
    await admin.end();
  }
}
