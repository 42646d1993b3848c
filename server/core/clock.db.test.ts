import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createOnce } from "@/server/accounts/idempotency/create-once";
import type { IdempotentRequest } from "@/server/accounts/idempotency/request";
import { watchLedger } from "@/server/accounts/tasks";
import { authenticate } from "@/server/api-keys/authenticate";
import { addJob } from "@/server/core/add-jobs";
import { pool } from "@/server/core/db";
import { newId, timeOfId } from "@/server/core/ids";
import type { InboundReport } from "@/server/core/jobs";
import { takeInbound } from "@/server/inbound/tasks";
import { sendMessage } from "@/server/messages/accept/send";
import { serveThrottleQueue } from "@/server/messages/dispatch/serve-throttle-queue";
import { listMessages } from "@/server/messages/lists/list-messages";
import { getMessage } from "@/server/messages/read";
import { countCallback, flushCounts } from "@/server/providers/health/counts";
import { updateProviderHealth } from "@/server/providers/health/provider-health";
import { invalidateProviders } from "@/server/providers/registry";
import { drainProvider, getProvider } from "@/server/providers/service";
import { takeCallback } from "@/server/providers/store-callback";
import { createSender } from "@/server/senders/service";
import { listSuppressions } from "@/server/suppressions/service";
import { sweepWebhooks } from "@/server/webhooks/tasks";
import { claimAttempts } from "@/test/database/attempts";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { deliveriesOf, makeMessages, raiseEvents, runDeliveryJobs, startWebhook } from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";

const HOUR_MS = 3_600_000;
const operator = { kind: "session", accountId: "acc_none", userId: "usr_operator", isOperator: true } as const;
const keyed = (): IdempotentRequest => ({ idempotency: () => ({ key: "k", requestHash: "h" }), responseHeaders: {} });
const UNASKED: IdempotentRequest = { idempotency: () => null, responseHeaders: {} };

beforeAll(() => {
  process.env.SENDER_AUTO_APPROVE_S = "120";
});

/** Moves this process's clock forward or back; 0 restores it. */
const setClock = (byMs: number) => {
  vi.useRealTimers();
  if (byMs !== 0) vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + byMs });
};

afterEach(async () => {
  vi.useRealTimers();
  await pool().query("DELETE FROM graphile_worker._private_jobs");
});

/** Seconds from now, by the database's clock, until the last job of a name is due. */
async function dueInS(name: string): Promise<number> {
  const { rows } = await pool().query<{ inS: number }>(
    `SELECT extract(epoch FROM run_at - now())::float8 AS "inS" FROM graphile_worker.jobs
     WHERE task_identifier = $1 ORDER BY id DESC LIMIT 1`,
    [name],
  );
  return rows[0]?.inS ?? Number.NaN;
}

