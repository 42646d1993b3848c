import { expect, test } from "vitest";
import { inEmptyDatabase, migrationNames } from "@/test/database/empty-database";

const MIGRATION = "20261126104500_drop_places_of_deleted_messages";

test("an update drops the places in the throttle queue of messages that are gone, and no other", async () => {
  const left = await inEmptyDatabase(async (client, apply) => {
    await apply(migrationNames().filter((name) => name < MIGRATION));
    await client.query(
      `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency, created_at)
       VALUES ('msg_1', 'acc_1', '+14155550100', 'ACME', 'Hi', 'gsm7', 1, 'pending', 1, 'USD', now())`,
    );
    await client.query(
      `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag)
       SELECT id, 'twilio', 'acc_1', 'ACME', 1, 1, 1 FROM unnest(ARRAY['msg_0', 'msg_1', 'msg_2']) i (id)`,
    );
    await apply([MIGRATION]);
    const { rows } = await client.query<{ id: string }>("SELECT message_id AS id FROM waiting_messages");
    return rows.map(({ id }) => id);
  });
  expect(left).toEqual(["msg_1"]);
});
