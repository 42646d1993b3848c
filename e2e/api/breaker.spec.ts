import type { Carrier } from "../../test/carriers/carrier";
import { type Customer, newCustomer, newNumber, takenBy, takenFor } from "../support/installation/customer";
import type { Installation } from "../support/installation/installation";
import { expect, testWith } from "../support/installation/installation-test";

const CARRIERS = ["twilio", "plivo", "vonage", "messagebird", "telnyx"] as const;
const IN_A_ROW = 5;
const PROBES = 3;
const PROBE_MS = 1_000;
/** A process's view of a provider is about a second old at most, because each process reads it about once a second. */
const KNOWN_EVERYWHERE_MS = 2_500;
const BATCH = 6;

/** Two workers: a failure that one of them sees must count for the other. */
const test = testWith({ carriers: CARRIERS, workers: 2, settings: { PROVIDER_TIMEOUT_MS: "5000" } });

test.describe.configure({ mode: "default" });

type Own = Installation<(typeof CARRIERS)[number]>;
type State = { breaker: string; opens: number; lastError: string | null; openForS: number };

async function stateOf({ database }: Own, provider: string): Promise<State | null> {
  const [row] = await database.rows<State>(
    `SELECT breaker, opens, last_error AS "lastError", extract(epoch FROM open_until - updated_at)::float8 AS "openForS"
     FROM providers WHERE id = $1`,
    [provider],
  );
  return row ?? null;
}

const isOpen = async (installation: Own, provider: string) =>
  (await stateOf(installation, provider))?.breaker === "open";

/** Ends an open breaker's wait now, or makes it longer than the test. */
const wait = ({ database }: Own, provider: string, until: "now" | "later") =>
  database.rows("UPDATE providers SET open_until = now() + $2::interval WHERE id = $1", [
    provider,
    until === "now" ? "0" : "10 minutes",
  ]);

/** Sends a few messages. @returns how many of them were handed to this provider before another took them. */
async function countTries(customer: Customer, provider: string): Promise<number> {
  const ids = await customer.sendAll(Array.from({ length: BATCH }, newNumber));
  for (const id of ids) await customer.reaches(id, "sent");
  const attempts = await Promise.all(ids.map((id) => customer.attempts(id)));
  return attempts.flat().filter((attempt) => attempt.provider === provider).length;
}

/** Sends until both workers skip the provider. */
async function expectSkipped(customer: Customer, carrier: Carrier, provider: string): Promise<void> {
  const startedAt = Date.now();
  await expect
    .poll(async () => (await countTries(customer, provider)) === 0 && Date.now() - startedAt > KNOWN_EVERYWHERE_MS, {
      message: `${provider} is skipped`,
    })
    .toBe(true);
  const taken = carrier.taken.length;
  for (let batch = 0; batch < 3; batch += 1) expect(await countTries(customer, provider)).toBe(0);
  expect(carrier.taken).toHaveLength(taken);
}

