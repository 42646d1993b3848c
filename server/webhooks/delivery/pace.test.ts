import { describe, expect, test } from "vitest";
import { createPace, type Pace } from "./pace";

const ENDPOINT = "whk_1";

/** A response to a request that began at `beganMs`. */
const answer = (statusCode: number | null, beganMs: number, retryAfterS: number | null = null) => ({
  acknowledged: statusCode === 200,
  statusCode,
  retryAfterS,
  beganMs,
  acknowledgedMs: Number.NEGATIVE_INFINITY,
});

/** A pace whose endpoint was overloaded at 0 ms. */
function overloaded(retryAfterS: number | null = null): Pace {
  const pace = createPace();
  pace.note(ENDPOINT, answer(429, 0, retryAfterS), 0);
  return pace;
}

describe("an endpoint", () => {
  test.each([
    ["that responds with 429", 429, null, true],
    ["that responds with 503 and Retry-After", 503, 0, true],
    ["that responds with 503 alone", 503, null, false],
    ["that responds with 500 and Retry-After", 500, 5, false],
    ["that does not respond", null, null, false],
    ["that acknowledges", 200, null, false],
  ])("%s", (_, statusCode, retryAfterS, isPaced) => {
    const pace = createPace();
    expect(pace.note(ENDPOINT, answer(statusCode, 0, retryAfterS), 0)).toBe(isPaced);
    expect(pace.isPaced(ENDPOINT)).toBe(isPaced);
    expect(pace.waitMs(ENDPOINT, 0)).toBe(isPaced ? 1_000 : 0);
    expect([pace.isPaced("whk_2"), pace.waitMs("whk_2", 0)]).toEqual([false, 0]);
  });
});

describe.each([502, 503, 504, null])("an endpoint that responds with %s", (statusCode) => {
  const note = (pace: Pace, nowMs: number, acknowledgedMs = Number.NEGATIVE_INFINITY) =>
    pace.note(ENDPOINT, { ...answer(statusCode, nowMs), acknowledgedMs }, nowMs);

  test("is overloaded if it has acknowledged a request within the last ten seconds, or since this one began", () => {
    expect(note(createPace(), 10_000, 1)).toBe(true);
    expect(note(createPace(), 10_000, 0)).toBe(false);
    const late = { ...answer(statusCode, 5_000), acknowledgedMs: 5_000 };
    expect(createPace().note(ENDPOINT, late, 30_000)).toBe(true);
    expect(createPace().note(ENDPOINT, { ...late, acknowledgedMs: 4_999 }, 30_000)).toBe(false);
    expect(createPace().note(ENDPOINT, { ...late, ofProxy: "away" }, 5_001)).toBe(false);
  });

  test("is not overloaded any more ten seconds after that, however often it was meanwhile", () => {
    const pace = overloaded();
    expect(note(pace, 1_000)).toBe(false);
    pace.note(ENDPOINT, answer(200, 1_000), 1_000);
    expect(note(pace, 10_999)).toBe(true);
    expect(note(pace, 11_000)).toBe(false);
  });
});

