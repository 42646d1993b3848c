/** Tests of deleting a message's text on request: what stays, when it is allowed, and concurrent operations. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { inTestMode } from "@/server/core/actor";
import { DAY_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { env } from "@/server/core/env";
import { getMessageDetail, getTimeline } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { forgetOldData } from "@/server/retention/tasks";
import { findForgottenTexts } from "@/server/webhooks/history/forgotten-texts";
import { listEvents } from "@/server/webhooks/history/list-events";
import { recoverDeliveries } from "@/server/webhooks/history/recover";
import { resendDeliveries } from "@/server/webhooks/history/resend";
import { pauseEndpoint, resumeEndpoint } from "@/server/webhooks/pause";
import { createEndpoint, enableEndpoint } from "@/server/webhooks/service";
import { contradictions } from "@/test/database/account-truth";
import { accepted, claimed, claimMany, prepareAttempts, record, report } from "@/test/database/attempts";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { makeAccount } from "@/test/database/seed";
import { deliveriesOf, makeMessages, raiseEvents, runDeliveryJobs, webhooksOfFile } from "@/test/database/webhooks";
import { type Received, status } from "@/test/network/receiver";
import { redactMessage } from "./redact";

beforeAll(prepareAttempts);
beforeEach(() => pool().query("DELETE FROM graphile_worker._private_jobs"));
afterEach(() => {
  env().RETENTION_BODIES_DAYS = 0;
  env().REQUEST_LOG_TEXTS = false;
  vi.useRealTimers();
});
const startWebhook = webhooksOfFile();

const TEXT = "Grüße";
const PAGE = { page: 1, limit: 100 } as const;

async function messageIn(state: "delivered" | "failed" | "undelivered" | "sent" | "pending") {
  const account = await makeAccount();
  const [id = ""] = await makeMessages(account, 1, state);
  return { account, id };
}

const textOf = async (id: string): Promise<string | undefined> =>
  (await pool().query<{ body: string }>("SELECT body FROM messages WHERE id = $1", [id])).rows[0]?.body;

describe("a redacted message", () => {
  test("loses only its text, and stays the same when it is redacted again, even concurrently", async () => {
    const { account, id, first } = await claimed("Your code is 4711");
    await record(first, accepted(`up_${id}`));
    await applyReceipts("vonage", [report(`up_${id}`, "delivered")]);
    const [before, timeline] = [await getMessageDetail(account.actor, id), await getTimeline(account.actor, id)];
    const responses = await Promise.all([redactMessage(account.actor, id), redactMessage(account.actor, id)]);
    const redacted = { ...before.message, body: "" };
    expect([...responses, await redactMessage(account.actor, id)]).toEqual([redacted, redacted, redacted]);
    expect(await getMessageDetail(account.actor, id)).toEqual({ ...before, message: redacted });
    expect(await getTimeline(account.actor, id)).toEqual(timeline);
    expect(await contradictions(account.accountId)).toEqual([]);
    expect(JSON.stringify(await listEvents(account.actor, PAGE))).not.toContain("4711");
  });

  test.each(["delivered", "failed", "undelivered"] as const)("may be %s", async (state) => {
    const { account, id } = await messageIn(state);
    expect(await redactMessage(account.actor, id)).toMatchObject({ status: state, body: "" });
  });

  test.each(["pending", "sent"] as const)("is not %s: a provider may still be given its text", async (state) => {
    const { account, id } = await messageIn(state);
    await expect(redactMessage(account.actor, id)).rejects.toMatchObject({
      status: 400,
      wire: { param: "id", details: { reason: "not_redactable", status: state } },
    });
    expect(await textOf(id)).toBe(TEXT);
  });

  test("belongs to the account and to its mode; to others it is a 404", async () => {
    const { account, id } = await messageIn("delivered");
    const other = await makeAccount();
    for (const actor of [other.actor, inTestMode(account.actor)]) {
      await expect(redactMessage(actor, id)).rejects.toMatchObject({ status: 404 });
    }
    expect(await textOf(id)).toBe(TEXT);
  });

  test("is not in the audit log if a program redacted it", async () => {
    const { account, id } = await messageIn("delivered");
    await redactMessage(account.actor, id);
    const { rows } = await pool().query("SELECT 1 FROM audit_entries WHERE subject_id = $1", [id]);
    expect(rows).toEqual([]);
  });
});

describe("webhooks of a redacted message", () => {
  const bodyOf = ({ body }: Received): string => JSON.parse(body.toString()).data.body;

  test("that wait for their next try are sent without its text", async () => {
    const { account, endpoint, receiver } = await startWebhook(status(500));
    const [id = ""] = await makeMessages(account, 1, "delivered");
    await raiseEvents(account, [id], "delivered");
    await runDeliveryJobs(endpoint.id);
    await redactMessage(account.actor, id);
    receiver.respondWith(status(200));
    await runDeliveryJobs(endpoint.id);
    expect(receiver.received.map(bodyOf)).toEqual([TEXT, ""]);
    expect(await deliveriesOf(endpoint.id)).toMatchObject([{ status: "delivered", attempts: 2 }]);
  });

  test("that a pause has parked are sent without its text when the endpoint is resumed", async () => {
    const { account, endpoint, receiver } = await startWebhook();
    const [id = "", other = ""] = await makeMessages(account, 2, "delivered");
    await pauseEndpoint(account.actor, endpoint.id);
    await raiseEvents(account, [id, other], "delivered");
    await redactMessage(account.actor, id);
    await resumeEndpoint(account.actor, endpoint.id);
    await runDeliveryJobs(endpoint.id);
    expect(receiver.received.map(bodyOf).toSorted()).toEqual(["", TEXT]);
    expect((await deliveriesOf(endpoint.id)).map((each) => each.status)).toEqual(["delivered", "delivered"]);
  });

  test("that a pause has parked are left out by a recovery if the endpoint is enabled instead", async () => {
    const { account, endpoint } = await startWebhook();
    const [id = "", other = ""] = await makeMessages(account, 2, "delivered");
    await pauseEndpoint(account.actor, endpoint.id);
    await raiseEvents(account, [id, other], "delivered");
    await redactMessage(account.actor, id);
    await enableEndpoint(account.actor, endpoint.id);
    const recovery = await recoverDeliveries(account.actor, { id: endpoint.id, since: "2020-01-01T00:00:00Z" });
    expect(recovery.recovered).toBe(1);
  });

  test("that have ended are not sent again, nor by a recovery", async () => {
    const { account, endpoint } = await startWebhook(status(500));
    const [id = "", other = ""] = await makeMessages(account, 2, "failed");
    await raiseEvents(account, [id, other], "failed");
    await runDeliveryJobs(endpoint.id);
    await pool().query("UPDATE webhook_deliveries SET status = 'abandoned' WHERE endpoint_id = $1", [endpoint.id]);
    await redactMessage(account.actor, id);
    const ids = (await deliveriesOf(endpoint.id)).map((delivery) => delivery.id);
    await expect(resendDeliveries(account.actor, { id: endpoint.id, delivery_ids: ids })).rejects.toMatchObject({
      status: 400,
      wire: {
        details: { reason: "text_forgotten" },
        message: expect.stringContaining("on request or because of its age"),
      },
    });
    const recovery = await recoverDeliveries(account.actor, { id: endpoint.id, since: "2020-01-01T00:00:00Z" });
    expect(recovery.recovered).toBe(1);
  });
});

describe("a redaction concurrent with", () => {
  test("an operation that keeps the text waits for it", async () => {
    const { account, id } = await messageIn("delivered");
    const keeping = await openTransaction((tx) => findForgottenTexts(tx, [id]));
    const redacting = redactMessage(account.actor, id);
    await untilWaiting("FOR UPDATE");
    expect([keeping.result.size, await textOf(id)]).toEqual([0, TEXT]);
    await keeping.commit();
    expect((await redacting).body).toBe("");
  });

  test("a resend comes first: the resend waits, and is refused", async () => {
    const { account, endpoint } = await startWebhook();
    const [id = ""] = await makeMessages(account, 1, "delivered");
    await raiseEvents(account, [id], "delivered");
    await runDeliveryJobs(endpoint.id);
    const [delivery] = await deliveriesOf(endpoint.id);
    // The redaction has emptied the text, and stops before its COMMIT.
    env().REQUEST_LOG_TEXTS = true;
    const log = await openTransaction((tx) => tx.query("LOCK TABLE request_log IN ACCESS EXCLUSIVE MODE"));
    const redacting = redactMessage(account.actor, id);
    await untilWaiting("request_log");
    const resending = resendDeliveries(account.actor, { id: endpoint.id, delivery_ids: [delivery?.id ?? ""] });
    const refused = expect(resending).rejects.toMatchObject({ wire: { details: { reason: "text_forgotten" } } });
    await untilWaiting("FOR KEY SHARE");
    await log.commit();
    expect((await redacting).body).toBe("");
    await refused;
  });

  test("the deletion of the whole message is a 404", async () => {
    const { account, id } = await messageIn("delivered");
    const deleting = await openTransaction((tx) => tx.query("DELETE FROM messages WHERE id = $1", [id]));
    const redacting = expect(redactMessage(account.actor, id)).rejects.toMatchObject({ status: 404 });
    await untilWaiting("FOR UPDATE");
    await deleting.commit();
    await redacting;
  });

  test("late receipts, a recovery and retention has the same result as without, and the books agree", async () => {
    const { receiver } = await startWebhook(status(500));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3 * DAY_MS });
    const { owner: account, attempts } = await claimMany(12);
    const endpoint = await createEndpoint(account.actor, { url: receiver.url });
    const ids = attempts.map(({ message }) => message.id);
    const reports = (state: "delivered" | "failed") => ids.map((id) => report(`up_${id}`, state));
    await Promise.all(attempts.map((attempt) => record(attempt, accepted(`up_${attempt.message.id}`))));
    await applyReceipts("vonage", reports("delivered"));
    vi.useRealTimers();
    await runDeliveryJobs(endpoint.id);
    await pool().query("UPDATE webhook_deliveries SET status = 'abandoned' WHERE endpoint_id = $1", [endpoint.id]);
    env().RETENTION_BODIES_DAYS = 1;
    const redacted = await Promise.all([
      ...ids.map((id) => redactMessage(account.actor, id)),
      ...ids.toReversed().map((id) => redactMessage(account.actor, id)),
      applyReceipts("vonage", reports("failed")),
      recoverDeliveries(account.actor, { id: endpoint.id, since: "2020-01-01T00:00:00Z" }),
      forgetOldData(),
    ]);
    expect(redacted.slice(0, 2 * ids.length)).toEqual(
      Array.from({ length: 2 * ids.length }, () => expect.objectContaining({ status: "delivered", body: "" })),
    );
    expect(await contradictions(account.accountId)).toEqual([]);
  });
});
