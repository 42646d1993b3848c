import { expect, test } from "vitest";
import { type MessageRow, messageAt, presentMessage } from "./present";

const row: MessageRow = {
  id: "msg_1",
  accountId: "acc_1",
  apiKeyId: null,
  toNumber: "+14155550123",
  fromSender: "DEMO",
  body: "Hello",
  encoding: "GSM-7",
  segments: 1,
  status: "pending",
  costMicros: 12_500n,
  currency: "USD",
  routeId: 1,
  chain: ["sandbox"],
  provider: null,
  providerMessageId: null,
  attempts: 0,
  errorCode: null,
  errorMessage: null,
  reference: "r-1",
  metadata: { order: "4711" },
  createdAt: new Date("2026-01-31T12:00:00.000Z"),
  sentAt: null,
  deliveredAt: null,
  failedAt: null,
  scheduledAt: null,
  validityS: null,
};

const sent: MessageRow = {
  ...row,
  status: "sent",
  provider: "sandbox",
  providerMessageId: "sbx_1",
  attempts: 1,
  sentAt: new Date("2026-01-31T12:00:01.000Z"),
};

test("a message on the wire has exactly the documented fields, before and after a provider took it", () => {
  expect(presentMessage(row)).toEqual({
    id: "msg_1",
    object: "message",
    to: "+14155550123",
    from: "DEMO",
    body: "Hello",
    encoding: "GSM-7",
    segments: 1,
    reference: "r-1",
    metadata: { order: "4711" },
    status: "pending",
    cost: 0.0125,
    currency: "USD",
    provider: "sandbox",
    provider_message_id: "",
    attempts: 0,
    error: null,
    created_at: "2026-01-31T12:00:00.000Z",
    sent_at: null,
    delivered_at: null,
    failed_at: null,
    scheduled_at: null,
    validity_period: null,
  });
  expect(presentMessage(sent)).toMatchObject({ provider_message_id: "sbx_1", sent_at: "2026-01-31T12:00:01.000Z" });
});

test.each([
  { status: "delivered", deliveredAt: new Date("2026-01-31T12:00:02.000Z") },
  { status: "undelivered", failedAt: new Date("2026-01-31T12:00:02.000Z"), errorCode: "x", errorMessage: "why" },
] as const)("the row of a $status message restores its exact state at `sent`", (end) => {
  const final: MessageRow = { ...sent, ...end };
  expect(messageAt(final, "sent")).toEqual(sent);
  expect(messageAt(final, end.status)).toEqual(final);
});

test("an error always has a code, a message and a reason", () => {
  expect(presentMessage({ ...row, status: "failed", errorCode: "no_route", errorMessage: null }).error).toEqual({
    code: "no_route",
    message: "no_route",
    reason: "no_provider",
  });
});

test("a provider's code keeps its spelling; its reason depends on the provider and the time", () => {
  const failed = { ...row, status: "failed", errorMessage: "why" };
  const reasonOf = (own: Partial<MessageRow>) => presentMessage({ ...failed, ...own }).error;
  expect(reasonOf({ provider: "twilio", errorCode: "21614" })).toEqual({
    code: "21614",
    message: "why",
    reason: "invalid_recipient",
  });
  expect(reasonOf({ provider: "vonage", errorCode: "7" })?.reason).toBe("blocked");
  expect(reasonOf({ provider: "vonage", errorCode: "7", sentAt: sent.sentAt })?.reason).toBe("unreachable");
  expect(reasonOf({ provider: null, errorCode: "21614" })?.reason).toBe("unknown");
});