describe.each([
  ["an hour ahead of the database's", HOUR_MS],
  ["an hour behind the database's", -HOUR_MS],
])("in a process whose clock is %s", (_, skewMs) => {
  test("a delayed job is due after its delay", async () => {
    const { actor } = await makeAccount();
    setClock(skewMs);
    await addJob(pool(), "sweep_messages", {}, { runAt: new Date(Date.now() + 600_000) });
    expect(Math.abs((await dueInS("sweep_messages")) - 600)).toBeLessThan(300);
    await createSender(actor, { sender_id: "Acme" }, UNASKED);
    expect(await dueInS("review_sender")).toBeGreaterThan(-300);
  });

  test("an API key works until it expires, and no longer", async () => {
    const { keyId, plainKey } = await makeAccount();
    const expire = (inMinutes: number) =>
      pool().query("UPDATE api_keys SET expires_at = now() + $2 * interval '1 minute' WHERE id = $1", [
        keyId,
        inMinutes,
      ]);
    await expire(10);
    setClock(skewMs);
    expect((await authenticate(`Bearer ${plainKey}`)).id).toBe(keyId);
    await expire(-10);
    const refusal = () => authenticate(`Bearer ${plainKey}`).catch((thrown) => thrown.wire?.details.reason);
    await expect.poll(refusal).toBe("key_expired");
  });

  test("an Idempotency-Key is valid for 24 hours", async () => {
    const { actor } = await makeAccount();
    setClock(skewMs);
    let times = 0;
    const once = () => createOnce(actor, keyed(), { carryOut: async () => ++times });
    const age = (by: string) =>
      pool().query("UPDATE idempotency_keys SET created_at = created_at - $2::interval WHERE account_id = $1", [
        actor.accountId,
        by,
      ]);
    expect(await once()).toBe(1);
    await age("23 hours 30 minutes");
    expect(await once()).toBe(1);
    await age("1 hour");
    expect(await once()).toBe(2);
  });

  test("a provider's counters use the same minutes as other processes", async () => {
    setClock(skewMs);
    const received = async () => (await getProvider(operator, { id: "plivo" })).last_hour.receipts;
    const before = await received();
    countCallback("plivo", "receipts");
    await flushCounts();
    setClock(0);
    expect(await received()).toBe(before + 1);
  });

  test("a message that waits for a drained provider fails after ten minutes", async () => {
    const account = await makeAccount();
    const route = await makeRoute({ chain: ["sandbox"] });
    const input = { to: "+14155550123", from: account.senderId, body: "Hello", route_id: route };
    await drainProvider(operator, { id: "sandbox", is_drained: true });
    await updateProviderHealth();
    const { id } = await sendMessage(account.actor, input, UNASKED);
    await claimAttempts([id]);
    setClock(skewMs);
    const serve = async () => {
      invalidateProviders();
      await serveThrottleQueue();
      return (await getMessage(account.actor, id)).status;
    };
    const age = (minutes: number) =>
      Promise.all(
        [
          "UPDATE providers SET unavailable_since = unavailable_since - $1 * interval '1 minute'",
          "UPDATE waiting_messages SET created_at = created_at - $1 * interval '1 minute'",
        ].map((text) => pool().query(text, [minutes])),
      );
    expect(await serve()).toBe("pending");
    await age(9);
    expect(await serve()).toBe("pending");
    await age(2);
    await expect.poll(serve).toBe("failed");
    await drainProvider(operator, { id: "sandbox", is_drained: false });
  });

  test("a webhook is tried again after 30 seconds, and is not swept before", async () => {
    const { account, endpoint, receiver } = await startWebhook(status(500));
    setClock(skewMs);
    await raiseEvents(account, await makeMessages(account, 1));
    await runDeliveryJobs(endpoint.id);
    setClock(0);
    const [delivery] = await deliveriesOf(endpoint.id);
    expect(Math.abs(Number(delivery?.nextAttemptAt) - Date.now() - 30_000)).toBeLessThan(HOUR_MS / 2);
    await pool().query("DELETE FROM graphile_worker._private_jobs");
    const sweep = async () => {
      await sweepWebhooks();
      return (await pool().query("SELECT FROM graphile_worker._private_jobs")).rowCount;
    };
    setClock(skewMs);
    expect(await sweep()).toBe(0);
    await pool().query("UPDATE webhook_deliveries SET next_attempt_at = now() - interval '6 minutes' WHERE id = $1", [
      delivery?.id,
    ]);
    expect(await sweep()).toBe(1);
    await receiver.close();
  });

  test("the last of STOP and START counts, whichever process received it", async () => {
    const account = await makeAccount();
    const line = `1646${String(Math.floor(Math.random() * 1e7)).padStart(7, "0")}`;
    await pool().query(
      "INSERT INTO senders (id, account_id, sender_id, type, status) VALUES ($1, $2, $3, 'numeric', 'approved')",
      [newId("sender"), account.accountId, line],
    );
    const others = "+14155550124";
    /** A message of somebody else that came now, as if from the handset in question. */
    const receive = async (text: string): Promise<InboundReport[]> => {
      const message = { providerMessageId: newId("inbound"), from: others, to: `+${line}`, text: `${text} please` };
      await takeCallback("twilio", { reports: [], inbound: [message] }, []);
      const { rows } = await pool().query<{ receivedAt: Date }>(
        `SELECT received_at AS "receivedAt" FROM inbound_messages WHERE provider_message_id = $1`,
        [message.providerMessageId],
      );
      const receivedAt = rows[0]?.receivedAt.toISOString() ?? "";
      return [{ providerMessageId: newId("inbound"), from: "+14155550123", to: `+${line}`, text, receivedAt }];
    };
    // The time of receipt is the database's time minus the time since, which is accurate to some milliseconds on a busy machine.
    const pause = () => pool().query("SELECT pg_sleep(0.2)");
    setClock(skewMs);
    const first = await receive("STOP");
    setClock(0);
    await pause();
    const second = await receive("START");
    await pause();
    setClock(skewMs);
    const third = await receive("STOP");
    for (const messages of [first, third, second]) await takeInbound({ provider: "twilio", messages });
    expect((await listSuppressions(account.actor, { page: 1, limit: 10 })).pagination.total).toBe(1);
    setClock(0);
    await takeInbound({ provider: "twilio", messages: await receive("START") });
    expect((await listSuppressions(account.actor, { page: 1, limit: 10 })).pagination.total).toBe(0);
  });
});

describe("in a process whose clock was days ahead and was then set back", () => {
  const DAY_MS = 24 * HOUR_MS;
  const PAGE = { page: 1, limit: 10 } as const;
  const send = ({ actor, senderId }: TestAccount) =>
    sendMessage(actor, { to: "+14155550123", from: senderId, body: "Hello" }, UNASKED);

  beforeEach(async () => {
    await makeRoute({ chain: ["sandbox"] });
    setClock(16 * DAY_MS);
    newId("message");
    setClock(0);
  });

  test("new messages and replies are found by their times", async () => {
    const account = await makeAccount();
    const { id } = await send(account);
    const created_before = new Date(Date.now() + HOUR_MS).toISOString();
    const { items } = await listMessages(account.actor, { ...PAGE, created_before });
    expect(items.map((message) => message.id)).toEqual([id]);
    expect(timeOfId(newId("inbound")).getTime()).toBeLessThan(Date.parse(created_before));
  });

  test("a message counts against the hourly limit for an hour", async () => {
    const account = await makeAccount();
    await pool().query("UPDATE accounts SET flood_total = 1 WHERE id = $1", [account.accountId]);
    const statuses = [(await send(account)).status, (await send(account)).status];
    setClock(2 * HOUR_MS);
    statuses.push((await send(account)).status);
    expect(statuses).toEqual(["pending", "failed", "pending"]);
  });

  test("the hourly check of the ledger finds its messages where they were billed", async () => {
    const account = await makeAccount();
    await pool().query("UPDATE ledger_entries SET created_at = created_at - interval '6 days'");
    setClock(11 * DAY_MS);
    newId("message");
    setClock(-5 * DAY_MS);
    await send(account);
    setClock(0);
    const { drifted, chapters } = await watchLedger();
    expect([...drifted, ...chapters].filter(({ accountId }) => accountId === account.accountId)).toEqual([]);
    const { rows } = await pool().query("SELECT 1 FROM ledger_closings WHERE account_id = $1", [account.accountId]);
    expect(rows.length).toBeGreaterThan(0);
  });
});