test("a failing provider is skipped by all workers, then tried with a few messages before it gets them all", async ({
  installation,
}) => {
  const { twilio } = installation.carriers;
  const [customer, loyal] = await Promise.all([
    installation.makeRoute("twilio", "plivo").then((route) => newCustomer(installation, route)),
    installation.makeRoute("twilio").then((route) => newCustomer(installation, route)),
  ]);

  await test.step("its breaker opens after consecutive failures seen by either worker", async () => {
    // Each worker counts its own calls: among twice as many, one has seen enough.
    for (let sent = 0; sent < 2 * IN_A_ROW && !(await isOpen(installation, "twilio")); sent += 1) {
      const to = newNumber();
      twilio.plan(to, { kind: "unavailable" });
      await customer.reaches(await customer.send(to), "sent");
    }
    await wait(installation, "twilio", "later");
    expect(await stateOf(installation, "twilio")).toMatchObject({ breaker: "open", opens: 1 });
    expect((await stateOf(installation, "twilio"))?.lastError).toContain("20503");
  });

  await test.step("messages flow through the next provider, without asking it", () =>
    expectSkipped(customer, twilio, "twilio"));

  await test.step("a failed probe opens it again, for twice as long", async () => {
    await wait(installation, "twilio", "now");
    await expect
      .poll(async () => {
        const to = newNumber();
        twilio.plan(to, { kind: "unavailable" });
        await customer.reaches(await customer.send(to), "sent");
        return (await stateOf(installation, "twilio"))?.opens;
      })
      .toBe(2);
    expect((await stateOf(installation, "twilio"))?.openForS).toBeCloseTo(20, 1);
    await wait(installation, "twilio", "later");
  });

  await test.step("messages without another provider wait, then a few of them try it", async () => {
    await expectSkipped(customer, twilio, "twilio");
    const recipients = Array.from({ length: 2 * PROBES }, newNumber);
    for (const to of recipients) twilio.plan(to, { kind: "slow", ms: PROBE_MS });
    const [first = "", ...others] = recipients;
    const ids = [await loyal.send(first), ...(await loyal.sendAll(others))];
    const heldBack = "SELECT 1 FROM waiting_messages WHERE provider = 'twilio'";
    await expect
      .poll(async () => (await installation.database.rows(heldBack)).length)
      .toBeGreaterThanOrEqual(recipients.length);
    for (const to of recipients) expect(twilio.requestsFor(to)).toBe(0);
    for (const id of ids) expect(await loyal.read(id)).toMatchObject({ status: "pending", attempts: 0 });

    await wait(installation, "twilio", "now");
    for (const id of ids) {
      await expect.poll(async () => (await loyal.read(id)).status).toBe("sent");
    }
    const taken = recipients.flatMap((to) => takenFor(twilio, to));
    const times = taken.map((message) => message.takenAt.getTime()).toSorted((one, other) => one - other);
    expect(times).toHaveLength(recipients.length);
    // The first response closes the breaker, and it came that much later than the first request.
    expect((times[PROBES] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(PROBE_MS - 50);
    expect(await stateOf(installation, "twilio")).toMatchObject({ breaker: "closed", opens: 0, lastError: null });
  });
});

test("a fault of our account opens the breaker at once", async ({ installation }) => {
  const { vonage } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("vonage", "plivo"));
  const to = newNumber();
  vonage.plan(to, { kind: "account" });
  await customer.reaches(await customer.send(to), "sent");
  await expect.poll(() => isOpen(installation, "vonage")).toBe(true);
  await wait(installation, "vonage", "later");
  expect(await stateOf(installation, "vonage")).toMatchObject({ opens: 1, lastError: expect.stringMatching(/^4: /) });
  await expectSkipped(customer, vonage, "vonage");
});

test("refusals because of the message, and throttling, leave it closed", async ({ installation }) => {
  const { telnyx } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("telnyx", "plivo"));
  for (const kind of ["refuse", "throttle"] as const) {
    const recipients = Array.from({ length: 2 * IN_A_ROW + 2 }, newNumber);
    for (const to of recipients) telnyx.plan(to, { kind });
    const [first = "", ...others] = recipients;
    const ids = [await customer.send(first), ...(await customer.sendAll(others))];
    for (const id of ids) await customer.reaches(id, kind === "refuse" ? "failed" : "sent");
    for (const to of recipients) expect(telnyx.requestsFor(to)).toBe(1);
  }
  expect((await stateOf(installation, "telnyx"))?.breaker ?? "closed").toBe("closed");
});

test("a drained provider gets no new messages, and its receipts are still processed", async ({ installation }) => {
  const { messagebird } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("messagebird", "plivo"));
  const to = newNumber();
  const id = await customer.send(to);
  const taken = await takenBy(messagebird, to);
  await customer.reaches(id, "sent");
  const drain = (isDrained: boolean) =>
    installation.database.rows(
      `INSERT INTO providers (id, is_drained) VALUES ('messagebird', $1)
       ON CONFLICT (id) DO UPDATE SET is_drained = excluded.is_drained`,
      [isDrained],
    );

  await drain(true);
  await expectSkipped(customer, messagebird, "messagebird");
  expect(await messagebird.report(taken, "delivered", "")).toEqual([200]);
  expect(await customer.reaches(id, "delivered")).toMatchObject({ provider: "messagebird" });

  await drain(false);
  await expect.poll(() => countTries(customer, "messagebird")).toBe(BATCH);
});
