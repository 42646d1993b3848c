/** Cases tested for every carrier besides receipts: overlong texts, unknown outcomes, messages from handsets. */
import { expect } from "@playwright/test";
import type { Suppression } from "@/server/suppressions/schema";
import { newNumber, takenBy, takenFor } from "../installation/customer";
import { type Cell, eventTypes, LONG_TEXT, PRICE, report, type Step, sendTaken } from "./cell";

/** The longest text of the API, and half of it where each character needs two octets. */
const LONGEST = [
  { alphabet: "gsm", text: "0123456789".repeat(160), segments: 11 },
  { alphabet: "other", text: "Посылка в ".repeat(80).trimEnd().padEnd(800, "."), segments: 12 },
] as const;

/** Makes a request end with an unknown outcome, and the sandbox take the following message. */
async function endsUnknown(
  { name, carrier, customer }: Cell,
  kind: "hang" | "hang-unread" | "malformed",
  expected: { code: string; taken: number },
): Promise<void> {
  const to = newNumber();
  carrier.plan(to, { kind });
  const id = await customer.send(to);
  const delivered = await customer.reaches(id, "delivered");
  expect(delivered).toMatchObject({ provider: "sandbox", attempts: 2, cost: PRICE });
  expect(await customer.attempts(id)).toMatchObject([
    { provider: name, outcome: "unknown", code: expected.code },
    { provider: "sandbox", outcome: "accepted" },
  ]);
  expect(await customer.money(id)).toEqual(["reserve", "settle"]);
  // It is never sent to this carrier twice, whether the carrier read the request or not.
  expect(carrier.requestsFor(to)).toBe(1);
  expect(takenFor(carrier, to)).toHaveLength(expected.taken);
}

export const MORE_STEPS: Record<string, Step> = {
  "takes the longest texts, or leaves them to the next provider": async (cell) => {
    for (const { alphabet, text, segments } of LONGEST) {
      const cost = PRICE * segments;
      const code = cell.facts.tooLong?.[alphabet];
      if (code === undefined) {
        const { taken, message } = await sendTaken(cell, text);
        expect(taken).toMatchObject({ text, parts: segments });
        expect(message.cost).toBeCloseTo(cost, 6);
        continue;
      }
      const to = newNumber();
      const id = await cell.customer.send(to, text);
      const delivered = await cell.customer.reaches(id, "delivered");
      expect(delivered).toMatchObject({ provider: "sandbox", attempts: 2, cost: expect.closeTo(cost, 6) });
      expect(await cell.customer.attempts(id)).toMatchObject([
        { provider: cell.name, outcome: "retryable", code },
        { provider: "sandbox", outcome: "accepted" },
      ]);
      expect(takenFor(cell.carrier, to)).toEqual([]);
      // A fixed limit is checked without a request.
      expect(cell.carrier.requestsFor(to)).toBe(code === "text_too_long" ? 0 : 1);
    }
  },

  "does not respond in time: unknown, and the next provider takes it": (cell) =>
    endsUnknown(cell, "hang", { code: "timeout", taken: 1 }),

  "never reads the request: unknown as well, since nobody can tell, and the next provider takes it": (cell) =>
    endsUnknown(cell, "hang-unread", { code: "timeout", taken: 0 }),

  "sends an unreadable response: unknown, and the next provider takes it": async (cell) => {
    // On a bind this ends the connection with all outstanding requests: see LAST_STEPS.
    if (cell.name !== "smpp") await endsUnknown(cell, "malformed", { code: "malformed_answer", taken: 1 });
  },

  "takes only some parts of a text: undelivered, and no other provider gets it": async (cell) => {
    const { name, carrier, customer, facts } = cell;
    if (!facts.partial) return;
    const to = newNumber();
    carrier.plan(to, { kind: "partial" });
    const id = await customer.send(to, LONG_TEXT);
    const taken = await takenBy(carrier, to);
    const lost = await customer.reaches(id, "undelivered");
    expect(lost).toMatchObject({ provider: name, provider_message_id: taken.ids[0], attempts: 1 });
    expect(lost).toMatchObject({ cost: expect.closeTo(PRICE * 3, 6), error: { code: facts.partial } });
    expect(lost.error?.message).toMatch(/^Part 3 of 3 was not taken\. \w/);
    // Receipts of the parts it took are matched and change nothing.
    const reports = await report(cell, taken, "delivered");
    expect(reports).toBe(2);
    await expect.poll(async () => (await customer.receipts(id)).length).toBe(1 + reports);
    expect(await customer.read(id)).toEqual(lost);
    expect(await customer.attempts(id)).toMatchObject([{ provider: name, outcome: "accepted" }]);
    expect(await customer.money(id)).toEqual(["reserve", "settle"]);
    expect(await eventTypes(cell, id)).toEqual(["message.sent", "message.failed"]);
    expect(carrier.requestsFor(to)).toBe(1);
  },

  "passes on STOP and START from a handset, which are obeyed": async (cell) => {
    const { name, carrier, customer } = cell;
    const handset = newNumber();
    const says = async (text: string, suppressions: number) => {
      const sent = { from: handset, to: customer.account.sender, text };
      expect(await carrier.inbound(sent, cell.cell.receiptUrlOf(name))).toBe(name === "smpp" ? 0 : 200);
      const path = `/suppressions?number=${encodeURIComponent(handset)}`;
      const listed = async () => (await customer.api.get<Suppression[]>(path)).body.data.map(({ reason }) => reason);
      await expect.poll(listed, { message: text }).toEqual(Array(suppressions).fill("stop"));
    };
    await says("STOP", 1);
    const id = await customer.send(handset);
    const refused = await customer.reaches(id, "failed");
    expect(refused).toMatchObject({ attempts: 0, cost: 0, error: { code: "blocklisted" } });
    expect(carrier.requestsFor(handset)).toBe(0);
    await says("START", 0);
    await sendTaken(cell, undefined, handset);
  },
};

/** Steps that would disturb the others come last. */
export const LAST_STEPS: Record<string, Step> = {
  "writes invalid SMPP: unknown, the next provider takes it, and a new bind is made": async (cell) => {
    if (cell.name !== "smpp") return;
    await endsUnknown(cell, "malformed", { code: "connection_lost", taken: 1 });
    await sendTaken(cell);
  },
};
