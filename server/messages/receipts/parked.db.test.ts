import { expect, test } from "vitest";
import { type Plan, planOf, rowsReadBy, statementsOf } from "@/test/database/plans";
import { pool } from "../../core/db";
import { applyReceipts } from "./apply-receipts";
import { dropParked, PARKED_MAX } from "./parked";

const parkedOf = async (provider: string) => {
  const { rows } = await pool().query<{ count: number; oldest: string }>(
    `SELECT count(*)::int AS count, min(provider_message_id COLLATE "C") AS oldest
     FROM receipts WHERE provider = $1 AND message_id IS NULL`,
    [provider],
  );
  return rows[0];
};

/** Parked receipts `n-0000001` to `n-…`, the later ones newer. */
const park = (provider: string, count: number) =>
  pool().query(
    `INSERT INTO receipts (id, provider, provider_message_id, status, occurred_at, received_at)
     SELECT 'rcp_' || $1::text || n, $1, 'n-' || lpad(n::text, 7, '0'), 'sent', now(), now() - interval '1 hour' + n * interval '1 ms'
     FROM generate_series(1, $2::int) AS n`,
    [provider, count],
  );

test("the newest parked receipts of a provider are kept, and other providers' are not touched", async () => {
  await Promise.all([park("infobip", 30), park("clickatell", 30)]);
  expect(await dropParked("infobip", 10)).toBe(20);
  expect(await parkedOf("infobip")).toEqual({ count: 10, oldest: "n-0000021" });
  expect((await parkedOf("clickatell"))?.count).toBe(30);
  expect(await dropParked("infobip", 10)).toBe(0);
});

test("the kept ones are not locked, because receipts are joined all the time", async () => {
  await park("messagebird", 30);
  expect(await dropParked("messagebird", 10)).toBe(20);
  expect(await dropParked("messagebird", 10)).toBe(0);
  // A row's xmax names the last transaction that locked it.
  const { rows } = await pool().query(
    "SELECT count(*)::int AS locked FROM receipts WHERE provider = 'messagebird' AND xmax::text <> '0'",
  );
  expect(rows).toEqual([{ locked: 0 }]);
});

test.each(["made while few were parked", "by statistics of now"])(
  "with a plan %s the receipts of other providers are not read for one that has few",
  async (plan) => {
    await pool().query("TRUNCATE receipts");
    await park("sinch", 30);
    await park("plivo", 20_000);
    if (plan === "by statistics of now") await pool().query("VACUUM ANALYZE receipts");
    expect(await rowsReadBy(() => dropParked("sinch"), ["receipts"])).toBeLessThanOrEqual(30);
    expect(await rowsReadBy(() => dropParked("plivo", 19_999), ["receipts"])).toBeGreaterThan(19_999);
  },
);

test("even a plan made while few were parked finds the rows to delete by their ids", async () => {
  await pool().query("TRUNCATE receipts");
  await park("vonage", 11);
  const drop = (await statementsOf(() => dropParked("vonage", 10))).at(-1);
  if (!drop) throw new Error("not sent");
  const indexesOf = (plan: Plan): string[] => [
    ...(plan["Index Name"] === undefined ? [] : [plan["Index Name"]]),
    ...(plan.Plans ?? []).flatMap(indexesOf),
  ];
  // The first step finds the newest, in order.
  expect(indexesOf(await planOf(drop))).toEqual(["receipts_parked_since", "receipts_pkey", "receipts_pkey"]);
});

test("a flood of receipts for unknown messages is bounded while it lasts", async () => {
  await park("africastalking", PARKED_MAX);
  const occurredAt = new Date().toISOString();
  const flood = (from: number) =>
    Array.from({ length: 500 }, (_, at) => ({
      providerMessageId: `flood-${from + at}`,
      reference: null,
      status: "sent" as const,
      code: null,
      detail: null,
      occurredAt,
    }));
  for (let from = 0; from < 10_000; from += 500) await applyReceipts("africastalking", flood(from));
  expect((await parkedOf("africastalking"))?.count).toBe(PARKED_MAX);
  const { rows } = await pool().query(
    "SELECT count(*)::int AS count FROM receipts WHERE provider_message_id LIKE 'flood-%' AND message_id IS NULL",
  );
  expect(rows).toEqual([{ count: 10_000 }]);
});
