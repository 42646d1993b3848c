import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool } from "@/server/core/db";
import { sendBulk } from "@/server/messages/accept/send";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import { lookUpUnknown } from "@/server/messages/dispatch/look-up";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { getMessage } from "@/server/messages/read";
import { invalidateProviders } from "@/server/providers/registry";
import { claimAttempts } from "@/test/database/attempts";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";

/** References that were looked up, in order. */
let lookedUp: string[] = [];
let respond: (reference: string) => object | null = () => ({ batches: [] });
/** Look-ups that hang now, and their highest number so far. */
let hanging = 0;
let mostHanging = 0;
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    const reference = new URL(request.url ?? "", "http://localhost").searchParams.get("client_reference") ?? "";
    lookedUp.push(reference);
    const found = respond(reference);
    if (found) {
      response.setHeader("content-type", "application/json").end(JSON.stringify(found));
      return;
    }
    // The provider hangs.
    hanging += 1;
    mostHanging = Math.max(mostHanging, hanging);
    response.once("close", () => {
      hanging -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  Object.assign(process.env, {
    SINCH_SERVICE_PLAN_ID: "plan",
    SINCH_API_TOKEN: "token",
    SINCH_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    PROVIDER_TIMEOUT_MS: "1000",
    ON_UNKNOWN_OUTCOME: "hold",
  });
  invalidateProviders();
  await makeRoute({ chain: ["sinch", "sandbox"] });
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(async () => {
  lookedUp = [];
  mostHanging = 0;
  respond = () => ({ batches: [] });
  await pool().query("UPDATE message_attempts SET started_at = started_at - interval '1 hour'");
});

/** Sends messages to which the provider has not responded for a minute. */
async function sendWithoutResponse(count: number, isUnknown = true) {
  const account = await makeAccount();
  const recipients = Array.from({ length: count }, (_, at) => `+1415557${String(at).padStart(4, "0")}`);
  const input = { recipients, from: account.senderId, body: "Hi" };
  const { messages } = await sendBulk(account.actor, input, plainRequest());
  const attempts = await claimAttempts(messages.map((message) => message.id));
  expect(attempts).toHaveLength(count);
  if (isUnknown) {
    const unknown = { kind: "unknown", code: "timeout", detail: "No response." } as const;
    await Promise.all(attempts.map((attempt) => recordOutcome(attemptResult(attempt, unknown, 1))));
  }
  const ids = messages.map((message) => message.id);
  await pool().query(
    `UPDATE message_attempts SET started_at = started_at - interval '1 minute',
       finished_at = finished_at - interval '1 minute' WHERE message_id = ANY($1::text[])`,
    [ids],
  );
  return { account, ids, references: ids.map((id) => `${id}-1`).sort() };
}

test("concurrent look-ups cover each attempt once, and all of them in order", async () => {
  const { references } = await sendWithoutResponse(12);
  const counts = await Promise.all([lookUpUnknown("sinch"), lookUpUnknown("sinch")]);
  expect(counts).toEqual([5, 5]);
  expect(await lookUpUnknown("sinch")).toBe(2);
  expect([...lookedUp].sort()).toEqual(references);
  expect(await lookUpUnknown("sinch")).toBe(0);

  // After a minute they are looked up again, least recently looked up first.
  const [oldest] = lookedUp.slice(-1);
  await pool().query("UPDATE message_attempts SET looked_up_at = looked_up_at - interval '61 seconds'");
  await pool().query(
    "UPDATE message_attempts SET looked_up_at = looked_up_at - interval '1 hour' WHERE message_id || '-1' = $1",
    [oldest],
  );
  lookedUp = [];
  expect(await lookUpUnknown("sinch")).toBe(5);
  expect(lookedUp).toContain(oldest);
});

test("a hanging provider costs one timeout, however many attempts are looked up", async () => {
  await sendWithoutResponse(5);
  respond = () => null;
  expect(await lookUpUnknown("sinch")).toBe(5);
  expect(mostHanging).toBe(5);
});

test("under hold a message of unknown outcome is not claimed for another provider, however often it is dispatched", async () => {
  const { ids } = await sendWithoutResponse(2);
  expect(await claimAttempts(ids)).toEqual([]);
  const { rows } = await pool().query(
    "SELECT count(*)::int4 AS made FROM message_attempts WHERE message_id = ANY($1::text[])",
    [ids],
  );
  expect(rows).toEqual([{ made: 2 }]);
});

test("the provider's report is recorded", async () => {
  const { account, ids } = await sendWithoutResponse(1);
  respond = (reference) => ({ batches: [{ id: `batch-${reference}`, client_reference: reference }] });
  expect(await lookUpUnknown("sinch")).toBe(1);
  expect(await getMessage(account.actor, ids[0] ?? "")).toMatchObject({
    status: "sent",
    provider: "sinch",
    provider_message_id: `batch-${ids[0]}-1`,
    attempts: 1,
  });
});

test("a call that may still be waiting for a slot is not looked up as lost", async () => {
  const { references } = await sendWithoutResponse(1, false);
  expect(await lookUpUnknown("sinch")).toBe(0);
  await pool().query(
    `UPDATE message_attempts SET started_at = started_at - interval '9 minutes', begun_at = begun_at - interval '9 minutes'
     WHERE message_id || '-1' = ANY($1)`,
    [references],
  );
  expect(await lookUpUnknown("sinch")).toBe(1);
  expect(lookedUp).toEqual(references);
});

test("an attempt is not looked up once another one has followed it, or its message waits for one or has ended", async () => {
  const { ids } = await sendWithoutResponse(4);
  const [followed, waiting, ended, alone] = ids;
  await pool().query(
    `INSERT INTO message_attempts (message_id, seq, provider, started_at, begun_at) VALUES ($1, 2, 'sandbox', now(), now())`,
    [followed],
  );
  await pool().query(
    `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag)
     SELECT id, 'sandbox', account_id, from_sender, 1, 2, 0 FROM messages WHERE id = $1`,
    [waiting],
  );
  await pool().query("UPDATE messages SET status = 'failed' WHERE id = $1", [ended]);
  expect(await lookUpUnknown("sinch")).toBe(1);
  expect(lookedUp).toEqual([`${alone}-1`]);
});
