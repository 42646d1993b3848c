/** Tests of claims while another worker decides on the same message. */
import { beforeAll, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { claimAttempts, claimed, prepareAttempts } from "@/test/database/attempts";

beforeAll(prepareAttempts);

/** A pending message whose first attempt has an unknown outcome, as the take-over of a worker leaves it. */
async function takenOver(): Promise<string> {
  const { id } = await claimed();
  await pool().query("UPDATE message_attempts SET outcome = 'unknown', finished_at = now() WHERE message_id = $1", [
    id,
  ]);
  return id;
}

test.each([
  { what: "fails it", sql: "UPDATE messages SET status = 'failed' WHERE id = $1", claims: 0 },
  {
    what: "finds out that the first attempt was refused",
    sql: "UPDATE message_attempts SET outcome = 'refused' WHERE message_id = $1",
    claims: 0,
  },
  { what: "leaves it pending", sql: "SELECT 1 FROM messages WHERE id = $1", claims: 1 },
])("a next attempt waits for a transaction that holds the message, which $what", async ({ sql, claims }) => {
  const id = await takenOver();
  const other = await pool().connect();
  try {
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM messages WHERE id = $1 FOR NO KEY UPDATE", [id]);
    const claiming = claimAttempts([id]);
    await expect
      .poll(async () => (await pool().query("SELECT 1 FROM pg_locks WHERE NOT granted")).rowCount)
      .toBeGreaterThan(0);
    await other.query(sql, [id]);
    await other.query("COMMIT");
    const attempts = await claiming;
    for (const { slot } of attempts) slot?.release();
    expect(attempts).toHaveLength(claims);
    const { rows } = await pool().query("SELECT seq FROM message_attempts WHERE message_id = $1 AND seq > 1", [id]);
    expect(rows).toHaveLength(claims);
  } finally {
    other.release();
  }
});
