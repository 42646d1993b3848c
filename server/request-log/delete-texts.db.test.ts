/** The text of a message deleted from the requests that sent it. */
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { restServerOfFile } from "@/test/database/rest-server";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { transaction } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";
import { deleteLoggedTexts } from "./delete-texts";
import { writeAll } from "./log-request";
import { getRequest, listRequests } from "./service";

const url = restServerOfFile();

beforeAll(() => makeRoute());
beforeEach(() => {
  env().REQUEST_LOG_TEXTS = true;
});
afterEach(() => {
  env().REQUEST_LOG_TEXTS = false;
});

const TEXT = "Your code is 4711";

/** Posts over HTTP. @returns the data of the response. */
async function post<T>(account: TestAccount, path: string, key: string, input: Record<string, unknown>): Promise<T> {
  const response = await fetch(`${url()}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${account.plainKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify({ from: account.senderId, body: TEXT, ...input }),
  });
  return ((await response.json()) as { data: T }).data;
}

/** Sends over HTTP. @returns the id of the message. */
const send = async (account: TestAccount, key: string): Promise<string> =>
  (await post<{ id: string }>(account, "/messages/send", key, { to: "+14155550123", metadata: { order: "7" } })).id;

/** Sends in bulk over HTTP. @returns the ids of the messages. */
async function sendBulk(account: TestAccount, recipients: string[]): Promise<string[]> {
  const { messages } = await post<{ messages: { id: string }[] }>(account, "/messages/bulk", newId("request"), {
    recipients,
  });
  return messages.map(({ id }) => id);
}

/** The logged bodies of the account, oldest first. */
async function bodiesOf(account: TestAccount): Promise<unknown[]> {
  const { items } = await listRequests(personOf(account), { limit: 50 });
  const details = await Promise.all(items.reverse().map(({ id }) => getRequest(personOf(account), id)));
  return details.map(({ request_body: body }) => JSON.parse(body ?? "null"));
}

const deleteTexts = (id: string, { accountId }: TestAccount) =>
  transaction((tx) => deleteLoggedTexts(tx, { id, accountId }));

test("the request that sent a message and those that repeated it lose the text, and keep the rest", async () => {
  const account = await makeAccount();
  const id = await send(account, "one");
  expect(await send(account, "one")).toBe(id);
  await send(account, "two");
  await writeAll();
  const kept = { to: "+14155550123", from: account.senderId, body: TEXT, metadata: { order: "7" } };
  const cleared = { ...kept, body: "[deleted]" };
  expect(await bodiesOf(account)).toEqual([kept, kept, kept]);
  await deleteTexts(id, account);
  expect(await bodiesOf(account)).toEqual([cleared, cleared, kept]);
});

test("a bulk send loses its text with any of its messages, and other bulk sends keep theirs", async () => {
  const account = await makeAccount();
  const recipients = ["+14155550123", "+14155550124", "+14155550125"];
  const [before] = await sendBulk(account, recipients);
  const [, middle, last] = await sendBulk(account, recipients);
  await sendBulk(account, recipients);
  await writeAll();
  const kept = { from: account.senderId, body: TEXT, recipients };
  const cleared = { ...kept, body: "[deleted]" };
  await deleteTexts(middle ?? "", account);
  expect(await bodiesOf(account)).toEqual([kept, cleared, kept]);
  await deleteTexts(last ?? "", account);
  await deleteTexts(before ?? "", account);
  expect(await bodiesOf(account)).toEqual([cleared, cleared, kept]);
});

test("without REQUEST_LOG_TEXTS nothing is looked for", async () => {
  const account = await makeAccount();
  const id = await send(account, "one");
  await writeAll();
  env().REQUEST_LOG_TEXTS = false;
  await deleteTexts(id, account);
  expect(JSON.stringify(await bodiesOf(account))).toContain(TEXT);
});

test("requests of another account are left alone, whatever they name", async () => {
  const [account, other] = [await makeAccount(), await makeAccount()];
  const id = await send(account, "one");
  await writeAll();
  await deleteTexts(id, other);
  expect(JSON.stringify(await bodiesOf(account))).toContain(TEXT);
});
