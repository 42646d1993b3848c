/** The text of a message deleted from the requests that sent it. */
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { restServerOfFile } from "@/test/database/rest-server";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { transaction } from "../core/db";
import { env } from "../core/env";
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

/** Sends over HTTP. @returns the id of the message. */
async function send(account: TestAccount, key: string): Promise<string> {
  const response = await fetch(`${url()}/messages/send`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${account.plainKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify({ to: "+14155550123", from: account.senderId, body: TEXT, metadata: { order: "7" } }),
  });
  return ((await response.json()) as { data: { id: string } }).data.id;
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
