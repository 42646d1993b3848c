/** Messages of bulk sends lead to the request that sent them. */
import { expect, test } from "vitest";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { plainRequest } from "../accounts/idempotency/request";
import { pool } from "../core/db";
import { firstIdAt, newId, timeOfId } from "../core/ids";
import { sendBulk } from "../messages/accept/send";
import { SendBulkInput } from "../messages/schema";
import { logRequest, writeAll } from "./log-request";
import { findRequestOf } from "./service";

const CALLER = { address: "192.0.2.1", userAgent: null };

/** Text that resembles the beginning of a message. */
const BODY = 'Hi {"id":"msg_00000000000000000000000000"';

/** A bulk send, logged as the API does. @returns the id of the request, and those of its messages. */
async function sendMany(account: TestAccount, recipients: string[]) {
  const request = newId("request");
  const input = SendBulkInput.parse({ recipients, from: account.senderId, body: BODY });
  const result = await sendBulk(account.actor, input, plainRequest());
  await note(account, request, JSON.stringify({ success: true, data: result, meta: { request_id: request } }));
  return { request, ids: result.messages.map(({ id }) => id) };
}

async function note({ accountId, keyId }: TestAccount, id: string, response: string): Promise<void> {
  const asked = {
    method: "POST",
    path: "/messages/bulk",
    query: "",
    status: 201,
    latencyMs: 1,
    operation: "messages.bulk",
    ...CALLER,
  };
  logRequest({ id, accountId, keyId, input: {}, inputBytes: 2, response, ...asked });
  await writeAll();
}

const sentBy = async (account: TestAccount, ids: string[]) =>
  Promise.all(ids.map(async (id) => (await findRequestOf(personOf(account), id)).request_id));

test("each message of a bulk send does, also those that failed at once, and none of others", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  const first = await sendMany(account, ["+14155550123", "nobody", "+14155550124"]);
  const second = await sendMany(account, ["+14155550125"]);
  const later = newId("message");
  expect(first.ids).toHaveLength(3);
  expect(await sentBy(account, first.ids)).toEqual(first.ids.map(() => first.request));
  expect(await sentBy(account, second.ids)).toEqual([second.request]);
  expect(await sentBy(account, [later])).toEqual([null]);
  expect(await sentBy(stranger, first.ids)).toEqual([null, null, null]);
});

test("a repetition of the request is not the one that sent them", async () => {
  const account = await makeAccount();
  const { request, ids } = await sendMany(account, ["+14155550123", "+14155550124"]);
  const after = firstIdAt("request", new Date(timeOfId(ids[1] ?? "").getTime() + 5));
  const messages = ids.map((id) => ({ id }));
  const data = { object: "bulk_result", total: 2, sent: 2, failed: 0, messages };
  await note(account, after, JSON.stringify({ success: true, data }));
  expect(await sentBy(account, ids)).toEqual([request, request]);
});

test("none is named where the key sent another message between them, or one was forgotten", async () => {
  const account = await makeAccount();
  const { ids } = await sendMany(account, ["+14155550123", "+14155550124", "+14155550125"]);
  await pool().query("DELETE FROM messages WHERE id = $1", [ids[1]]);
  expect(await sentBy(account, ids)).toEqual([null, null, null]);
  const [one, two, three] = [newId("message"), newId("message"), newId("message")];
  await pool().query(
    `INSERT INTO messages (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency, chain, created_at)
     SELECT id, $2, $3, '+14155550123', 'DEMO', 'Hi', 'GSM-7', 1, 'sent', 0, 'USD', '{}', now() FROM unnest($1::text[]) AS id`,
    [[one, two, three], account.accountId, account.keyId],
  );
  const data = { object: "bulk_result", total: 2, sent: 2, failed: 0, messages: [{ id: one }, { id: three }] };
  const request = firstIdAt("request", new Date(timeOfId(one).getTime() - 5));
  await note(account, request, JSON.stringify({ success: true, data }));
  expect(await sentBy(account, [one, two, three])).toEqual([null, null, null]);
});

test("a refused bulk send names no messages", async () => {
  const account = await makeAccount();
  const request = newId("request");
  const refused = { method: "POST", path: "/messages/bulk", query: "", status: 400, latencyMs: 1, operation: null };
  const response = '{"success":false,"error":{"code":"invalid_request"}}';
  logRequest({
    ...refused,
    ...CALLER,
    id: request,
    accountId: account.accountId,
    keyId: account.keyId,
    input: {},
    inputBytes: 2,
    response,
  });
  await writeAll();
  const { rows } = await pool().query("SELECT messages FROM request_log WHERE id = $1", [request]);
  expect(rows).toEqual([{ messages: null }]);
});
