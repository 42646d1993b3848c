import type { JobHelpers } from "graphile-worker";
import { beforeAll, expect, test } from "vitest";
import { freePort } from "@/scripts/free-port";
import { pool } from "@/server/core/db";
import { databaseUnavailable } from "@/server/core/errors";
import type { ReceiptReport } from "@/server/core/jobs";
import { postJson } from "@/server/webhooks/delivery/post";
import { createLookup } from "@/server/webhooks/delivery/resolve-host";
import { createSsrfGuard } from "@/server/webhooks/delivery/ssrf-guard";
import { accepted, type Claimed, claimed, prepareAttempts, record, report, statusOf } from "@/test/database/attempts";
import { divideJob } from "./divide";
import { receiptTasks } from "./tasks";

const REFUSED = "refused-by-the-database";

type Payload = { provider: string; receipts: ReceiptReport[] };

beforeAll(prepareAttempts);

/** Creates messages that their provider has accepted. */
async function sentMessages(count: number) {
  const sent: Claimed[] = [];
  for (let at = 0; at < count; at += 1) {
    const message = await claimed();
    await record(message.first, accepted(`${message.id}-x`));
    sent.push(message);
  }
  return sent;
}

const statusesOf = (messages: readonly Claimed[]) => Promise.all(messages.map(statusOf));

async function takeAdded(): Promise<Payload[]> {
  const { rows } = await pool().query<{ payload: Payload }>(
    `DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
     WHERE t.id = j.task_id AND t.identifier = 'apply_receipts' RETURNING j.payload`,
  );
  return rows.map(({ payload }) => payload);
}

/** Runs a job, and the jobs that it is divided into, each as run number `attempt`. @returns the failed jobs. */
async function runAll(receipts: ReceiptReport[], attempt: number): Promise<Payload[]> {
  const failed: Payload[] = [];
  const waiting: Payload[] = [{ provider: "vonage", receipts }];
  for (let payload = waiting.shift(); payload; payload = waiting.shift()) {
    const helpers = { job: { id: "1", attempts: attempt }, abortSignal: new AbortController().signal };
    try {
      await receiptTasks.apply_receipts(payload, helpers as unknown as JobHelpers);
    } catch {
      failed.push(payload);
    }
    waiting.push(...(await takeAdded()));
  }
  return failed;
}

test("a receipt that the database refuses ends up alone in its job, and every other one moves its message", async () => {
  await pool().query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'refused' USING ERRCODE = '22023'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON receipts FOR EACH ROW
      WHEN (NEW.provider_message_id = '${REFUSED}') EXECUTE FUNCTION refuse()`);
  const refused = report(REFUSED, "delivered");
  const messages = await sentMessages(6);
  const reports = messages.map(({ id }) => report(`${id}-x`, "delivered"));
  const failed = await runAll(reports.toSpliced(4, 0, refused), 1);
  expect(failed).toEqual([{ provider: "vonage", receipts: [refused] }]);
  expect(await statusesOf(messages)).toEqual(messages.map(() => "delivered"));
});

test("a job with an item that this version does not understand is divided from its third run on", async () => {
  const messages = await sentMessages(3);
  const reports = messages.map(({ id }) => report(`${id}-x`, "delivered"));
  const foreign = { ...reports[0], status: "a status of another version" } as unknown as ReceiptReport;
  const receipts = [foreign, ...reports.slice(1)];
  expect(await runAll(receipts, 2)).toEqual([{ provider: "vonage", receipts }]);
  expect(await runAll(receipts, 3)).toEqual([{ provider: "vonage", receipts: [foreign] }]);
  expect(await statusesOf(messages)).toEqual(["sent", "delivered", "delivered"]);
});

test("a job of deliveries is not divided while the name servers are silent, however often it runs", async () => {
  const lookup = createLookup({ servers: [`127.0.0.1:${await freePort()}`] });
  const { dispatcher, close } = createSsrfGuard({ allowedNetworks: [], lookup });
  const request = { dispatcher, headers: {}, body: Buffer.from("{}"), limitMs: 10_000 };
  const thrown: unknown = await postJson("http://hook.example/", request).catch((failure: unknown) => failure);
  await close();
  const payload = { endpointId: "whk_silent", deliveryIds: ["dlv_1", "dlv_2"] };
  expect(await divideJob("deliver_webhooks", payload, { thrown, attempt: 3 })).toBeNull();
});

test.each([
  ["the database was unavailable", databaseUnavailable({ nothingDone: true })],
  ["a connection was lost", new Error("Connection terminated unexpectedly")],
])("a job is not divided because %s, however often it runs", async (_, thrown) => {
  const payload = { endpointId: "whk_away", deliveryIds: ["dlv_1", "dlv_2"] };
  expect(await divideJob("deliver_webhooks", payload, { thrown, attempt: 24 })).toBeNull();
});
