import { newCustomer, newNumber, takenBy, takenFor } from "../support/installation/customer";
import { expect, testWith } from "../support/installation/installation-test";

const CARRIERS = ["twilio", "plivo", "vonage", "telnyx", "messagebird"] as const;
/** Longer than a worker's lease lasts in this test. */
const TIMEOUT_MS = 20_000;

const test = testWith({ carriers: CARRIERS, settings: { PROVIDER_TIMEOUT_MS: String(TIMEOUT_MS) } });

test.describe.configure({ mode: "default" });

test("three providers fail in three ways, and the fourth has the message once", async ({ installation }) => {
  const { twilio, plivo, vonage, telnyx } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("twilio", "plivo", "vonage", "telnyx"));
  const to = newNumber();
  twilio.plan(to, { kind: "unavailable" });
  plivo.plan(to, { kind: "reset-unread" });
  vonage.plan(to, { kind: "account" });
  const id = await customer.send(to);
  const sent = await customer.reaches(id, "sent");
  const taken = await takenBy(telnyx, to);
  expect(sent).toMatchObject({ provider: "telnyx", provider_message_id: taken.ids[0], attempts: 4, cost: 0.01 });

  await test.step("the timeline shows all four, and one charge", async () => {
    expect(await customer.attempts(id)).toEqual([
      { provider: "twilio", outcome: "retryable", code: "20503" },
      // It is unknown whether a request was read before its connection was reset.
      { provider: "plivo", outcome: "unknown", code: expect.stringMatching(/und_err_socket|econnreset/) },
      { provider: "vonage", outcome: "retryable", code: "4" },
      { provider: "telnyx", outcome: "accepted", code: null },
    ]);
    expect(await customer.money(id)).toEqual(["reserve", "settle"]);
    const { charges, refunds, held } = await installation.database.booksOf(customer.account.accountId);
    expect({ charges, refunds, held }).toEqual({ charges: 1, refunds: 0, held: 0 });
  });

  await test.step("no other carrier took it, each was asked once", async () => {
    for (const carrier of [twilio, plivo, vonage]) expect(takenFor(carrier, to)).toEqual([]);
    for (const carrier of [twilio, plivo, vonage, telnyx]) expect(carrier.requestsFor(to)).toBe(1);
  });

  await test.step("its receipt decides", async () => {
    expect(await telnyx.report(taken, "delivered", "")).toEqual([200]);
    await customer.reaches(id, "delivered");
    expect((await customer.events(id)).map((event) => event.type)).toEqual(["message.sent", "message.delivered"]);
  });
});

test("all providers of a chain fail: the message has failed and is refunded", async ({ installation }) => {
  const { twilio, plivo } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("twilio", "plivo"));
  const to = newNumber();
  twilio.plan(to, { kind: "throttle" });
  plivo.plan(to, { kind: "unavailable" });
  const id = await customer.send(to);
  expect(await customer.reaches(id, "failed")).toMatchObject({
    attempts: 2,
    cost: 0,
    error: { code: "no_provider_available" },
  });
  expect(await customer.money(id)).toEqual(["reserve", "refund"]);
});

test("when the only provider throttles, it is tried again, and the message is sent and paid once", async ({
  installation,
}) => {
  const { vonage } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("vonage"));
  const to = newNumber();
  vonage.plan(to, { kind: "throttle" });
  const id = await customer.send(to);
  await expect.poll(() => customer.attempts(id)).toEqual([{ provider: "vonage", outcome: "retryable", code: "1" }]);
  expect(await customer.read(id)).toMatchObject({ status: "pending", error: null });
  const sent = await customer.reaches(id, "sent");
  expect(sent).toMatchObject({ provider: "vonage", attempts: 2, cost: 0.01 });
  expect(await customer.money(id)).toEqual(["reserve", "settle"]);
  expect(vonage.requestsFor(to)).toBe(2);
  expect(takenFor(vonage, to)).toHaveLength(1);
});

test("a late failure receipt of a provider that did not respond does not count against the next provider's attempt", async ({
  installation,
}) => {
  const { twilio, telnyx } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("twilio", "telnyx"));
  const to = newNumber();
  twilio.plan(to, { kind: "reset" });
  const id = await customer.send(to);
  const taken = await takenBy(telnyx, to);
  await customer.reaches(id, "sent");
  const lost = await takenBy(twilio, to);
  expect(await twilio.report(lost, "failed", "")).toEqual([200]);
  await expect.poll(() => customer.receipts(id)).toEqual(["failed, not applied"]);
  expect(await customer.read(id)).toMatchObject({ status: "sent", provider: "telnyx" });
  expect(await telnyx.report(taken, "delivered", "")).toEqual([200]);
  await customer.reaches(id, "delivered");
  expect(await customer.money(id)).toEqual(["reserve", "settle"]);
});

test("when a worker dies while a carrier hangs, nothing is sent again; a receipt or time settles it", async ({
  installation,
}) => {
  const { database, carriers, workers } = installation;
  const { messagebird } = carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("messagebird"));
  const [reported, silent] = [newNumber(), newNumber()];
  for (const to of [reported, silent]) messagebird.plan(to, { kind: "hang" });
  const [reportedId = "", silentId = ""] = [await customer.send(reported), await customer.send(silent)];
  const taken = await takenBy(messagebird, reported);
  await takenBy(messagebird, silent);
  await Promise.all(workers.map((worker) => worker.kill()));
  for (const id of [reportedId, silentId]) {
    expect(await customer.attempts(id)).toEqual([{ provider: "messagebird", outcome: null, code: null }]);
  }
  await installation.addWorker();

  expect(await messagebird.report(taken, "delivered", "")).toEqual([200]);
  const delivered = await customer.reaches(reportedId, "delivered");
  expect(delivered).toMatchObject({ provider: "messagebird", cost: 0.01 });
  expect(await customer.money(reportedId)).toEqual(["reserve", "settle"]);

  // The new worker has taken over from the dead one, and had time to make a mistake. Now 15 minutes pass.
  const lost = { provider: "messagebird", outcome: "unknown", code: "worker_lost" };
  await expect.poll(() => customer.attempts(silentId)).toEqual([lost]);
  expect(await customer.read(silentId)).toMatchObject({ status: "pending" });
  await database.rows(
    "UPDATE message_attempts SET started_at = started_at - interval '16 minutes' WHERE message_id = $1",
    [silentId],
  );
  await database.rows("SELECT graphile_worker.add_job('sweep_messages')");
  expect(await customer.reaches(silentId, "failed")).toMatchObject({
    cost: 0,
    error: { code: "provider_outcome_unknown" },
  });
  expect(await customer.money(silentId)).toEqual(["reserve", "refund"]);
  for (const to of [reported, silent]) {
    expect(takenFor(messagebird, to)).toHaveLength(1);
    expect(messagebird.requestsFor(to)).toBe(1);
    expect(carriers.telnyx.requestsFor(to)).toBe(0);
  }
});
