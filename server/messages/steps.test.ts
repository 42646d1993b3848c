import fc from "fast-check";
import { expect, test } from "vitest";
import { MODEL_TIMES } from "@/test/model/times";
import type { ReceiptReport } from "../core/jobs";
import { stepsOf } from "./receipts/receipt-steps";
import { canMove, eventTypeFor, isFinal, MESSAGE_STATUSES, type MessageStatus } from "./status";
import type { LockedMessage, Step } from "./steps";
import { foldSteps } from "./steps";

const RUNS = 5_000 * MODEL_TIMES;
const AT = new Date(0);
const PATH = /^pending( failed| sent( delivered| failed| undelivered)?)?$/;

const messageAt = (status: MessageStatus, costMicros: bigint): LockedMessage => ({
  id: "m",
  accountId: "a",
  status,
  costMicros,
  chain: [],
  createdAt: AT,
  scheduledAt: null,
  sentAt: null,
});

const costs = fc.bigInt({ min: 0n, max: 100_000n });
const steps = fc.array(
  fc.constantFrom(...MESSAGE_STATUSES).map((to): Step => ({ to, at: AT })),
  { maxLength: 12, size: "max" },
);
const reports = fc.array(
  fc
    .constantFrom("sent", "delivered", "failed", "undelivered")
    .map((status): ReceiptReport => ({ providerMessageId: "p", status, code: null, detail: null, occurredAt: "" })),
  { maxLength: 8, size: "max" },
);

/** Folds the steps in several transactions, each starting from the status that the one before left. */
function foldInTurns(costMicros: bigint, turns: readonly (readonly Step[])[]) {
  const message = messageAt("pending", costMicros);
  const all = {
    path: ["pending"],
    moves: [] as { kind: string; reservedMicros: bigint; amountMicros: bigint }[],
    events: [] as string[],
  };
  for (const turn of turns) {
    const folded = foldSteps(message, turn);
    message.status = folded.status;
    all.path.push(...folded.steps.map((step) => step.to));
    all.moves.push(...folded.moves);
    all.events.push(...folded.events.map((event) => `${event.type} ${event.status}`));
  }
  return { ...all, status: message.status };
}

test("steps in any order and batches move the status forward only, and each move raises its event once", () => {
  fc.assert(
    fc.property(costs, fc.array(steps, { maxLength: 6 }), (costMicros, turns) => {
      const { path, events, status } = foldInTurns(costMicros, turns);
      expect(path.join(" ")).toMatch(PATH);
      expect(path.at(-1)).toBe(status);
      expect(events).toEqual(path.slice(1).map((to) => `${eventTypeFor(to as MessageStatus)} ${to}`));
    }),
    { numRuns: RUNS },
  );
});

test("no step is earlier than the message was sent, whatever the clock of the recording process says", () => {
  const message = { ...messageAt("sent", 0n), sentAt: new Date(2_000) };
  const at = (ms: number) => foldSteps(message, [{ to: "delivered", at: new Date(ms) }]).events[0]?.at.getTime();
  expect(at(1_000)).toBe(2_000);
  expect(at(3_000)).toBe(3_000);
});

test("splitting the steps into transactions makes no difference", () => {
  fc.assert(
    fc.property(costs, steps, fc.nat(12), (costMicros, all, cut) => {
      const whole = foldInTurns(costMicros, [all]);
      expect(foldInTurns(costMicros, [all.slice(0, cut), all.slice(cut)])).toEqual(whole);
      // A job that runs twice repeats all of them: once the status is final nothing moves.
      if (isFinal(whole.status)) expect(foldInTurns(costMicros, [all, all])).toEqual(whole);
    }),
    { numRuns: RUNS },
  );
});

test("reserved money is settled or refunded once, by the first move, and never both", () => {
  fc.assert(
    fc.property(costs, fc.array(steps, { maxLength: 6 }), (costMicros, turns) => {
      const { path, moves } = foldInTurns(costMicros, turns);
      const [first] = path.slice(1);
      const reservedMicros = -costMicros;
      const expected =
        first === "sent"
          ? { kind: "settle", amountMicros: 0n, reservedMicros }
          : { kind: "refund", amountMicros: costMicros, reservedMicros };
      expect(moves).toMatchObject(first === undefined || costMicros === 0n ? [] : [expected]);
    }),
    { numRuns: RUNS },
  );
});

test("no move leads back: every path from every status ends after two moves at most", () => {
  const walks = (from: MessageStatus): number =>
    Math.max(0, ...MESSAGE_STATUSES.filter((to) => canMove(from, to)).map((to) => 1 + walks(to)));
  expect(MESSAGE_STATUSES.map(walks)).toEqual([2, 1, 0, 0, 0]);
});

test("receipts in any order and number: sent first, then the first final status, and the rest move nothing", () => {
  fc.assert(
    fc.property(reports, (all) => {
      const each = all.map((report) => stepsOf("vonage", report, AT));
      const together = foldSteps(messageAt("pending", 1n), each.flat());
      const firstFinal = all.find((report) => report.status !== "sent")?.status;
      expect(together.status).toBe(firstFinal ?? (all.length > 0 ? "sent" : "pending"));
      expect(foldInTurns(1n, each).status).toBe(together.status);
      // Folded together or one by one, the same receipts move the message.
      const moving = (steps: readonly Step[]) => steps.some((step) => together.steps.includes(step));
      const message = messageAt("pending", 1n);
      const movingAlone = (steps: readonly Step[]) => {
        const folded = foldSteps(message, steps);
        message.status = folded.status;
        return folded.steps.length > 0;
      };
      expect(each.map(moving)).toEqual(each.map(movingAlone));
    }),
    { numRuns: RUNS },
  );
});
