import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { inEmptyDatabase, migrationNames } from "@/test/database/empty-database";

const MIGRATION = "20261126003200_order_of_columns";

const CATALOG = `SELECT
    (SELECT jsonb_agg(format('%s %s %s %s', attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) ORDER BY attname)
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped) AS columns,
    (SELECT jsonb_agg(pg_get_indexdef(indexrelid) ORDER BY indexrelid::regclass::text) FROM pg_index WHERE indrelid = t.oid) AS indexes,
    (SELECT jsonb_agg(conname || ' ' || pg_get_constraintdef(oid) ORDER BY conname) FROM pg_constraint WHERE conrelid = t.oid) AS constraints,
    (SELECT jsonb_agg(pg_get_triggerdef(oid) ORDER BY tgname) FROM pg_trigger WHERE tgrelid = t.oid) AS triggers,
    t.reloptions AS options
  FROM pg_class t WHERE t.oid = 'messages'::regclass`;

const LAST_COLUMN = `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'messages'::regclass AND attnum > 0 ORDER BY attnum DESC LIMIT 1`;

/** A database as the previous version left it, to which `change` was done, with the migration. */
const migrated = (change: string) =>
  inEmptyDatabase(async (client, apply) => {
    await apply(migrationNames().filter((name) => name < MIGRATION));
    await client.query(change);
    await apply([MIGRATION]);
    const { rows: catalog } = await client.query(CATALOG);
    const { rows: last } = await client.query<{ name: string }>(LAST_COLUMN);
    const { rowCount } = await client.query("SELECT FROM messages");
    return { catalog: catalog[0], lastColumn: last[0]?.name, messages: rowCount };
  });

const MESSAGE = `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency, created_at)
  VALUES ('msg_1', 'acc_1', '+14155550100', 'ACME', 'Hi', 'gsm7', 1, 'pending', 1, 'USD', now())`;

test.each([
  { where: "with messages", change: MESSAGE, messages: 1 },
  { where: "with a view of it", change: "CREATE VIEW sent_today AS SELECT id FROM messages", messages: 0 },
  { where: "with rights of others", change: "GRANT SELECT ON messages TO PUBLIC", messages: 0 },
])(
  "a table of messages $where keeps its order of columns, and differs in nothing else from a new one",
  async ({ change, messages }) => {
    const [fresh, before] = await Promise.all([migrated("SELECT"), migrated(change)]);
    expect(fresh.lastColumn).toBe("error_message");
    expect(before).toMatchObject({ lastColumn: "metadata", messages });
    expect(before.catalog).toEqual(fresh.catalog);
    const { rows } = await pool().query(CATALOG);
    // Later migrations have changed these.
    const later = { indexes: null, options: null };
    expect({ ...rows[0], ...later }).toEqual({ ...fresh.catalog, ...later });
  },
);
