import { expect, test } from "vitest";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { startWebhook } from "@/test/database/webhooks";
import { ensureTestAccount } from "../accounts/test-mode";
import type { SessionActor } from "../core/actor";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import { search } from "./service";

async function store({ accountId }: TestAccount, to: string, reference: string | null = null): Promise<string> {
  const id = newId("message");
  await pool().query(
    `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
       currency, chain, created_at, reference)
     VALUES ($1, $2, $3, 'DEMO', 'Hello', 'GSM-7', 1, 'sent', 10000, 'USD', '{sandbox}', now(), $4)`,
    [id, accountId, to, reference],
  );
  return id;
}

const find = async (actor: SessionActor, text: string) =>
  (await search(actor, { text })).items.map(({ kind, id }) => `${kind} ${id}`);

test("a message is found by its id, its reference, and a part of its number however that is grouped", async () => {
  const account = await makeAccount();
  const person = personOf(account);
  const id = await store(account, "+14155550123", "order-7");
  for (const text of [id, "order-7", "+1 (415) 555", "50123"])
    expect(await find(person, text)).toEqual([`message ${id}`]);
  expect(await find(person, "order")).toEqual([]);
});

test("endpoints, keys and senders are found by id and by a part of their name, literally", async () => {
  const { account, endpoint, receiver } = await startWebhook();
  const person = personOf(account);
  expect(await find(person, endpoint.id)).toEqual([`webhook_endpoint ${endpoint.id}`]);
  expect(await find(person, new URL(receiver.url).host)).toEqual([`webhook_endpoint ${endpoint.id}`]);
  expect(await find(person, account.keyId)).toEqual([`api_key ${account.keyId}`]);
  const { rows } = await pool().query("SELECT id FROM senders WHERE account_id = $1 AND sender_id = $2", [
    account.accountId,
    account.senderId,
  ]);
  expect(await find(person, account.senderId.toLowerCase())).toContain(`sender ${rows[0]?.id}`);
  expect(await find(person, "%_")).toEqual([]);
  await receiver.close();
});

test("an event is found by its id, with its message", async () => {
  const account = await makeAccount();
  const messageId = await store(account, "+14155550124");
  const id = newId("event");
  await pool().query(
    `INSERT INTO events (id, account_id, type, message_id, status, created_at)
     VALUES ($1, $2, 'message.sent', $3, 'sent', now())`,
    [id, account.accountId, messageId],
  );
  const { items } = await search(personOf(account), { text: id });
  expect(items).toMatchObject([{ kind: "event", id, message_id: messageId }]);
});

test("nothing of another account is found, and accounts by operators only", async () => {
  const [own, other] = [await makeAccount(), await makeAccount()];
  const id = await store(other, "+14155550125", "secret-order");
  for (const text of [id, "secret-order", "+14155550125", other.keyId, other.accountId]) {
    expect(await find(personOf(own), text)).toEqual([]);
    expect((await find(personOf(own, true), text)).filter((found) => !found.startsWith("account "))).toEqual([]);
  }
  expect(await find(personOf(own, true), other.accountId)).toEqual([`account ${other.accountId}`]);
});

test("operators find an account, and not its twin of test mode", async () => {
  const { accountId } = await makeAccount();
  const name = newId("account");
  await pool().query("UPDATE accounts SET name = $2 WHERE id = $1", [accountId, name]);
  const twin = await ensureTestAccount(accountId);
  for (const text of [name, twin, accountId]) {
    expect(await find(personOf({ accountId }, true), text)).toEqual(text === twin ? [] : [`account ${accountId}`]);
  }
});
