import { expect, test } from "vitest";
import { watchHeartbeats } from "./heartbeats";

const SECOND_MS = 1_000;

/** Watches one worker every second for a minute. `beatsAt`: the heartbeat in its row at a time. @returns its silences. */
function silences(beatsAt: (ms: number) => number): number[] {
  const watch = watchHeartbeats();
  const all: number[] = [];
  for (let ms = 0; ms <= 60 * SECOND_MS; ms += SECOND_MS) {
    all.push(watch.note([{ id: "one", seenAt: beatsAt(ms) }], ms, ms + 5).get("one") ?? -1);
  }
  return all;
}

test("a worker whose heartbeat changes is not silent, however the database's clock is changed meanwhile", () => {
  for (const stepMs of [90, -90, 86_400].map((seconds) => seconds * SECOND_MS)) {
    expect(Math.max(...silences((ms) => (ms < 30 * SECOND_MS ? ms : ms + stepMs)))).toBe(0);
  }
});

test("a killed worker is found silent for four seconds within six", () => {
  const killedAtMs = 10 * SECOND_MS;
  const lengths = silences((ms) => Math.min(ms, killedAtMs));
  expect(lengths.findIndex((ms) => ms >= 4 * SECOND_MS) * SECOND_MS - killedAtMs).toBeLessThanOrEqual(6 * SECOND_MS);
});

test("silence before an outage or a stall of our own does not count", () => {
  const watch = watchHeartbeats();
  const note = (ms: number) => watch.note([{ id: "one", seenAt: 1 }], ms, ms + 5).get("one");
  note(0);
  watch.forget();
  expect([note(50 * SECOND_MS), note(52 * SECOND_MS)]).toEqual([0, 1_995]);
});

test("a worker that is new, or whose row returns, begins without silence", () => {
  const watch = watchHeartbeats();
  expect(watch.note([], 0, 0)).toEqual(new Map());
  expect(watch.note([{ id: "one", seenAt: 1 }], 1_000, 1_005)).toEqual(new Map([["one", 0]]));
  expect(watch.note([{ id: "one", seenAt: 1 }], 3_000, 3_005)).toEqual(new Map([["one", 1_995]]));
  expect(watch.note([], 4_000, 4_005)).toEqual(new Map());
  expect(watch.note([{ id: "one", seenAt: 1 }], 5_000, 5_005)).toEqual(new Map([["one", 0]]));
});
