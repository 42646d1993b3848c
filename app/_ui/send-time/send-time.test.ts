import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isoOf, localOf, sendAtProblem } from "./send-time";

const zoneBefore = process.env.TZ;

beforeEach(() => {
  process.env.TZ = "Europe/Berlin";
  vi.useFakeTimers({ now: new Date("2027-03-20T12:00:00Z") });
});

afterEach(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
  vi.useRealTimers();
});

test("a local time that clocks skip is refused, not sent an hour late", () => {
  expect(sendAtProblem("2027-03-28T02:30")).toMatch(/does not exist/);
  for (const local of ["2027-03-28T01:59", "2027-03-28T03:00", "2027-03-28T03:00:30"])
    expect(sendAtProblem(local), local).toBeNull();
  expect(isoOf("2027-03-28T03:00")).toBe("2027-03-28T01:00:00.000Z");
});

test("the local time of a moment is what its field shows", () => {
  expect(localOf(new Date("2027-03-28T01:00:59Z"))).toBe("2027-03-28T03:00");
});

test("a local time that occurs twice means its first occurrence", () => {
  vi.setSystemTime(new Date("2027-10-20T12:00:00Z"));
  expect(sendAtProblem("2027-10-31T02:30")).toBeNull();
  expect(isoOf("2027-10-31T02:30")).toBe("2027-10-31T00:30:00.000Z");
});

test("a time must lie ahead, by 30 days at most", () => {
  expect(sendAtProblem("")).toBeNull();
  expect(sendAtProblem("unfinished")).toMatch(/Enter/);
  expect(sendAtProblem("2027-03-20T12:00")).toMatch(/future/);
  expect(sendAtProblem("2027-04-19T13:59")).toBeNull();
  expect(sendAtProblem("2027-04-19T14:01")).toMatch(/within 30 days/);
});
