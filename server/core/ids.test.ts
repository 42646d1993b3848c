import { expect, test, vi } from "vitest";
import { DAY_MS, HOUR_MS } from "./clock";
import { firstIdAt, ID_SLACK_MS, isId, isTestAccount, liveAccountOf, newId, testAccountOf, timeOfId } from "./ids";

test("ids are unique and sort by the order in which they were made", () => {
  const ids = Array.from({ length: 20_000 }, () => newId("message"));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});

test("ids go on increasing when the clock is set back by minutes", () => {
  const before = newId("message");
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() - ID_SLACK_MS / 2);
  const after = newId("message");
  clock.mockRestore();
  expect(after > before).toBe(true);
});

test.each([[HOUR_MS], [16 * DAY_MS]])(
  "ids follow a clock that is set back by %i ms, so that their time is never far from the time of their rows",
  (stepMs) => {
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + stepMs);
    newId("message");
    clock.mockRestore();
    const ids = Array.from({ length: 1_000 }, () => newId("message"));
    const aheadMs = ids.map((id) => timeOfId(id).getTime() - Date.now());
    expect(Math.max(...aheadMs)).toBeLessThanOrEqual(ID_SLACK_MS);
    expect([...new Set(ids)].sort()).toEqual(ids);
  },
);

test("an id carries the time in its first ten characters", () => {
  const before = Date.now();
  const id = newId("event");
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  const ms = [...id.slice(4, 14)].reduce((sum, character) => sum * 32 + alphabet.indexOf(character), 0);
  expect(ms).toBeGreaterThanOrEqual(before - 5);
  expect(ms).toBeLessThanOrEqual(Date.now() + 50);
});

test("isId accepts the ids of newId and refuses other kinds, lengths and letters", () => {
  const id = newId("endpoint");
  expect(isId("endpoint", id)).toBe(true);
  expect(isId("message", id)).toBe(false);
  expect(isId("endpoint", `${id}0`)).toBe(false);
  expect(isId("endpoint", id.toUpperCase())).toBe(false);
  expect(isId("endpoint", `whe_${"u".repeat(26)}`)).toBe(false);
});

test("an id carries the time at which it was made, and sorts behind the ids of earlier milliseconds", () => {
  const before = new Date();
  const id = newId("message");
  expect(timeOfId(id).getTime()).toBeGreaterThanOrEqual(before.getTime() - 5);
  expect(timeOfId(id).getTime()).toBeLessThanOrEqual(Date.now() + 50);
  expect(id > firstIdAt("message", timeOfId(id))).toBe(true);
  expect(id < firstIdAt("message", new Date(timeOfId(id).getTime() + 1))).toBe(true);
});

test.each(["1970-01-01T00:00:00.000Z", "2026-01-31T12:00:00.123Z", "9999-12-31T23:59:59.999Z"])(
  "the first id of %s carries that time",
  (iso) => {
    const id = firstIdAt("inbound", new Date(iso));
    expect(isId("inbound", id)).toBe(true);
    expect(timeOfId(id).toISOString()).toBe(iso);
  },
);

test("the id of an account's test mode follows from its own, and leads back to it", () => {
  const live = newId("account");
  const twin = testAccountOf(live);
  expect([isTestAccount(live), isTestAccount(twin)]).toEqual([false, true]);
  expect([liveAccountOf(twin), liveAccountOf(live)]).toEqual([live, live]);
  expect(twin).not.toBe(live);
  expect(testAccountOf(twin)).toBe(twin);
});

test("the id of an account is short; it sorts among the earlier, longer ids by the second, and within a second by order", () => {
  const clock = vi.spyOn(Date, "now");
  const at = Date.now() + 3_600_000;
  const longBehind = (ms: number) => firstIdAt("message", new Date(at + ms)).replace("msg_", "acc_");
  clock.mockReturnValue(at);
  const ids = Array.from({ length: 2_000 }, () => newId("account"));
  clock.mockReturnValue(at + 2_000);
  const later = newId("account");
  clock.mockRestore();
  for (const id of ids) {
    expect(id).toMatch(/^acc_[0-9a-hjkmnp-tv-z]{12}$/);
    expect(id > longBehind(-1_100) && id < longBehind(1_100) && id < later).toBe(true);
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});
