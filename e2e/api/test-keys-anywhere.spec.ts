/** Tests of an installation without sandbox, routes and providers for live messages. */
import { CARRIER_NAMES } from "../../test/carriers/all";
import { apiWith } from "../support/api";
import { testWith } from "../support/installation/installation-test";
import { expect } from "../test";

const test = testWith({ carriers: [], settings: { SANDBOX: "false" } });

test.describe.configure({ mode: "default" });

test("a test key sends where no provider is configured, while a live key has no route", async ({ installation }) => {
  const { web, database, makeAccount, makeTestKey } = installation;
  const { accountId, apiKey, sender } = await makeAccount();
  const testKey = await makeTestKey(accountId);
  expect(testKey).toMatch(/^ds_test_/);
  const [live, trial] = [apiWith(web, apiKey), apiWith(web, testKey)];
  const tried = await trial.post("/messages/send", { to: "+442071838750", from: "TEST", body: "Hello" });
  expect(tried.status).toBe(201);
  const statusOf = async () => (await trial.get(`/messages/${String(tried.body.data.id)}`)).body.data.status;
  await expect.poll(statusOf).toBe("delivered");
  const own = await live.post("/messages/send", { to: "+442071838750", from: sender, body: "Hello" });
  expect(own.body.data).toMatchObject({ status: "failed", error: { code: "no_route" } });
  expect(await database.booksOf(accountId)).toMatchObject({ balance: 100_000_000, ledger: 100_000_000, messages: 1 });
});

test("a provider that is not set up is refused by name, and nothing is billed", async ({ installation }) => {
  const { web, database, makeAccount } = installation;
  const { accountId, apiKey, sender } = await makeAccount();
  const live = apiWith(web, apiKey);
  const refused: unknown[] = [];
  for (const provider of CARRIER_NAMES) {
    const { status, body } = await live.post("/messages/send", {
      to: "+14155550123",
      from: sender,
      body: "Hi",
      provider,
    });
    refused.push([provider, status, body.error?.param, body.error?.details.reason]);
  }
  expect(refused).toEqual(CARRIER_NAMES.map((name) => [name, 400, "provider", "provider_not_configured"]));
  expect(await database.booksOf(accountId)).toMatchObject({ balance: 100_000_000, messages: 0 });
});
