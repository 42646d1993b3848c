import { expect, test } from "vitest";
import { pool } from "../../core/db";

test("the last minutes are found by an index: every worker reads them every second", async () => {
  const { rows } = await pool().query<{ definition: string }>(
    "SELECT indexdef AS definition FROM pg_indexes WHERE tablename = 'provider_minutes'",
  );
  expect(rows.map((row) => row.definition)).toContainEqual(expect.stringMatching(/ \(minute\)$/));
});
