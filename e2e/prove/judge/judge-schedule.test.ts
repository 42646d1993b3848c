import { describe, expect, test } from "vitest";
import type { Cancellation } from "../load/cancellations";
import type { CarrierRequest } from "../world/carriers";
import type { Evidence } from "./evidence";
import { goodRun, ID, TO } from "./good-run";
import { judgeSchedule } from "./judge-schedule";

const cancellation = (result: Cancellation["result"]): Cancellation => ({ id: ID, to: TO, result, knownAtMs: 100 });
const request = (atMs: number, behavior: CarrierRequest["behavior"]): CarrierRequest => ({
  atMs,
  carrier: "twilio",
  to: TO,
  behavior,
});

/** A run whose message was canceled, with these requests to carriers. */
const canceledRun = (result: Cancellation["result"], requests: readonly CarrierRequest[] = []): Evidence => {
  const run = goodRun();
  const failed = { status: "failed", costMicros: 0, errorCode: "canceled" };
  return {
    ...run,
    cancellations: [cancellation(result)],
    requests,
    taken: [],
    database: { ...run.database, messages: run.database.messages.map((message) => ({ ...message, ...failed })) },
  };
};

/** A good run whose send requested these times. */
const timedRun = (times: { dueMs?: number; validityS?: number }, claimedAtMs = 1): Evidence => {
  const run = goodRun();
  return {
    ...run,
    sends: run.sends.map((send) => ({ ...send, ...times })),
    history: { ...run.history, attempts: run.history.attempts.map((step) => ({ ...step, atMs: claimedAtMs })) },
  };
};

describe("a canceled message", () => {
  test("may have been declined by a carrier before", () => {
    expect(judgeSchedule(canceledRun("canceled")).canceled).toEqual([]);
    expect(judgeSchedule(canceledRun("canceled", [request(99, "throttle")])).canceled).toEqual([]);
  });

  test("must not reach a carrier", () => {
    const taken = [{ atMs: 5, carrier: "twilio" as const, to: TO, reference: null }];
    expect(judgeSchedule({ ...canceledRun("canceled"), taken }).canceled).toHaveLength(1);
    expect(judgeSchedule(canceledRun("canceled", [request(99, "hang")])).canceled).toHaveLength(1);
    expect(judgeSchedule(canceledRun("canceled", [request(101, "throttle")])).canceled).toHaveLength(1);
  });

  test("must be failed as canceled", () => {
    const run = { ...goodRun(), cancellations: [cancellation("canceled")], requests: [], taken: [] };
    expect(judgeSchedule(run).canceled).toHaveLength(1);
  });

  test("must have been canceled by its caller, whose response may be lost", () => {
    expect(judgeSchedule(canceledRun("refused")).canceled).toHaveLength(1);
    expect(judgeSchedule({ ...canceledRun("canceled"), cancellations: [] }).canceled).toHaveLength(1);
    expect(judgeSchedule(canceledRun(null)).canceled).toEqual([]);
  });
});

describe("times", () => {
  test("no carrier is asked before `send_at`", () => {
    expect(judgeSchedule(timedRun({ dueMs: 1 })).untimely).toEqual([]);
    expect(judgeSchedule(timedRun({ dueMs: 2 })).untimely).toHaveLength(1);
  });

  test("nothing is claimed after the validity period, which began before the response", () => {
    expect(judgeSchedule(timedRun({ validityS: 60 }, 60_001)).untimely).toEqual([]);
    expect(judgeSchedule(timedRun({ validityS: 60 }, 60_002)).untimely).toHaveLength(1);
  });
});

test("a sender ID sends no more than its limit, a second's burst and one overdraft", () => {
  const run = goodRun();
  const claimed = (count: number): Evidence => ({
    ...run,
    sends: run.sends.map((send) => ({ ...send, from: run.paced.senders[0] ?? "" })),
    history: {
      ...run.history,
      attempts: Array.from({ length: count }, (_, at) => ({
        atMs: at === 0 ? 0 : 1_000,
        process: "worker-1.1",
        op: "INSERT",
        messageId: ID,
        seq: at,
        provider: "twilio",
        outcome: null,
      })),
    },
  });
  expect(judgeSchedule(claimed(5)).tooFast).toEqual([]);
  expect(judgeSchedule(claimed(6)).tooFast).toHaveLength(1);
});
