import { describe, expect, it } from "vitest";
import type { MessageDetail } from "@/server/messages/schema";
import { elapsed, foldedTimeline, timelineOf } from "./timeline";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();

const detail: MessageDetail = {
  message: {
    id: "msg_1",
    object: "message",
    to: "+15550100001",
    from: "Acme",
    body: "Hello",
    encoding: "GSM-7",
    segments: 1,
    reference: null,
    metadata: null,
    status: "delivered",
    cost: 0.01,
    currency: "USD",
    provider: "sandbox",
    provider_message_id: "sbx_1",
    attempts: 1,
    error: null,
    created_at: at(0),
    sent_at: at(2),
    delivered_at: at(3),
    failed_at: null,
    scheduled_at: null,
    validity_period: null,
  },
  reference: null,
  api_key: null,
  encoding: "GSM-7",
  segments: 1,
  rescheduled: null,
  attempts: [
    { seq: 1, provider: "sandbox", outcome: "accepted", code: null, detail: null, latency_ms: 900, started_at: at(1) },
  ],
  receipts: [{ status: "delivered", code: null, detail: null, applied: true, received_at: at(3) }],
  ledger: [
    { kind: "reserve", amount: -0.01, created_at: at(0) },
    { kind: "settle", amount: 0, created_at: at(2) },
  ],
  deliveries: [
    {
      id: "dlv_1",
      endpoint_id: "whe_1",
      url: "https://example.com/hook",
      event_type: "message.sent",
      status: "delivered",
      attempts: 1,
      created_at: at(2),
    },
  ],
};

const keysOf = (from: MessageDetail) => timelineOf(from).map((entry) => entry.key);

describe("timelineOf", () => {
  it("is in order of time, with the cause before its effect within one millisecond", () => {
    expect(keysOf(detail)).toEqual([
      "accepted",
      "ledger-reserve",
      "attempt-1",
      "sent",
      "ledger-settle",
      "dlv_1",
      "receipt-0",
      "delivered",
    ]);
  });

  it("shows a receipt before the provider's response if it arrived first", () => {
    const early = { ...detail, receipts: detail.receipts.map((receipt) => ({ ...receipt, received_at: at(1) })) };
    expect(keysOf(early).indexOf("receipt-0")).toBeLessThan(keysOf(early).indexOf("sent"));
  });

  it("gives equal receipts different keys", () => {
    const repeated = { ...detail, receipts: [...detail.receipts, ...detail.receipts] };
    expect(new Set(keysOf(repeated)).size).toBe(keysOf(repeated).length);
  });
});

describe("foldedTimeline", () => {
  const foldsOf = (from: MessageDetail) =>
    foldedTimeline(from).map(({ entry, folded }) => [entry.key, folded.map(({ key }) => key)]);

  it("puts money and webhooks below what caused them", () => {
    expect(foldsOf(detail)).toEqual([
      ["accepted", ["ledger-reserve"]],
      ["attempt-1", []],
      ["sent", ["ledger-settle", "dlv_1"]],
      ["receipt-0", []],
      ["delivered", []],
    ]);
  });

  it("leaves nothing out", () => {
    const shown = foldedTimeline(detail).flatMap(({ entry, folded }) => [entry, ...folded]);
    expect(shown).toEqual(timelineOf(detail));
  });
});

describe("elapsed", () => {
  it("shows the two largest units", () => {
    const after = (ms: number) => elapsed(at(0), new Date(Date.parse(at(0)) + ms).toISOString());
    expect([12, 1_250, 59_999, 200_000, 43_500_000].map(after)).toEqual([
      "+12 ms",
      "+1.2 s",
      "+59.9 s",
      "+3 min 20 s",
      "+12 h 5 min",
    ]);
  });

  it("is never negative, even if two clocks differ", () => {
    expect(elapsed(at(1), at(0))).toBe("+0 ms");
  });
});
