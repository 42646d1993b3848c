import { CARRIER_NAMES, isHttpCarrier } from "../../test/carriers/all";
import type { Carrier, ReceiptOptions } from "../../test/carriers/carrier";
import { CARRIER_FACTS } from "../support/carriers/carrier-facts";
import { counts, eventTypes, LONG_TEXT, PRICE, report, type Step, sendTaken } from "../support/carriers/cell";
import { LAST_STEPS, MORE_STEPS } from "../support/carriers/cell-steps";
import { newCustomer, newNumber, takenBy, takenFor } from "../support/installation/customer";
import { expect, testWith } from "../support/installation/installation-test";

const TEXTS = [
  { text: "Your parcel is on its way", segments: 1 },
  { text: "Ваша посылка в пути 📦 до завтра", segments: 1 },
  { text: LONG_TEXT, segments: 3 },
];
const SLOW_MS = 1_000;

const digits = (number: string) => number.replace(/\D/g, "");

const test = testWith({ carriers: CARRIER_NAMES, settings: { PROVIDER_TIMEOUT_MS: "8000" } });

const STEPS: Record<string, Step> = {
  "takes a text of one segment, one in another alphabet and one of three segments unchanged": async (cell) => {
    for (const { text, segments } of TEXTS) {
      const { id, to, taken, message } = await sendTaken(cell, text);
      expect(takenFor(cell.carrier, to)).toHaveLength(1);
      expect(cell.carrier.requestsFor(to)).toBe(1);
      expect(taken).toMatchObject({ to, text, parts: segments });
      expect(taken.ids).toHaveLength(cell.facts.reportsParts ? segments : 1);
      expect(digits(taken.from)).toBe(digits(cell.customer.account.sender));
      expect(message.cost).toBeCloseTo(PRICE * segments, 6);
      expect(await cell.customer.money(id)).toEqual(["reserve", "settle"]);
    }
  },

  "refuses for good: failed, refunded, and nobody else is asked": async (cell) => {
    const to = newNumber();
    cell.carrier.plan(to, { kind: "refuse" });
    const id = await cell.customer.send(to);
    const failed = await cell.customer.reaches(id, "failed");
    expect(failed).toMatchObject({ attempts: 1, cost: 0, provider_message_id: "" });
    expect(failed.error).toEqual({
      code: expect.stringMatching(/./),
      message: expect.stringMatching(/./),
      reason: expect.stringMatching(/./),
    });
    expect(await cell.customer.attempts(id)).toMatchObject([{ provider: cell.name, outcome: "refused" }]);
    expect(await cell.customer.money(id)).toEqual(["reserve", "refund"]);
    expect(await eventTypes(cell, id)).toEqual(["message.failed"]);
    expect(cell.carrier.requestsFor(to)).toBe(1);
    expect(takenFor(cell.carrier, to)).toEqual([]);
  },

  "fails or throttles: the next provider takes it, and it is paid once": async (cell) => {
    // Over a bind, a throttled submit is tried again there.
    const kinds = cell.name === "smpp" ? (["unavailable"] as const) : (["unavailable", "throttle"] as const);
    for (const kind of kinds) {
      const to = newNumber();
      cell.carrier.plan(to, { kind });
      const id = await cell.customer.send(to);
      const delivered = await cell.customer.reaches(id, "delivered");
      expect(delivered, kind).toMatchObject({ provider: "sandbox", attempts: 2, cost: PRICE });
      expect(await cell.customer.attempts(id)).toMatchObject([
        { provider: cell.name, outcome: "retryable" },
        { provider: "sandbox", outcome: "accepted" },
      ]);
      expect(await cell.customer.money(id)).toEqual(["reserve", "settle"]);
      expect(cell.carrier.requestsFor(to)).toBe(1);
      expect(takenFor(cell.carrier, to)).toEqual([]);
    }
  },

  "reports a delivery, then other things: statuses only move forward": async (cell) => {
    const { id, taken } = await sendTaken(cell);
    const early = await report(cell, taken, "sent");
    await report(cell, taken, "delivered");
    expect(await cell.customer.reaches(id, "delivered")).toMatchObject({ error: null, cost: PRICE });
    let late = 0;
    for (const status of ["delivered", "sent", "undelivered", "failed"] as const) {
      late += await report(cell, taken, status);
    }
    await expect.poll(async () => (await cell.customer.receipts(id)).length).toBe(early + 1 + late);
    const applied = (await cell.customer.receipts(id)).filter((receipt) => !receipt.endsWith("not applied"));
    expect(applied.filter((receipt) => receipt !== "sent")).toEqual(["delivered"]);
    expect(await cell.customer.read(id)).toMatchObject({ status: "delivered", error: null });
    const events = await cell.customer.events(id);
    expect(events).toMatchObject([
      { type: "message.sent", data: { status: "sent", provider: cell.name } },
      { type: "message.delivered", data: { status: "delivered", provider: cell.name } },
    ]);
  },

  "reports failures: final, with the carrier's code, and still paid": async (cell) => {
    for (const status of ["failed", "undelivered"] as const) {
      const [reached, code] = cell.facts[status];
      const { id, taken } = await sendTaken(cell);
      await report(cell, taken, status);
      const lost = await cell.customer.reaches(id, reached);
      expect(lost).toMatchObject({ error: { code }, cost: PRICE });
      expect(lost.error?.message).toMatch(/\w/);
      await report(cell, taken, "delivered");
      await expect.poll(() => cell.customer.receipts(id)).toEqual([reached, "delivered, not applied"]);
      expect(await cell.customer.read(id)).toEqual(lost);
      const events = await cell.customer.events(id);
      expect(events).toMatchObject([{ type: "message.sent" }, { type: "message.failed", data: lost }]);
      expect(await cell.customer.money(id)).toEqual(["reserve", "settle"]);
    }
  },

  "reports before it responds": async (cell) => {
    const to = newNumber();
    cell.carrier.plan(to, { kind: "slow", ms: SLOW_MS });
    const id = await cell.customer.send(to);
    const taken = await takenBy(cell.carrier, to);
    await report(cell, taken, "delivered");
    const delivered = await cell.customer.reaches(id, "delivered");
    const outcome = async () => (await cell.customer.attempts(id)).map((attempt) => attempt.outcome);
    await expect.poll(outcome).toEqual(["accepted"]);
    expect(delivered).toMatchObject({ provider: cell.name, provider_message_id: taken.ids[0], attempts: 1 });
    await expect.poll(() => cell.customer.receipts(id)).toEqual(["delivered"]);
    expect(await eventTypes(cell, id)).toEqual(["message.sent", "message.delivered"]);
    expect(await cell.customer.money(id)).toEqual(["reserve", "settle"]);
  },

  "reports on parts: delivered when all are, lost when one is": async (cell) => {
    if (!cell.facts.reportsParts) return;
    const whole = await sendTaken(cell, LONG_TEXT);
    for (const part of [2, 0]) await report(cell, whole.taken, "delivered", part);
    await expect.poll(async () => (await cell.customer.receipts(whole.id)).length).toBe(2);
    expect(await cell.customer.read(whole.id)).toMatchObject({ status: "sent" });
    await report(cell, whole.taken, "delivered", 1);
    await cell.customer.reaches(whole.id, "delivered");
    expect(await eventTypes(cell, whole.id)).toEqual(["message.sent", "message.delivered"]);

    const [reached, code] = cell.facts.undelivered;
    const torn = await sendTaken(cell, LONG_TEXT);
    await report(cell, torn.taken, "delivered", 0);
    await report(cell, torn.taken, "undelivered", 1);
    await cell.customer.reaches(torn.id, reached);
    await report(cell, torn.taken, "delivered", 2);
    await expect.poll(async () => (await cell.customer.receipts(torn.id)).length).toBe(3);
    expect(await cell.customer.read(torn.id)).toMatchObject({ status: reached });
    expect((await cell.customer.read(torn.id)).error?.code).toMatch(new RegExp(`^0*${code}$`));
    expect(await eventTypes(cell, torn.id)).toEqual(["message.sent", "message.failed"]);
  },

  "forged, stale and replayed receipts are not believed": async (cell) => {
    const { name, carrier, facts, customer } = cell;
    const { id, taken, message } = await sendTaken(cell);
    const report = (fault: ReceiptOptions["fault"], status: "delivered" | "failed" = "delivered") =>
      carrier.report(taken, status, cell.cell.receiptUrlOf(name), { fault });
    if (!facts.forged) {
      // A receipt on the bind about an id that the centre never assigned.
      expect(await report("forged")).toEqual([0]);
      const parked = "SELECT 1 FROM receipts WHERE provider = 'smpp' AND message_id IS NULL";
      await expect.poll(async () => (await cell.cell.database.rows(parked)).length).toBe(1);
      expect(await customer.read(id)).toEqual(message);
      return;
    }
    expect(await report("forged")).toEqual([facts.forged]);
    if (facts.hasTime) expect(await report("stale")).toEqual([401]);
    await counts(cell, { forged: 1, stale: facts.hasTime ? 1 : 0, replayed: 0 });
    expect(await customer.read(id)).toEqual(message);
    expect(await customer.receipts(id)).toEqual([]);
    if (!facts.hasIds) return;
    expect(await report(undefined, "failed")).toEqual([200]);
    const [reached] = facts.failed;
    const failed = await customer.reaches(id, reached);
    expect(await report("replayed")).toEqual([200]);
    await counts(cell, { forged: 1, stale: facts.hasTime ? 1 : 0, replayed: 1 });
    expect(await customer.receipts(id)).toEqual([reached]);
    expect(await customer.read(id)).toEqual(failed);
  },
};

// One after the other: they share an installation.
test.describe.configure({ mode: "default" });

for (const name of CARRIER_NAMES) {
  test(`${name} takes, refuses, fails, hangs and reports according to the contract`, async ({ installation }) => {
    const customer = await newCustomer(installation, await installation.makeRoute(name, "sandbox"));
    const carrier: Carrier = installation.carriers[name];
    const cell = { name, carrier, facts: CARRIER_FACTS[name], customer, cell: installation };
    // Side by side: most of a step is waiting.
    const ends = Object.entries({ ...STEPS, ...MORE_STEPS }).map(([title, step]) =>
      test.step(`it ${title}`, () => step(cell)),
    );
    const settled = await Promise.allSettled(ends);
    for (const [title, step] of Object.entries(LAST_STEPS)) {
      settled.push(...(await Promise.allSettled([test.step(`it ${title}`, () => step(cell))])));
    }
    const failed = settled.filter((end) => end.status === "rejected");
    expect(failed.map((end) => String(end.reason))).toEqual([]);
    expect(isHttpCarrier(carrier) ? carrier.problems : []).toEqual([]);
  });
}
