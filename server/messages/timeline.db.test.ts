import { afterEach, beforeAll, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool, prisma } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { rescheduleMessage } from "@/server/messages/changes/reschedule";
import { getMessageDetail, getTimeline } from "@/server/messages/read";
import type { TimelineEntry } from "@/server/messages/timeline-schema";
import { createEndpoint } from "@/server/webhooks/service";
import { drainQueue, runJobs } from "@/test/database/queue";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { type Receiver, startReceiver, status } from "@/test/network/receiver";
import { dispatchTasks, receiptTasks, webhookTasks } from "@/worker/tasks";

const receivers: Receiver[] = [];

beforeAll(async () => {
  await makeRoute({ priceMicros: 10_000 });
  await makeRoute({ prefix: "15550100004", chain: ["sandbox", "sandbox"], priceMicros: 10_000 });
});

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function makeCustomer() {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const account = await makeAccount();
  const endpoint = await createEndpoint(account.actor, { url: receiver.url }, plainRequest());
  return { account, endpoint, receiver };
}

const send = (account: TestAccount, to: string) =>
  sendMessage(account.actor, { to, from: account.senderId, body: "Hello" }, plainRequest());

/** Labels of all entries, in order. */
const labelsOf = (entries: TimelineEntry[]) => entries.map(labelOf);

function labelOf({ kind, details }: TimelineEntry): string {
  switch (kind) {
    case "accepted":
      return kind;
    case "rescheduled":
      return `${kind}:${details.times}`;
    case "money":
      return `money:${details.kind}`;
    case "attempt":
      return `attempt:${details.seq}:${details.outcome}`;
    case "receipt":
      return `receipt:${details.status}:${details.applied}`;
    case "event":
      return `event:${details.type}`;
    case "webhook_try":
      return `webhook_try:${details.status_code}`;
  }
}

async function timelineAfterAll(account: TestAccount, id: string) {
  await drainQueue({ ...dispatchTasks, ...receiptTasks });
  await drainQueue(webhookTasks);
  const timeline = await getTimeline(account.actor, id);
  expect(timeline).toMatchObject({ object: "timeline", message_id: id });
  const times = timeline.entries.map((entry) => Date.parse(entry.at));
  expect(times).toEqual([...times].sort((one, other) => one - other));
  return timeline.entries;
}

test("a receipt that comes before the response to its own send is listed at its time, before its effects", async () => {
  const { account, endpoint, receiver } = await makeCustomer();
  const { id } = await send(account, "+15550100006");
  const dispatched = drainQueue(dispatchTasks);
  // The carrier has queued its receipt and responds a second later.
  const waiting = () => pool().query("SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = 'apply_receipts'");
  await expect.poll(async () => (await waiting()).rowCount).toBe(1);
  await runJobs(receiptTasks);
  await dispatched;
  const entries = await timelineAfterAll(account, id);
  expect(labelsOf(entries)).toEqual([
    "accepted",
    "money:reserve",
    "attempt:1:accepted",
    "receipt:delivered:true",
    "money:settle",
    "event:message.sent",
    "event:message.delivered",
    "webhook_try:200",
    "webhook_try:200",
  ]);
  expect(entries.filter((entry) => entry.kind === "webhook_try").map((entry) => entry.details)).toEqual(
    expect.arrayContaining(
      entries
        .filter((entry) => entry.kind === "event")
        .map((entry) => ({
          event_id: entry.details.event_id,
          endpoint_id: endpoint.id,
          url: receiver.url,
          attempt: 1,
          round: 0,
          status_code: 200,
          latency_ms: expect.any(Number),
          error: null,
        })),
    ),
  );
});

test("repeated and contradictory receipts are all listed, and only one of them is applied", async () => {
  const { account } = await makeCustomer();
  const { id } = await send(account, "+15550100007");
  const labels = labelsOf(await timelineAfterAll(account, id));
  expect(labels.slice(0, 5)).toEqual([
    "accepted",
    "money:reserve",
    "attempt:1:accepted",
    "money:settle",
    "event:message.sent",
  ]);
  expect(labels.slice(5).sort()).toEqual([
    "event:message.delivered",
    "receipt:delivered:false",
    "receipt:delivered:true",
    "receipt:sent:false",
    "webhook_try:200",
    "webhook_try:200",
  ]);
  expect(labels.indexOf("event:message.delivered")).toBe(labels.indexOf("receipt:delivered:true") + 1);
});

test("a message that no provider took ends with its refund and its event, and the reason", async () => {
  const { account, receiver } = await makeCustomer();
  receiver.respondWith(status(500));
  const { id } = await send(account, "+15550100004");
  await drainQueue({ ...dispatchTasks, ...receiptTasks });
  const { entries } = await getTimeline(account.actor, id);
  expect(labelsOf(entries)).toEqual([
    "accepted",
    "money:reserve",
    "attempt:1:retryable",
    "attempt:2:retryable",
    "money:refund",
    "event:message.failed",
  ]);
  expect(entries.at(-1)?.summary).toContain("The provider responded with 503.");
  expect(entries.map((entry) => (entry.kind === "money" ? entry.details.amount : 0))).toEqual([
    0, -0.01, 0, 0, 0.01, 0,
  ]);
});

test("a rescheduled message keeps the time of its acceptance, however often it is rescheduled", async () => {
  const account = await makeAccount();
  const [first, second, third] = [1, 2, 3].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  const { id } = await sendMessage(
    account.actor,
    { to: "+15550100001", from: account.senderId, body: "Hello", send_at: first },
    plainRequest(),
  );
  expect((await getMessageDetail(account.actor, id)).rescheduled).toBeNull();
  for (const send_at of [second, third, third])
    await rescheduleMessage(account.actor, id, { send_at: send_at ?? null });
  const { entries } = await getTimeline(account.actor, id);
  expect(labelsOf(entries)).toEqual(["accepted", "money:reserve", "rescheduled:2"]);
  expect(entries.map(({ details }) => ("scheduled_at" in details ? details.scheduled_at : null))).toEqual([
    first,
    null,
    third,
  ]);
  const detail = await getMessageDetail(account.actor, id);
  expect(detail.rescheduled).toEqual({ at: entries.at(-1)?.at, times: 2 });
  expect(detail.message.scheduled_at).toBe(third);
});

test("the detail of a message names the key that sent it; for a person it names none", async () => {
  const account = await makeAccount();
  const { id } = await send(account, "+15550100001");
  const { name } = await prisma().apiKey.findUniqueOrThrow({ where: { id: account.keyId } });
  expect((await getMessageDetail(account.actor, id)).api_key).toEqual({ id: account.keyId, name });
  const byPerson = await send({ ...account, actor: personOf(account) }, "+15550100001");
  expect((await getMessageDetail(account.actor, byPerson.id)).api_key).toBeNull();
});
