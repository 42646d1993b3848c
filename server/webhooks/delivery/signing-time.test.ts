import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MINUTE_MS } from "../../core/clock";
import { noteAhead } from "../../observability/database-time";
import { noteDate, signingSeconds } from "./signing-time";

const TRUE_MS = Date.UTC(2026, 0, 31, 12);
const seconds = (ms: number): number => ms / 1_000;
const dateAt = (ms: number): string => new Date(ms).toUTCString();

beforeEach(() => {
  vi.useFakeTimers({ now: TRUE_MS });
});

afterEach(() => {
  noteAhead(0);
  vi.useRealTimers();
});

test("clocks that agree sign with our own, whatever a receiver says", () => {
  noteAhead(3);
  noteDate(dateAt(TRUE_MS + 60 * MINUTE_MS));
  expect(signingSeconds()).toBe(seconds(TRUE_MS));
});

test.each([10, -10])(
  "a clock of ours that is %i minutes ahead is corrected as soon as a receiver has responded",
  (minutes) => {
    vi.setSystemTime(TRUE_MS + minutes * MINUTE_MS);
    noteAhead(minutes * MINUTE_MS);
    noteDate(dateAt(TRUE_MS));
    expect(signingSeconds()).toBe(seconds(TRUE_MS));
  },
);

test.each([10, -10])("a clock of the database that is %i minutes off changes nothing", (minutes) => {
  noteAhead(minutes * MINUTE_MS);
  noteDate(dateAt(TRUE_MS));
  expect(signingSeconds()).toBe(seconds(TRUE_MS));
});

test("a clock that is set right since it was compared is believed at once", () => {
  vi.setSystemTime(TRUE_MS + 10 * MINUTE_MS);
  noteAhead(10 * MINUTE_MS);
  noteDate(dateAt(TRUE_MS));
  vi.setSystemTime(TRUE_MS);
  expect(signingSeconds()).toBe(seconds(TRUE_MS));
});

test.each([undefined, "", "yesterday"])("a response with the date %s says nothing", (date) => {
  vi.setSystemTime(TRUE_MS + 10 * MINUTE_MS);
  noteAhead(10 * MINUTE_MS);
  noteDate(dateAt(TRUE_MS));
  noteDate(date);
  expect(signingSeconds()).toBe(seconds(TRUE_MS));
});

test("a receiver whose own clock is wrong decides nothing", () => {
  noteAhead(10 * MINUTE_MS);
  noteDate(dateAt(TRUE_MS));
  noteDate(dateAt(TRUE_MS - 60 * MINUTE_MS));
  expect(signingSeconds()).toBe(seconds(TRUE_MS));
});
