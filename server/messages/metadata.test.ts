import { expect, test } from "vitest";
import { givenMetadata, MetadataInput, MetadataQuery } from "./metadata";

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, "value"]));

test.each([
  ["nothing", undefined],
  ["null", null],
  ["no pair", {}],
  ["20 pairs", pairs(20)],
  ["the longest key and value", { ["k".repeat(40)]: "v".repeat(500) }],
  ["the longest key and value of characters with two units", { ["😀".repeat(40)]: "😀".repeat(500) }],
  ["an empty value", { key: "" }],
  ["keys of any characters", { "Bestell-Nr. (€) [1]": "4711" }],
])("%s is accepted as it is", (_, given) => {
  expect(MetadataInput.parse(given)).toEqual(given);
});

test.each([
  ["21 pairs", pairs(21), "must have at most 20 pairs"],
  ["an empty key", { "": "value" }, "keys must have 1 to 40 characters"],
  ["a key of 41 characters", { ["k".repeat(41)]: "value" }, "keys must have 1 to 40 characters"],
  ["a key of 41 characters with two units", { ["😀".repeat(41)]: "value" }, "keys must have 1 to 40 characters"],
  ["a key that cannot be stored", { "a\0": "value" }, "keys must not contain NUL (U+0000)"],
  ["half of a surrogate pair in a key", { "\ud83d": "value" }, "keys must not contain half of a surrogate pair"],
  ["a key that every object has", JSON.parse('{"__proto__":"value"}'), "names must not be __proto__"],
  ["such a key with another value", JSON.parse('{"a":"1","__proto__":{"b":"2"}}'), "names must not be __proto__"],
  ["a value of 501 characters", { key: "v".repeat(501) }, "must have at most 500 characters"],
])("%s is refused with its limit", (_, given, message) => {
  for (const schema of [MetadataInput, MetadataQuery]) {
    const issues = schema.safeParse(given).error?.issues ?? [];
    expect(issues.map((issue) => issue.message).join()).toContain(message);
  }
});

test.each([[{ key: 1 }], [{ key: null }], [{ key: ["a"] }], [["a"]], ["a"]])(
  "%j is refused: pairs are text",
  (given) => {
    expect(MetadataInput.safeParse(given).success).toBe(false);
  },
);

test("an empty object is stored as none", () => {
  const given: Parameters<typeof givenMetadata>[0][] = [undefined, null, {}, { a: "1" }];
  expect(given.map(givenMetadata)).toEqual([null, null, null, { a: "1" }]);
});
