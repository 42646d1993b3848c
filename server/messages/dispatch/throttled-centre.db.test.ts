/** Tests of messages that were begun together at a message centre that throttles us. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { settleAttempts, startAttempts } from "@/server/messages/dispatch/run-attempt";
import { getMessage } from "@/server/messages/read";
import { flushCounts } from "@/server/providers/health/counts";
import { closeAdapters, invalidateProviders, providerTable } from "@/server/providers/registry";
import { deleteSender } from "@/server/senders/service";
import { createSuppression } from "@/server/suppressions/service";
import { accept, openCentre, refuse } from "@/test/carriers/smsc-scripted";
import { claimAttempts } from "@/test/database/attempts";
import { drainQueue } from "@/test/database/queue";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { dispatchTasks } from "@/worker/tasks";

const THROTTLED = 0x58;
const AT_ONCE = 9;
/** The centre takes these of the messages that come at once. */
const TAKEN = 2;

let centre: Awaited<ReturnType<typeof openCentre>>;

beforeAll(() => makeRoute({ chain: ["smpp", "sandbox"] }));
// A new centre has not throttled us yet.
beforeEach(async () => {
  centre = await openCentre();
  Object.assign(process.env, { SMPP_URL: centre.url, SMPP_SYSTEM_ID: "we", SMPP_PASSWORD: "secret" });
  invalidateProviders();
});
afterEach(async () => {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  await centre.close();
});
afterAll(closeAdapters);

type Sent = { account: TestAccount; id: string; to: string };

async function send(account: TestAccount, at: number): Promise<Sent> {
  const to = `+1415555${String(at).padStart(4, "0")}`;
  const { id } = await sendMessage(account.actor, { to, from: account.senderId, body: "Hello" }, plainRequest());
  return { account, id, to };
}

/** Begins messages together, of which the centre throttles all but a few; from then on it takes everything. */
async function beginTogether(messages: readonly Sent[]): Promise<void> {
  centre.onSubmit = (...submit) => {
    const isThrottled = submit[2] > TAKEN && submit[2] <= messages.length;
    (isThrottled ? refuse(THROTTLED) : accept)(...submit);
  };
  startAttempts(await claimAttempts(messages.map(({ id }) => id)));
  await expect.poll(() => centre.submits.length).toBe(messages.length);
}

const read = ({ account, id }: Sent) => getMessage(account.actor, id);

test("those that the centre throttled are not written after a STOP, without a sender ID, or after their validity period", async () => {
  const revocations: { code: string; revoke: (message: Sent) => Promise<unknown> }[] = [
    { code: "blocklisted", revoke: ({ account, to }) => createSuppression(account.actor, { number: to }) },
    {
      code: "sender_not_approved",
      revoke: async ({ account }) => {
        const { rows } = await pool().query("SELECT id FROM senders WHERE account_id = $1", [account.accountId]);
        await deleteSender(account.actor, rows[0].id);
      },
    },
    {
      code: "expired",
      revoke: ({ id }) =>
        pool().query("UPDATE messages SET expires_at = now() - interval '1 second' WHERE id = $1", [id]),
    },
  ];
  const messages = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, at) => ({
      sent: await send(await makeAccount(), at),
      ...(revocations[at % revocations.length] as (typeof revocations)[number]),
    })),
  );
  await beginTogether(messages.map(({ sent }) => sent));
  await Promise.all(messages.map(({ sent, revoke }) => revoke(sent)));
  await settleAttempts();
  await drainQueue(dispatchTasks);

  const ended = await Promise.all(messages.map(async ({ sent, code }) => ({ code, message: await read(sent) })));
  const failed = ended.filter(({ message }) => message.status === "failed");
  expect(ended.filter(({ message }) => message.status === "sent")).toHaveLength(TAKEN);
  expect(failed).toHaveLength(AT_ONCE - TAKEN);
  for (const { message, code } of failed) expect(message).toMatchObject({ attempts: 0, cost: 0, error: { code } });
  expect(centre.submits).toHaveLength(AT_ONCE);
  expect((await checkLedger()).drifted).toEqual([]);
});

test("all are sent there when there is room, once each, and nothing counts against the centre", async () => {
  const account = await makeAccount();
  const messages = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => send(account, at)));
  await beginTogether(messages);
  // Messages without a turn soon enough are claimed no longer.
  await settleAttempts();
  await expect
    .poll(async () => {
      await drainQueue(dispatchTasks);
      return (await Promise.all(messages.map(read))).filter(({ status }) => status === "sent").length;
    })
    .toBe(AT_ONCE);

  for (const message of await Promise.all(messages.map(read)))
    expect(message).toMatchObject({ provider: "smpp", attempts: 1 });
  expect(centre.submits).toHaveLength(AT_ONCE + AT_ONCE - TAKEN);
  await flushCounts();
  const { rows } = await pool().query(
    "SELECT accepted, failed, throttled FROM provider_minutes WHERE provider = 'smpp'",
  );
  expect(rows.every(({ failed, throttled }) => Number(failed) + Number(throttled) === 0)).toBe(true);
  expect((await providerTable()).stateOf("smpp")).toMatchObject({ breaker: "closed", lastError: null });
  expect((await checkLedger()).drifted).toEqual([]);
});
