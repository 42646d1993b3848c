import { expect, test } from "vitest";
import { newId } from "../core/ids";
import { readTraceparent, traceOf, traceparentOf } from "./subject-trace";

test("the trace of a message has the bits of its id, so that every process knows it", () => {
  expect(traceOf("msg_01jzx5k8gq0000000000000001")).toEqual({
    traceId: "0197fa59a21700000000000000000001",
    spanId: "0000000000000001",
  });
  const ids = Array.from({ length: 1_000 }, () => newId("message"));
  const traces = ids.map(traceOf);
  expect(new Set(traces.map(({ traceId }) => traceId)).size).toBe(1_000);
  for (const { traceId, spanId } of traces) {
    expect(traceId).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect(spanId).toBe(traceId.slice(16));
  }
});

test("a traceparent is read as W3C Trace Context says, and anything else is none", () => {
  const ids = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
  expect(readTraceparent(traceparentOf(ids, true))).toEqual({ ...ids, isSampled: true });
  expect(readTraceparent(traceparentOf(ids, false))).toEqual({ ...ids, isSampled: false });
  expect(readTraceparent(`cc-${ids.traceId}-${ids.spanId}-01-more`)).toEqual({ ...ids, isSampled: true });
  const refused = [
    ...["", "00", `ff-${ids.traceId}-${ids.spanId}-01`, `00-${ids.traceId.toUpperCase()}-${ids.spanId}-01`],
    ...[`00-${"0".repeat(32)}-${ids.spanId}-01`, `00-${ids.traceId}-${"0".repeat(16)}-01`, `00-${ids.traceId}-1-01`],
  ];
  for (const text of refused) expect(readTraceparent(text)).toBeNull();
});
