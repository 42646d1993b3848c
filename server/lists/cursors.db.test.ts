/** Each list of the REST API, walked by cursors while rows are added between its pages. */
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { makeMessages, raiseEvents, recordWaitingOf } from "@/test/database/webhooks";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import { listInbound } from "../inbound/service";
import { takeInbound } from "../inbound/tasks";
import { listMessages } from "../messages/lists/list-messages";
import { listSenders } from "../senders/service";
import { createSuppression, listSuppressions } from "../suppressions/service";
import { listDeliveries } from "../webhooks/history/list-deliveries";
import { listEvents } from "../webhooks/history/list-events";
import { createEndpoint } from "../webhooks/service";

type Query = { page: number; limit: number; cursor?: string | undefined };
type Page = { items: { id: string }[]; next_cursor: string | null };
/** `read`: one page. `add`: another row. */
type List = { read: (query: Query) => Promise<Page>; add: () => Promise<unknown> };

const newNumber = () => `+1415${randomInt(1_000_000, 9_999_999)}`;

async function endpointOf(account: TestAccount): Promise<string> {
  return (await createEndpoint(account.actor, { url: "http://127.0.0.1:9/hook" })).id;
}

const LISTS: Record<string, (account: TestAccount) => Promise<List>> = {
  messages: async (account) => ({
    read: (query) => listMessages(account.actor, query),
    add: () => makeMessages(account, 1),
  }),
  "messages with a pair of metadata": async (account) => ({
    read: (query) => listMessages(account.actor, { ...query, metadata: { run: "7" } }),
    add: async () => {
      const [id] = await makeMessages(account, 1);
      await pool().query("INSERT INTO message_metadata VALUES ($1, 'run', '7', $2)", [account.accountId, id]);
    },
  }),
  "messages in a status": async (account) => ({
    read: (query) => listMessages(account.actor, { ...query, status: "failed" }),
    add: () => makeMessages(account, 1, "failed"),
  }),
  inbound: async (account) => {
    const line = newNumber();
    await pool().query(
      "INSERT INTO senders (id, account_id, sender_id, type, status) VALUES ($1, $2, $3, 'numeric', 'approved')",
      [newId("sender"), account.accountId, line],
    );
    const report = () => ({
      providerMessageId: newId("inbound"),
      from: newNumber(),
      to: line,
      text: "Hello",
      receivedAt: new Date().toISOString(),
    });
    return {
      read: (query) => listInbound(account.actor, query),
      add: () => takeInbound({ provider: "twilio", messages: [report()] }),
    };
  },
  events: async (account) => ({
    read: (query) => listEvents(account.actor, query),
    add: async () => raiseEvents(account, await makeMessages(account, 1)),
  }),
  deliveries: async (account) => {
    const id = await endpointOf(account);
    return {
      read: (query) => listDeliveries(account.actor, { ...query, id }),
      add: async () => {
        await raiseEvents(account, await makeMessages(account, 1));
        await recordWaitingOf(id);
      },
    };
  },
  suppressions: async (account) => ({
    read: (query) => listSuppressions(account.actor, query),
    add: () => createSuppression(account.actor, { number: newNumber() }),
  }),
  senders: async (account) => ({
    read: (query) => listSenders(account.actor, query),
    add: () =>
      pool().query(
        "INSERT INTO senders (id, account_id, sender_id, type, status) VALUES ($1, $2, $1, 'numeric', 'pending')",
        [newId("sender"), account.accountId],
      ),
  }),
};

test.each(Object.keys(LISTS))(
  "%s: rows that are added between pages neither repeat a row nor hide one",
  async (name) => {
    const account = await makeAccount();
    const list = await LISTS[name]?.(account);
    if (!list) throw new Error(`There is no list of ${name}.`);
    for (let count = 0; count < 7; count += 1) await list.add();
    const expected = (await list.read({ page: 1, limit: 100 })).items.map(({ id }) => id);
    expect(expected.length).toBeGreaterThanOrEqual(7);
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { items, next_cursor: next } = await list.read({ page: 1, limit: 3, cursor });
      found.push(...items.map(({ id }) => id));
      await list.add();
      cursor = next;
    }
    expect(found).toEqual(expected);
  },
);

test.each(Object.keys(LISTS))("%s: a cursor of another list is refused", async (name) => {
  const account = await makeAccount();
  const list = await LISTS[name]?.(account);
  const cursor = Buffer.from("acc_01k9x7t4m2e8v5q3r6w1y0z8an 2 9").toString("base64url");
  await expect(list?.read({ page: 1, limit: 3, cursor })).rejects.toMatchObject({
    status: 400,
    wire: { param: "cursor", details: { reason: "invalid_cursor" } },
  });
});
