import pg from "pg";
import { inject } from "vitest";

/** Runs a statement in the test's database as a superuser, which the service's user is not. */
export async function asSuperuser<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const { pathname } = new URL(process.env.DATABASE_URL ?? "");
  const client = new pg.Client(Object.assign(new URL(inject("superuserUrl")), { pathname }).href);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
