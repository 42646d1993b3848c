/** Callbacks that reach a process together are stored in one transaction. */
import { randomInt } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { jobs } from "@/server/core/jobs";
import { sendMessage } from "@/server/messages/accept/send";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { infobip } from "@/server/providers/adapters/infobip";
import { callbackContent } from "@/server/providers/http/callback-content";
import { takeCallback } from "@/server/providers/store-callback";
import { loseReply } from "@/test/database/intercepted-statements";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";

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

test("only the first of concurrent callbacks with the same nonce is accepted; callbacks without a nonce all are", async () => {
  const intakes = await Promise.all([
    takeCallback("sinch", about("first"), ["nonce-1"]),
    takeCallback("sinch", about("repeated"), ["nonce-1"]),
    takeCallback("plivo", about("of another provider"), ["nonce-1"]),
    takeCallback("plivo", about("partly replayed"), ["nonce-1", "nonce-2"]),
    takeCallback("twilio", about("without a nonce"), []),
    takeCallback("twilio", about("without one again"), []),
  ]);
  expect(intakes).toEqual(["taken", "repeated", "taken", "replayed", "taken", "taken"]);
  const taken = ["first", "of another provider", "without a nonce", "without one again"];
  expect(await waitingIds()).toEqual(taken);
  expect(await takeCallback("sinch", about("repeated later"), ["nonce-1"])).toBe("repeated");
  // A refused callback leaves no nonce behind.
  expect(await takeCallback("plivo", about("partly replayed again"), ["nonce-1", "nonce-2"])).toBe("replayed");
  expect(await waitingIds()).toEqual(taken);
  expect(await takeCallback("plivo", about("with the second nonce"), ["nonce-2"])).toBe("taken");
});

beforeAll(() => makeRoute());

/** An account with its own number. */
async function makeReachable() {
  const account = await makeAccount();
  const line = `+1646${randomInt(1_000_000, 9_999_999)}`;
  await pool().query(
    "INSERT INTO senders (id, account_id, sender_id, type, status) VALUES ($1, $2, $3, 'numeric', 'approved')",
    [newId("sender"), account.accountId, line],
  );
  const sendTo = (to: string) => sendMessage(account.actor, { to, from: line, body: "Hello" }, plainRequest());
  return { line, sendTo };
}

const PERSON = "+14155550123";
const reply = (to: string, text: string) =>
  callbackContent({ inbound: [{ providerMessageId: newId("inbound"), from: PERSON, to, text }] });

/** Texts of the messages that are left to a job. */
async function deferredTexts(): Promise<string[]> {
  const { rows } = await pool().query<{ text: string }>(
    `SELECT m ->> 'text' AS text FROM graphile_worker._private_jobs p
     JOIN graphile_worker._private_tasks t ON t.id = p.task_id, json_array_elements(p.payload -> 'messages') m
     WHERE t.identifier = 'apply_inbound' ORDER BY 1`,
  );
  return rows.map(({ text }) => text);
}

test("STOP and START take effect as soon as their callback is acknowledged, even if no worker runs", async () => {
  const { line, sendTo } = await makeReachable();
  await takeCallback("twilio", reply(line, "STOP"), []);
  expect(await sendTo(PERSON)).toMatchObject({ status: "failed", error: { code: "blocklisted" } });
  await takeCallback("twilio", reply(line, "START"), []);
  expect(await sendTo(PERSON)).toMatchObject({ status: "pending" });
  expect(await deferredTexts()).toEqual([]);
});

test("a message that cannot be processed now is acknowledged and left to a job; others that come with it are processed", async () => {
  const { line, sendTo } = await makeReachable();
  await pool().query(
    `CREATE FUNCTION refuse_inbound() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN IF NEW.body = 'Refused' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$;
     CREATE TRIGGER refuse_inbound BEFORE INSERT ON inbound_messages FOR EACH ROW EXECUTE FUNCTION refuse_inbound()`,
  );
  try {
    const texts = ["Refused", "STOP"];
    const intakes = await Promise.all(
      texts.map((text, at) => takeCallback("twilio", reply(line, text), [`together-${at}`])),
    );
    expect(intakes).toEqual(["taken", "taken"]);
    expect(await deferredTexts()).toEqual(["Refused"]);
    expect(await sendTo(PERSON)).toMatchObject({ status: "failed", error: { code: "blocklisted" } });
    expect(await takeCallback("twilio", reply(line, "Refused"), ["together-0"])).toBe("repeated");
  } finally {
    await pool().query("DROP FUNCTION refuse_inbound CASCADE");
  }
});

test("a STOP whose commit got no reply is not acknowledged, nor left to a job: its provider repeats it", async () => {
  const { line, sendTo } = await makeReachable();
  const before = await deferredTexts();
  loseReply(/^COMMIT$/, new Error("Connection terminated unexpectedly"));
  await expect(takeCallback("twilio", reply(line, "STOP"), ["unheard"])).rejects.toThrow();
  expect(await deferredTexts()).toEqual(before);
  expect(await takeCallback("twilio", reply(line, "STOP"), ["unheard"])).toBe("repeated");
  expect(await sendTo(PERSON)).toMatchObject({ status: "failed", error: { code: "blocklisted" } });
});

test("a receipt with a time that no clock shows is applied with its own time of arrival, and so are those beside it", async () => {
  const times = [
    `2026-01-31T12:00:00.${"1".repeat(200)}Z`,
    "0001-01-01T00:00:00+15:00",
    "9999-12-31T23:59:59-15:00",
    "0000-01-01T00:00:00Z",
    "2026-01-31T12:00:00.123456789Z",
  ];
  const results = times.map((doneAt, at) => ({ messageId: `timed-${at}`, status: { groupId: 3, id: 5 }, doneAt }));
  const content = infobip.readCallback({
    ...{ method: "POST", url: "https://sms.example.test/receipts", headers: {} },
    body: Buffer.from(JSON.stringify({ results })),
  });
  await takeCallback("infobip", content, []);
  const { rows: added } = await pool().query<{ payload: unknown }>(
    "SELECT payload FROM graphile_worker._private_jobs WHERE payload ->> 'provider' = 'infobip'",
  );
  for (const { payload } of added) {
    const { provider, receipts } = jobs.apply_receipts.parse(payload);
    await applyReceipts(provider, receipts);
  }
  const { rows } = await pool().query<{ isOfArrival: boolean; occurredAt: Date }>(
    `SELECT occurred_at = date_trunc('milliseconds', occurred_at) AND occurred_at > now() - interval '1 hour' AS "isOfArrival",
       occurred_at AS "occurredAt" FROM receipts WHERE provider = 'infobip' ORDER BY provider_message_id`,
  );
  expect(rows.map(({ isOfArrival }) => isOfArrival)).toEqual([true, true, true, true, false]);
  expect(rows[4]?.occurredAt.toISOString()).toBe("2026-01-31T12:00:00.123Z");
});
