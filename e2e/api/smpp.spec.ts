import { newCustomer, newNumber, takenBy, takenFor } from "../support/installation/customer";
import { expect, testWith } from "../support/installation/installation-test";

const LONG_TEXT = "Your parcel is on its way. ".repeat(15).trim();

const test = testWith({ carriers: ["smpp"], settings: { PROVIDER_TIMEOUT_MS: "10000" } });

test.describe.configure({ mode: "default" });

test("a worker binds at once, before there is anything to send", async ({ installation }) => {
  await expect.poll(() => installation.carriers.smpp.sessions()).toBe(1);
});

test("when a connection is lost, outstanding submits are unknown, and later ones use a new connection", async ({
  installation,
}) => {
  const { smpp } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("smpp", "sandbox"));
  const [outstanding, later] = [newNumber(), newNumber()];
  smpp.plan(outstanding, { kind: "hang" });
  const outstandingId = await customer.send(outstanding);
  await takenBy(smpp, outstanding);
  smpp.dropConnections();
  expect(smpp.sessions()).toBe(0);

  const laterId = await customer.send(later);
  const sent = await customer.reaches(laterId, "sent");
  const taken = await takenBy(smpp, later);
  expect(sent).toMatchObject({ provider: "smpp", provider_message_id: taken.ids[0], attempts: 1 });
  await customer.reaches(outstandingId, "delivered");
  expect(await customer.attempts(outstandingId)).toEqual([
    { provider: "smpp", outcome: "unknown", code: "connection_lost" },
    { provider: "sandbox", outcome: "accepted", code: null },
  ]);
  expect(await customer.money(outstandingId)).toEqual(["reserve", "settle"]);
  expect(takenFor(smpp, outstanding)).toHaveLength(1);
  expect(smpp.sessions()).toBe(1);

  // Receipts come over whichever bind there is.
  expect(await smpp.report(taken, "delivered", "")).toEqual([0]);
  await customer.reaches(laterId, "delivered");
});

test("when a connection is reset in the middle of a long message, it is unknown, and the next provider gets all of it", async ({
  installation,
}) => {
  const { smpp } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("smpp", "sandbox"));
  const to = newNumber();
  smpp.plan(to, { kind: "reset" });
  const id = await customer.send(to, LONG_TEXT);
  expect(await customer.reaches(id, "delivered")).toMatchObject({ provider: "sandbox", cost: 0.03 });
  expect(await customer.attempts(id)).toMatchObject([
    { provider: "smpp", outcome: "unknown" },
    { outcome: "accepted" },
  ]);
  expect(takenFor(smpp, to)).toHaveLength(1);
});

test("receipts are understood by their parameters and by their text alone", async ({ installation }) => {
  const { smpp } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("smpp", "sandbox"));
  const to = newNumber();
  await expect.poll(() => smpp.sessions()).toBe(1);
  const id = await customer.send(to, LONG_TEXT);
  const taken = await takenBy(smpp, to);
  await customer.reaches(id, "sent");
  // The second of three has no parameters.
  for (const [part, partId] of taken.ids.entries()) {
    expect(await smpp.report(taken, part === 1 ? "undelivered" : "delivered", "", { part })).toEqual([0]);
    const stored = "SELECT status, code, message_id FROM receipts WHERE provider_message_id = $1";
    const status = part === 1 ? { status: "undelivered", code: "027" } : { code: null };
    await expect
      .poll(() => installation.database.rows(stored, [partId]))
      .toEqual([expect.objectContaining({ message_id: id, ...status })]);
  }
  expect(await customer.reaches(id, "undelivered")).toMatchObject({ cost: 0.03, error: { code: "027" } });
});

test("a centre that throttles is tried again later", async ({ installation }) => {
  const { smpp } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("smpp", "sandbox"));
  const to = newNumber();
  smpp.plan(to, { kind: "throttle" });
  const id = await customer.send(to);
  expect(await customer.reaches(id, "sent")).toMatchObject({ provider: "smpp", attempts: 1 });
  expect(smpp.requestsFor(to)).toBe(2);
  expect(takenFor(smpp, to)).toHaveLength(1);
});

test("messages from handsets are stored for the account that has the number", async ({ installation }) => {
  const { smpp } = installation.carriers;
  const { account } = await newCustomer(installation, await installation.makeRoute("smpp", "sandbox"));
  await expect.poll(() => smpp.sessions()).toBe(1);
  const from = newNumber();
  const texts = ["When will it be here?", "Когда она придёт? 📦", `${LONG_TEXT} OK?`];
  for (const text of texts) expect(await smpp.inbound({ from, to: account.sender, text }, "")).toBe(0);
  const stored = `SELECT provider, body FROM inbound_messages
    WHERE account_id = $1 AND from_number = $2 ORDER BY id`;
  const expected = texts.map((body) => ({ provider: "smpp", body }));
  await expect.poll(() => installation.database.rows(stored, [account.accountId, from])).toHaveLength(texts.length);
  const rows = await installation.database.rows(stored, [account.accountId, from]);
  expect(rows).toEqual(expect.arrayContaining(expected));
});
