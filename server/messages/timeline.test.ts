import { expect, test } from "vitest";
import type { MessageRow } from "./present";
import { type MessageHistory, timelineOf } from "./timeline";
import { Timeline } from "./timeline-schema";

const at = (ms: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, 0, ms));

const message: MessageRow = {
  id: "msg_1",
  accountId: "acc_1",
  apiKeyId: null,
  toNumber: "+14155550123",
  fromSender: "DEMO",
  body: "Hello",
  encoding: "GSM-7",
  segments: 2,
  status: "delivered",
  costMicros: 20_000n,
  currency: "USD",
  routeId: 1,
  chain: ["twilio", "sandbox"],
  provider: "sandbox",
  providerMessageId: "sbx_1",
  attempts: 2,
  errorCode: null,
  errorMessage: null,
  reference: null,
  metadata: null,
  createdAt: at(0),
  sentAt: at(0),
  deliveredAt: at(0),
  failedAt: null,
  scheduledAt: null,
  validityS: null,
};

const money = (kind: string, amountMicros: bigint, reservedMicros: bigint) => ({
  kind,
  amountMicros,
  reservedMicros,
  createdAt: at(0),
});
const attempt = { code: null, detail: null, latencyMs: 12, startedAt: at(0) };
const posted = { statusCode: 200, latencyMs: 3, error: null, createdAt: at(0) };
const delivery = { id: "dlv_1", endpointId: "whe_1", url: "https://example.com", status: "delivered", attempts: 1 };

/** A message whose whole history took less than a millisecond; its rows are in arbitrary order. */
const history: MessageHistory = {
  message,
  rescheduled: null,
  deliveries: [{ ...delivery, eventId: "evt_1", createdAt: at(0), tries: [{ ...posted, round: 0, attempt: 1 }] }],
  events: [
    { id: "evt_1", type: "message.sent", status: "sent", createdAt: at(0) },
    { id: "evt_2", type: "message.delivered", status: "delivered", createdAt: at(0) },
  ],
  receipts: [{ status: "delivered", code: null, detail: null, applied: true, receivedAt: at(0) }],
  attempts: [
    { ...attempt, seq: 1, provider: "twilio", outcome: "retryable", code: "http_503", detail: "It answered 503." },
    { ...attempt, seq: 2, provider: "sandbox", outcome: "accepted" },
  ],
  ledger: [money("reserve", -20_000n, 20_000n), money("settle", 0n, -20_000n)],
};

const summariesOf = (ofMessage: MessageHistory) => timelineOf(ofMessage).entries.map((entry) => entry.summary);

test("within one millisecond a cause comes before its effect", () => {
  expect(summariesOf(history)).toEqual([
    "Accepted from DEMO to +14155550123: 2 segments in GSM-7.",
    "0.02 USD was reserved.",
    "Attempt 1: twilio could not take the message after 12 ms: It answered 503.",
    "Attempt 2: sandbox took the message after 12 ms.",
    "The carrier reported delivered.",
    "0.02 USD was charged.",
    "The message became sent.",
    "The message became delivered.",
    "Try 1 to post message.sent to whe_1 was acknowledged after 3 ms.",
  ]);
});

test("entries are ordered by time first", () => {
  const early = { status: "delivered", code: null, detail: null, applied: true, receivedAt: at(1) };
  const later = {
    ...history,
    receipts: [early],
    events: history.events.map((event) => ({ ...event, createdAt: at(2) })),
  };
  const kinds = timelineOf({ ...later, ledger: [money("reserve", -1n, 1n)] }).entries.map((entry) => entry.kind);
  expect(kinds).toEqual(["accepted", "money", "attempt", "attempt", "webhook_try", "receipt", "event", "event"]);
});

test("open attempts, receipts that changed nothing, refunds, failed tries and reasons of failures have their own sentences", () => {
  const failed: MessageHistory = {
    message: { ...message, status: "failed", segments: 1, errorCode: "blocked", errorMessage: "Blocked" },
    rescheduled: null,
    deliveries: [
      {
        ...delivery,
        eventId: "evt_1",
        createdAt: at(0),
        tries: [{ ...posted, round: 0, attempt: 1, statusCode: 500, error: "The endpoint responded with 500." }],
      },
    ],
    events: [{ id: "evt_1", type: "message.failed", status: "failed", createdAt: at(0) }],
    receipts: [{ status: "sent", code: null, detail: null, applied: false, receivedAt: at(0) }],
    attempts: [{ ...attempt, seq: 1, provider: "sandbox", outcome: null, latencyMs: null }],
    ledger: [money("reserve", -20_000n, 20_000n), money("refund", 20_000n, -20_000n)],
  };
  expect(summariesOf(failed).slice(2)).toEqual([
    "Attempt 1: sandbox was called and has not responded yet.",
    "The carrier reported sent, which changed nothing.",
    "0.02 USD was refunded.",
    "The message became failed: Blocked.",
    "Try 1 to post message.failed to whe_1 failed after 3 ms: The endpoint responded with 500.",
  ]);
  const refund = timelineOf(failed).entries.find((entry) => entry.kind === "money" && entry.details.kind === "refund");
  expect(refund?.details).toEqual({ kind: "refund", amount: 0.02, currency: "USD" });
});

test("a rescheduled message was accepted for its first time, and one entry has its new one", () => {
  const rescheduled = { firstScheduledAt: at(100), rescheduledAt: at(0), times: 1 };
  const later = { ...history, message: { ...message, scheduledAt: at(200) }, rescheduled };
  expect(summariesOf(later).slice(0, 3)).toEqual([
    "Accepted from DEMO to +14155550123: 2 segments in GSM-7, to be sent at 2026-01-31T12:00:00.100Z.",
    "0.02 USD was reserved.",
    "Rescheduled, to be sent at 2026-01-31T12:00:00.200Z.",
  ]);
  expect(summariesOf({ ...later, rescheduled: { ...rescheduled, times: 2 } })[2]).toBe(
    "Rescheduled 2 times, most recently to be sent at 2026-01-31T12:00:00.200Z.",
  );
  expect(Timeline.parse(timelineOf(later)).entries[2]?.details).toEqual({
    scheduled_at: "2026-01-31T12:00:00.200Z",
    times: 1,
  });
});

test("tries of a recovery name their round", () => {
  const tries = [0, 1, 2].map((round) => ({ ...posted, round, attempt: 1, createdAt: at(round + 1) }));
  const recovered = { ...history, deliveries: history.deliveries.map((each) => ({ ...each, tries })) };
  expect(summariesOf(recovered).slice(-3)).toEqual([
    "Try 1 to post message.sent to whe_1 was acknowledged after 3 ms.",
    "Try 1 of round 1 to post message.sent to whe_1 was acknowledged after 3 ms.",
    "Try 1 of round 2 to post message.sent to whe_1 was acknowledged after 3 ms.",
  ]);
  const listed = timelineOf(recovered).entries.filter((entry) => entry.kind === "webhook_try");
  expect(listed.map(({ details }) => details.round)).toEqual([0, 1, 2]);
});

test("the timeline has the shape of the wire", () => {
  expect(Timeline.parse(timelineOf(history))).toEqual(timelineOf(history));
});
