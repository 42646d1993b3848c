import { expect, test } from "vitest";
import { statementsOf } from "@/test/database/plans";
import { pool } from "../../core/db";
import { invalidateProviders } from "../registry";
import { updateProviderHealth } from "./provider-health";

test("an idle second costs two statements", async () => {
  await updateProviderHealth();
  invalidateProviders();
  const statements = await statementsOf(updateProviderHealth);
  expect(statements.map(({ name }) => name)).toEqual(["providers.tend", "providers.all"]);
});

test("the last minutes are read through an index, because every worker reads them every second", async () => {
  const { rows } = await pool().query<{ definition: string }>(
    "SELECT indexdef AS definition FROM pg_indexes WHERE tablename = 'provider_minutes'",
  );
  expect(rows.map((row) => row.definition)).toContainEqual(expect.stringMatching(/ \(minute\)$/));
});
