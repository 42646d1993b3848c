import { expect, test } from "vitest";
import { isId, newId } from "./ids";

test("ids are unique and sort by the order in which they were made", () => {
  const ids = Array.from({ length: 20_000 }, () => newId("message"));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});

test("an id carries the time in its first ten characters", () => {
  const before = Date.now();
  const id = newId("event");
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  const ms = [...id.slice(4, 14)].reduce((sum, character) => sum * 32 + alphabet.indexOf(character), 0);
  expect(ms).toBeGreaterThanOrEqual(before - 5);
  expect(ms).toBeLessThanOrEqual(Date.now() + 50);
});

test("isId accepts what newId makes and refuses other kinds, lengths and letters", () => {
  const id = newId("endpoint");
  expect(isId("endpoint", id)).toBe(true);
  expect(isId("message", id)).toBe(false);
  expect(isId("endpoint", `${id}0`)).toBe(false);
  expect(isId("endpoint", id.toUpperCase())).toBe(false);
  expect(isId("endpoint", `whe_${"u".repeat(26)}`)).toBe(false);
});
