import { expect, test } from "vitest";
import { FIGURES_MINUTES, firstMinute, type MinuteCounts, seriesOf, sumMinutes } from "./figures";

const at = new Date("2026-05-04T10:30:40.000Z");

const minute = (text: string, more: Partial<MinuteCounts> = {}): MinuteCounts => ({
  minute: new Date(text),
  accepted: 0,
  refused: 0,
  failed: 0,
  throttled: 0,
  accountRefused: 0,
  messageRefused: 0,
  egressFailed: 0,
  unknown: 0,
  latencyMs: 0n,
  receipts: 0,
  receiptsForged: 0,
  receiptsStale: 0,
  receiptsReplayed: 0,
  receiptsUnreadable: 0,
  receiptsBlocked: 0,
  ...more,
});

test("the last hour ends with the current minute", () => {
  expect(firstMinute(at).toISOString()).toBe("2026-05-04T09:31:00.000Z");
});

test("the success share excludes calls with an unknown outcome, the latency includes them", () => {
  const figures = sumMinutes([
    minute("2026-05-04T10:29:00Z", { accepted: 6, failed: 1, unknown: 2, latencyMs: 800n, receipts: 5 }),
    minute("2026-05-04T10:30:00Z", { messageRefused: 1, latencyMs: 200n, receiptsForged: 3 }),
  ]);
  expect(figures).toMatchObject({ calls: 10, accepted: 6, failed: 1, message_refused: 1, unknown: 2 });
  expect(figures).toMatchObject({ success_share: 0.75, mean_latency_ms: 100, receipts: 5, receipts_forged: 3 });
});

test("without calls there is neither a success share nor a latency", () => {
  expect(sumMinutes([])).toMatchObject({ calls: 0, success_share: null, mean_latency_ms: null });
  expect(sumMinutes([minute("2026-05-04T10:30:00Z", { unknown: 2, latencyMs: 50n })])).toMatchObject({
    calls: 2,
    success_share: null,
    mean_latency_ms: 25,
  });
});

test("every minute of the hour has a point, with all failures in one figure", () => {
  const rows = [
    minute("2026-05-04T09:30:00Z", { accepted: 9 }),
    minute("2026-05-04T10:30:00Z", {
      accepted: 1,
      refused: 1,
      failed: 1,
      throttled: 1,
      accountRefused: 1,
      egressFailed: 1,
      unknown: 4,
    }),
  ];
  const series = seriesOf(rows, at);
  expect(series).toHaveLength(FIGURES_MINUTES);
  expect(series[0]).toEqual({ minute: "2026-05-04T09:31:00.000Z", accepted: 0, failed: 0, unknown: 0 });
  expect(series.at(-1)).toEqual({ minute: "2026-05-04T10:30:00.000Z", accepted: 1, failed: 5, unknown: 4 });
});
