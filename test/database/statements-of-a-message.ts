import { expect } from "vitest";
import { pool } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { getMessage } from "@/server/messages/read";
import { dispatchTasks, receiptTasks, webhookTasks } from "@/worker/tasks";
import { type Statement, statementsOf } from "./plans";
import { startRunner } from "./queue";
import { makeRoute } from "./routes";
import { startWebhook } from "./webhooks";

/** The statements that a message causes, from its acceptance to its webhooks. */
export async function statementsOfAMessage(): Promise<Statement[]> {
  await makeRoute();
  const { account, receiver } = await startWebhook();
  const sent = await statementsOf(async () => {
    const runner = await startRunner({ ...dispatchTasks, ...receiptTasks, ...webhookTasks });
    // Its receipt comes before the response, so it is parked and joined with the outcome.
    const input = { to: "+15550100006", from: account.senderId, body: "Hello" };
    const { id } = await sendMessage(account.actor, input, { idempotency: () => null, responseHeaders: {} });
    await expect.poll(async () => (await getMessage(account.actor, id)).status).toBe("delivered");
    await expect.poll(() => receiver.received.length).toBe(2);
    // A receipt that came before the outcome of its attempt is looked up once more, two seconds later.
    const jobs = async () => (await pool().query("SELECT 1 FROM graphile_worker._private_jobs")).rowCount;
    await expect.poll(jobs).toBe(0);
    await runner.stop();
  });
  await receiver.close();
  return sent;
}
