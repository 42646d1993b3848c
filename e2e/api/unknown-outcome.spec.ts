import { CARRIER_NAMES, type CarrierName } from "../../test/carriers/all";
import type { Carrier } from "../../test/carriers/carrier";
import { CARRIER_FACTS } from "../support/carriers/carrier-facts";
import { type Customer, newCustomer, newNumber, takenBy, takenFor } from "../support/installation/customer";
import type { Installation } from "../support/installation/installation";
import { expect, testWith } from "../support/installation/installation-test";

const TIMEOUT_MS = 4_000;
const LONG_TEXT = "Your parcel is on its way. ".repeat(15).trim();

/** An installation that would rather not send than send twice (policy hold). */
const test = testWith({
  carriers: CARRIER_NAMES,
  settings: { PROVIDER_TIMEOUT_MS: String(TIMEOUT_MS), ON_UNKNOWN_OUTCOME: "hold" },
});

test.describe.configure({ mode: "default" });

type Unanswered = { name: CarrierName; carrier: Carrier; customer: Customer; id: string; to: string };

/** Sends a message to which this carrier does not respond. */
async function sendWithoutResponse(installation: Installation, name: CarrierName, text?: string): Promise<Unanswered> {
  const customer = await newCustomer(installation, await installation.makeRoute(name, "sandbox"));
  const carrier: Carrier = installation.carriers[name];
  const to = newNumber();
  carrier.plan(to, { kind: "hang" });
  const id = await customer.send(to, text);
  await expect
    .poll(() => customer.attempts(id), { message: `attempts at ${name}` })
    .toEqual([{ provider: name, outcome: "unknown", code: "timeout" }]);
  expect(await customer.read(id)).toMatchObject({ status: "pending", attempts: 1 });
  return { name, carrier, customer, id, to };
}

/** Checks that the message was handed over once, whatever came later. */
async function expectSentOnce({ carrier, customer, id, to }: Unanswered): Promise<void> {
  expect(takenFor(carrier, to)).toHaveLength(1);
  expect(carrier.requestsFor(to)).toBe(1);
  expect(await customer.attempts(id)).toHaveLength(1);
}

const sweep = (installation: Installation) =>
  installation.database.rows("SELECT graphile_worker.add_job('sweep_messages')");

/** Backdates an attempt. */
const age = ({ database }: Installation, { id }: Unanswered, by: string) =>
  database.rows(
    `UPDATE message_attempts SET started_at = started_at - $2::interval, finished_at = finished_at - $2::interval
     WHERE message_id = $1`,
    [id, by],
  );

/** Checks carriers in parallel, because they wait for the same things. */
const forEach = <Name extends CarrierName>(names: readonly Name[], check: (name: Name) => Promise<void>) =>
  Promise.all(names.map((name) => test.step(name, () => check(name))));

const REPORT_BY_REFERENCE = CARRIER_NAMES.filter((name) => CARRIER_FACTS[name].reportsByReference);

test("a message without a response waits, and the receipt makes it delivered", async ({ installation }) => {
  expect(REPORT_BY_REFERENCE).toHaveLength(9);
  await forEach(REPORT_BY_REFERENCE, async (name) => {
    const unanswered = await sendWithoutResponse(installation, name);
    const taken = await takenBy(unanswered.carrier, unanswered.to);
    expect(await unanswered.carrier.report(taken, "delivered", installation.receiptUrlOf(name))).toEqual([200]);
    const delivered = await unanswered.customer.reaches(unanswered.id, "delivered");
    expect(delivered).toMatchObject({ provider: name, attempts: 1, cost: 0.01 });
    expect(await unanswered.customer.attempts(unanswered.id)).toMatchObject([{ provider: name, outcome: "accepted" }]);
    expect(await unanswered.customer.money(unanswered.id)).toEqual(["reserve", "settle"]);
    const events = (await unanswered.customer.events(unanswered.id)).map((event) => event.type);
    expect(events).toEqual(["message.sent", "message.delivered"]);
    await expectSentOnce(unanswered);
  });
});

test("for a long message without a response, every part must be reported", async ({ installation }) => {
  const unanswered = await sendWithoutResponse(installation, "vonage", LONG_TEXT);
  const taken = await takenBy(unanswered.carrier, unanswered.to);
  const report = (part: number) =>
    unanswered.carrier.report(taken, "delivered", installation.receiptUrlOf("vonage"), { part });
  for (const part of [1, 0]) expect(await report(part)).toEqual([200]);
  await unanswered.customer.reaches(unanswered.id, "sent");
  await expect.poll(async () => (await unanswered.customer.receipts(unanswered.id)).length).toBe(2);
  expect(await unanswered.customer.read(unanswered.id)).toMatchObject({ status: "sent" });
  expect(await report(2)).toEqual([200]);
  await unanswered.customer.reaches(unanswered.id, "delivered");
  await expectSentOnce(unanswered);
});

test("without any report, the message fails after a quarter of an hour and is refunded", async ({ installation }) => {
  await forEach(["africastalking", "smpp"], async (name) => {
    const unanswered = await sendWithoutResponse(installation, name);
    await age(installation, unanswered, "16 minutes");
    await sweep(installation);
    const failed = await unanswered.customer.reaches(unanswered.id, "failed");
    expect(failed).toMatchObject({ cost: 0, error: { code: "provider_outcome_unknown" } });
    expect(await unanswered.customer.money(unanswered.id)).toEqual(["reserve", "refund"]);
    await expectSentOnce(unanswered);
  });
});

test("providers with a look-up are asked about the message", async ({ installation }) => {
  await forEach(["sinch", "infobip"], async (name) => {
    const unanswered = await sendWithoutResponse(installation, name);
    const taken = await takenBy(unanswered.carrier, unanswered.to);
    await age(installation, unanswered, "1 minute");
    const sent = await unanswered.customer.reaches(unanswered.id, "sent");
    expect(sent).toMatchObject({ provider: name, provider_message_id: taken.ids[0] });
    expect(await unanswered.customer.money(unanswered.id)).toEqual(["reserve", "settle"]);
    expect(takenFor(unanswered.carrier, unanswered.to)).toHaveLength(1);
    expect(await unanswered.customer.attempts(unanswered.id)).toHaveLength(1);
  });
});
