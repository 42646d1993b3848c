import { expect, test } from "vitest";
import { pool } from "../../core/db";

test("what happened in the last minutes is found by an index: every worker asks for it every second", async () => {
  const { rows } = await pool().query<{ definition: string }>(
    "SELECT indexdef AS definition FROM pg_indexes WHERE tablename = 'provider_minutes'",
  );
  expect(rows.map((row) => row.definition)).toContainEqual(expect.stringMatching(/ \(minute\)$/));
});