describe("a pause", () => {
  test("is a second, and doubles up to 15 while no request is acknowledged", () => {
    const pace = createPace();
    let nowMs = 0;
    const pauses = Array.from({ length: 6 }, () => {
      pace.note(ENDPOINT, answer(429, nowMs), nowMs);
      const pauseMs = pace.waitMs(ENDPOINT, nowMs);
      nowMs += pauseMs;
      return pauseMs;
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    pace.note(ENDPOINT, answer(200, nowMs), nowMs);
    pace.note(ENDPOINT, answer(429, nowMs + 1), nowMs + 1);
    expect(pace.waitMs(ENDPOINT, nowMs + 1)).toBe(1_000);
  });

  test.each([
    [0, 1_000],
    [40, 40_000],
    [3_600, 60_000],
  ])("for Retry-After %i lasts %i ms", (retryAfterS, pauseMs) => {
    expect(overloaded(retryAfterS).waitMs(ENDPOINT, 0)).toBe(pauseMs);
  });

  test("is prolonged, but not doubled, by requests that were under way when it began", () => {
    const pace = overloaded();
    pace.note(ENDPOINT, answer(429, -5), 10);
    expect(pace.waitMs(ENDPOINT, 10)).toBe(990);
    pace.note(ENDPOINT, answer(503, -5, 20), 20);
    expect(pace.waitMs(ENDPOINT, 20)).toBe(20_000);
    pace.note(ENDPOINT, answer(429, 30_000), 30_000);
    expect(pace.waitMs(ENDPOINT, 30_000)).toBe(2_000);
  });
});

describe("the rate", () => {
  const gapMs = (pace: Pace, nowMs: number) => {
    pace.begin(ENDPOINT, nowMs);
    return pace.waitMs(ENDPOINT, nowMs);
  };

  test("begins at 8 a second, rises by one with each acknowledged request, and is halved by the next overload", () => {
    const pace = overloaded();
    expect(gapMs(pace, 1_000)).toBe(1_000 / 8);
    pace.note(ENDPOINT, answer(200, 1_000), 1_001);
    pace.note(ENDPOINT, answer(200, 1_000), 1_002);
    expect(gapMs(pace, 2_000)).toBe(1_000 / 10);
    pace.note(ENDPOINT, answer(429, 2_000), 2_001);
    expect(gapMs(pace, 4_000)).toBe(1_000 / 5);
  });

  test("rises slowly once it was too high", () => {
    const pace = overloaded();
    pace.note(ENDPOINT, answer(200, 1_000), 1_000);
    pace.note(ENDPOINT, answer(429, 1_000), 1_000);
    for (let second = 2; second < 12; second += 1) {
      const perSecond = Math.round(1_000 / gapMs(pace, second * 1_000));
      for (let n = 0; n < perSecond; n += 1) pace.note(ENDPOINT, answer(200, second * 1_000), second * 1_000);
    }
    const perSecond = 1_000 / gapMs(pace, 12_000);
    expect(perSecond).toBeGreaterThan(4 + 10 * 0.3);
    expect(perSecond).toBeLessThan(4 + 10 * 0.6);
  });

  test("rises quickly after an outage, in which no request was acknowledged", () => {
    const pace = overloaded();
    for (const nowMs of [1_000, 3_000, 7_000]) pace.note(ENDPOINT, answer(429, nowMs), nowMs);
    expect(gapMs(pace, 15_000)).toBe(1_000);
    for (let n = 0; n < 99; n += 1) pace.note(ENDPOINT, answer(200, 16_000), 16_000);
    expect(gapMs(pace, 17_000)).toBe(10);
  });

  test("does not fall below one a second, and neither failures nor earlier requests raise it", () => {
    const pace = createPace();
    for (let nowMs = 0; nowMs < 10; nowMs += 1) pace.note(ENDPOINT, answer(429, nowMs), nowMs);
    expect(gapMs(pace, 60_000)).toBe(1_000);
    pace.note(ENDPOINT, answer(500, 60_000), 60_000);
    pace.note(ENDPOINT, answer(null, 60_000), 60_000);
    pace.note(ENDPOINT, answer(200, 0), 60_000);
    expect(gapMs(pace, 70_000)).toBe(1_000);
  });

  test("is not limited any more once the endpoint takes 2,000 a second, nor ten minutes after the last request", () => {
    const quick = overloaded();
    for (let n = 0; n < 2_000; n += 1) quick.note(ENDPOINT, answer(200, 1_000), 1_000);
    expect(quick.isPaced(ENDPOINT)).toBe(false);
    const idle = overloaded();
    idle.note("whk_2", answer(429, 600_000), 600_000);
    expect(idle.isPaced(ENDPOINT)).toBe(true);
    idle.note("whk_3", answer(429, 601_001), 601_001);
    expect(["whk_2", "whk_3", ENDPOINT].map(idle.isPaced)).toEqual([true, true, false]);
  });
});

/**
 * Sends for some minutes to a server with a limit (token bucket) as sendDeliveries does, 16 requests at a time.
 * @returns requests by their result.
 */
function sendTo(
  { perSecond, burst, latencyMs }: { perSecond: number; burst: number; latencyMs: number },
  forMs: number,
) {
  const pace = createPace();
  const underWay: { beganMs: number; statusCode: number }[] = [];
  const counts = { taken: 0, refused: 0 };
  let tokens = burst;
  let nowMs = 0;
  const goOnTo = (ms: number) => {
    tokens = Math.min(burst, tokens + ((ms - nowMs) * perSecond) / 1_000);
    nowMs = ms;
  };
  while (nowMs < forMs) {
    const beginsMs = underWay.length < 16 ? nowMs + pace.waitMs(ENDPOINT, nowMs) : Number.POSITIVE_INFINITY;
    const endsMs = underWay[0] ? underWay[0].beganMs + latencyMs : Number.POSITIVE_INFINITY;
    if (endsMs <= beginsMs) {
      goOnTo(endsMs);
      const ended = underWay.shift();
      if (ended) pace.note(ENDPOINT, answer(ended.statusCode, ended.beganMs), nowMs);
      continue;
    }
    goOnTo(beginsMs);
    pace.begin(ENDPOINT, nowMs);
    const isTaken = tokens >= 1;
    if (isTaken) tokens -= 1;
    counts[isTaken ? "taken" : "refused"] += 1;
    underWay.push({ beganMs: nowMs, statusCode: isTaken ? 200 : 429 });
  }
  return counts;
}

test.each([
  { perSecond: 2, burst: 1, latencyMs: 50 },
  { perSecond: 10, burst: 20, latencyMs: 50 },
  { perSecond: 50, burst: 50, latencyMs: 20 },
  { perSecond: 300, burst: 10, latencyMs: 5 },
  { perSecond: 100, burst: 100, latencyMs: 150 },
])("a server that takes $perSecond a second gets most of them, and refuses few ($burst at once)", (server) => {
  const { taken, refused } = sendTo(server, 300_000);
  const possible = Math.min(server.perSecond, 16_000 / server.latencyMs) * 300;
  expect(taken).toBeGreaterThan(possible * 0.6);
  expect(refused).toBeLessThan(taken * 0.2);
});
