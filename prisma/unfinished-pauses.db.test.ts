import { expect, test } from "vitest";
import { inEmptyDatabase, migrationNames } from "@/test/database/empty-database";

const MIGRATION = "20261127204600_parked_by_a_pause";

test("an update notes what pauses that are not over have parked, and nothing that was parked before", async () => {
  const parkedBy = await inEmptyDatabase(async (client, apply) => {
    await apply(migrationNames().filter((name) => name < MIGRATION));
    await client.query("INSERT INTO accounts (id, name, email) VALUES ('acc_1', 'Acme', 'it@example.com')");
    await client.query(
      `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed, resume_from)
       SELECT id, 'acc_1', 'https://example.com', '{}', '', since FROM (VALUES
         ('paused', timestamptz '2026-11-27 12:00'), ('open', NULL)) e (id, since)`,
    );
    await client.query(
      `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, status, created_at, held_at)
       SELECT id, 'acc_1', endpoint, id, status, created, held FROM (VALUES
         ('before', 'paused', 'held', timestamptz '2026-11-27 11:00', timestamptz '2026-11-27 11:30'),
         ('waited', 'paused', 'held', '2026-11-27 11:00', '2026-11-27 12:30'),
         ('raised', 'paused', 'held', '2026-11-27 12:30', NULL),
         ('abandoned', 'paused', 'abandoned', '2026-11-27 12:30', NULL),
         ('other', 'open', 'held', '2026-11-27 12:30', NULL)) d (id, endpoint, status, created, held)`,
    );
    await apply([MIGRATION]);
    const { rows } = await client.query<{ id: string }>(
      `SELECT d.id FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
       WHERE d.held_at = e.resume_from ORDER BY d.id`,
    );
    return rows.map(({ id }) => id);
  });
  expect(parkedBy).toEqual(["raised", "waited"]);
});
