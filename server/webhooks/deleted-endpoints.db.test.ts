/** Deleted endpoints are kept: how many there may be, and that nothing reads them. */
import { expect, test } from "vitest";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { makeMessages, raiseEvents } from "@/test/database/webhooks";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import { createEndpoint, listEndpoints } from "./service";

const URL = "http://127.0.0.1:9/hook";

/** Endpoints whose ids begin with `prefix`. */
const insertDeleted = ({ accountId }: TestAccount, prefix: string, count: number) =>
  pool().query(
    `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed, deleted_at)
     SELECT $1 || lpad(n::text, 10, '0'), $2, $3, '{}', '', now() FROM generate_series(1, $4) AS n`,
    [prefix, accountId, URL, count],
  );

test("an account makes at most 1,000 in a UTC day, also when it deletes them", async () => {
  const account = await makeAccount();
  const { id } = await createEndpoint(account.actor, { url: URL });
  // Ids begin with their time: these are of the same day.
  await insertDeleted(account, id.slice(0, 20), 997);
  const made = await Promise.allSettled(Array.from({ length: 3 }, () => createEndpoint(account.actor, { url: URL })));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  await expect(createEndpoint(account.actor, { url: URL })).rejects.toMatchObject({
    status: 429,
    retryAfterS: expect.any(Number),
    wire: { details: { reason: "endpoint_creation_limit", limit: 1_000 } },
  });
  const { actor } = await makeAccount();
  expect((await createEndpoint(actor, { url: URL })).is_active).toBe(true);
});

test("events, lists and creations do not read the endpoints that an account has deleted", async () => {
  const account = await makeAccount();
  await insertDeleted(account, "whe_0000000000", 50_000);
  await pool().query("ANALYZE webhook_endpoints");
  await createEndpoint(account.actor, { url: URL });
  const messages = await makeMessages(account, 1);
  const statements = await statementsOf(async () => {
    await raiseEvents(account, messages);
    await listEndpoints(account.actor);
    await createEndpoint(account.actor, { url: URL });
  });
  const reading = statements.filter(({ text }) => /FROM\s+\S*webhook_endpoints/.test(text));
  expect(reading).toHaveLength(3);
  for (const statement of reading) {
    // An event that was inserted once is not inserted again.
    await pool().query("DELETE FROM events WHERE account_id = $1", [account.accountId]);
    const values = statement.values.map((value) =>
      value === statement.values[0] && /^whe_/.test(String(value)) ? newId("endpoint") : value,
    );
    const { plan } = await explain({ ...statement, values });
    // A creation may look at what others made today.
    expect(rowsRead(plan, ["webhook_endpoints"]), statement.name).toBeLessThan(
      /INSERT INTO webhook/.test(statement.text) ? 2_000 : 20,
    );
  }
});
