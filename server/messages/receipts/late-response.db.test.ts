/** Tests of a message centre that responds after the timeout, when its response is the only proof that it took the message. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { settleAttempts, startAttempts } from "@/server/messages/dispatch/run-attempt";
import { getMessage } from "@/server/messages/read";
import { closeAdapters } from "@/server/providers/registry";
import { accept, deliver, openCentre, receiptOf } from "@/test/carriers/smsc-scripted";
import { claimAttempts, pending } from "@/test/database/attempts";
import { runJobs } from "@/test/database/queue";
import { makeRoute } from "@/test/database/routes";
import { receiptTasks } from "@/worker/tasks";

const TIMEOUT_MS = 100;
const LATE_BY_MS = 300;

let centre: Awaited<ReturnType<typeof openCentre>>;

beforeAll(async () => {
  centre = await openCentre((...submit) => void setTimeout(accept, LATE_BY_MS, ...submit));
  Object.assign(process.env, {
    SMPP_URL: centre.url,
    SMPP_SYSTEM_ID: "we",
    SMPP_PASSWORD: "secret",
    PROVIDER_TIMEOUT_MS: String(TIMEOUT_MS),
    ON_UNKNOWN_OUTCOME: "hold",
  });
  await makeRoute({ chain: ["smpp"] });
});
afterEach(() => pool().query("DELETE FROM graphile_worker._private_jobs"));
afterAll(async () => {
  await closeAdapters();
  await centre.close();
});

/** Runs the jobs of receipts until the message has the status. */
const reaches = ({ account, id }: Awaited<ReturnType<typeof pending>>, status: string) =>
  expect
    .poll(async () => {
      await runJobs(receiptTasks);
      return (await getMessage(account.actor, id)).status;
    })
    .toBe(status);

test("a message that a centre took after the timeout is sent and billed, and its receipt is matched", async () => {
  const message = await pending();
  startAttempts(await claimAttempts([message.id]));
  await settleAttempts();
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "pending" });
  await reaches(message, "sent");
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({ provider_message_id: "a1" });
  expect((await deliver(centre.sessions[0], receiptOf("a1"))).command_status).toBe(0);
  await reaches(message, "delivered");
  const { rows } = await pool().query(
    "SELECT outcome, provider_message_id FROM message_attempts WHERE message_id = $1",
    [message.id],
  );
  expect(rows).toEqual([{ outcome: "accepted", provider_message_id: "a1" }]);
  expect((await checkLedger()).drifted).toEqual([]);
});

test("a long text with a late last part is sent, and delivered when all its parts are", async () => {
  const message = await pending("a".repeat(200));
  const first = centre.submits.length + 1;
  centre.onSubmit = (...submit) => void setTimeout(accept, submit[2] === first ? 0 : LATE_BY_MS, ...submit);
  startAttempts(await claimAttempts([message.id]));
  await settleAttempts();
  await reaches(message, "sent");
  await deliver(centre.sessions[0], receiptOf(`a${first}`));
  await runJobs(receiptTasks);
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "sent" });
  await deliver(centre.sessions[0], receiptOf(`a${first + 1}`));
  await reaches(message, "delivered");
});
