/** Callbacks that reach a process together are stored by one transaction. */
import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { callbackContent } from "@/server/providers/http/callback-content";
import { takeCallback } from "@/server/providers/store-callback";

const about = (providerMessageId: string) =>
  callbackContent({
    reports: [{ providerMessageId, reference: null, status: "delivered", code: null, detail: null, occurredAt: null }],
  });

/** Ids of the receipts that wait to be applied. */
async function waitingIds(): Promise<string[]> {
  const { rows } = await pool().query<{ id: string }>(
    `SELECT r ->> 'providerMessageId' AS id FROM graphile_worker._private_jobs p
     JOIN graphile_worker._private_tasks t ON t.id = p.task_id, json_array_elements(p.payload -> 'receipts') r
     WHERE t.identifier = 'apply_receipts' ORDER BY 1`,
  );
  return rows.map(({ id }) => id);
}

test("of callbacks with one nonce that come together the first is taken, as is each other one", async () => {
  const intakes = await Promise.all([
    takeCallback("sinch", about("first"), ["nonce-1"]),
    takeCallback("sinch", about("replayed"), ["nonce-1"]),
    takeCallback("plivo", about("of another provider"), ["nonce-1"]),
    takeCallback("plivo", about("partly replayed"), ["nonce-1", "nonce-2"]),
    takeCallback("twilio", about("without a nonce"), []),
    takeCallback("twilio", about("without one again"), []),
  ]);
  expect(intakes).toEqual(["taken", "replayed", "taken", "replayed", "taken", "taken"]);
  const taken = ["first", "of another provider", "without a nonce", "without one again"];
  expect(await waitingIds()).toEqual(taken);
  expect(await takeCallback("sinch", about("replayed later"), ["nonce-1"])).toBe("replayed");
  expect(await waitingIds()).toEqual(taken);
});
