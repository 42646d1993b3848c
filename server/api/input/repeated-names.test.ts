import { describe, expect, test } from "vitest";
import { repeatedNames } from "./repeated-names";

const found = (json: string): string[] => repeatedNames(Buffer.from(json), JSON.parse(json.replace(/^\ufeff/, "")));

test.each([
  ['{"to":"+1","to":"+2"}', ["to"]],
  ['{"to":"+1","body":"x","to":"+2","to":"+3","body":"y"}', ["to", "body"]],
  ['{"to":1,"t\\u006f":2}', ["to"]],
  ['{ "a\\"" : 1 ,\n"a\\"":2}', ['a"']],
  ['{"a\\\\":1,"b":{"a\\\\":2},"a\\\\":3}', ["a\\"]],
  ['{"metadata":{"order":"1","order":"2"}}', ["metadata.order"]],
  ['{"variables":[{"a":"1"},{"a":"1","a":"2"}],"recipients":["a","a"]}', ["variables[1].a"]],
  ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
  ['{"":1,"":2}', [""]],
  ['\ufeff{"to":"{","to":"}"}', ["to"]],
])("%s has repeated names", (json, names) => {
  expect(found(json)).toEqual(names);
});

test.each([
  "{}",
  '{"to":"to","from":"to:","body":"{\\"to\\":1,\\"to\\":2}"}',
  '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":"a:"}]}',
  '{"to":"\\\\","body":"\\\\\\"","reference":"a:b,to:[{}]"}',
  '{"TO":1,"to":":","tö":2,"to\\u0308":3}',
])("%s has none", (json) => {
  expect(found(json)).toEqual([]);
});

test("objects nested deeper than any input are not compared, however deep they are", () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}{"b":1,"b":2}${"}".repeat(depth)}`;
  expect(found(nested(3))).toEqual(["a.a.a.b"]);
  expect(found(nested(4))).toEqual([]);
  expect(found(`{"a":${nested(200_000)},"to":1,"to":2}`)).toEqual(["to"]);
});

test("at most 20 repeated names are listed", () => {
  const names = Array.from({ length: 40 }, (_, at) => `"n${at}":1`).join(",");
  expect(found(`{${names},${names}}`)).toHaveLength(20);
});

describe("in random texts", () => {
  // No single backslash: after an object with that name, JSON.parse of Node 24 reads "\u0061" as that name.
  const NAMES = ["a", "b", '\\"', "\\\\b", "\\u0061", "{", ":", ","];
  /** A JSON object, and the paths of its names in the order of the text. */
  function make(random: () => number, depth: number, path: string, seen: string[]): string {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const space = () => pick(["", " ", "\n"]);
    const names = Array.from({ length: Math.floor(random() * 4) }, () => pick(NAMES));
    const entries = names.map((name) => {
      const own = path === "" ? JSON.parse(`"${name}"`) : `${path}.${JSON.parse(`"${name}"`)}`;
      seen.push(own);
      const kind = depth > 0 ? random() : 1;
      const value =
        kind < 0.3
          ? make(random, depth - 1, own, seen)
          : kind < 0.5
            ? `[${space()}${make(random, depth - 2, `${own}[0]`, seen)}${space()},"a:"]`
            : pick(["1", "null", `"${pick(NAMES)}"`]);
      return `${space()}"${name}"${space()}:${space()}${value}${space()}`;
    });
    return `{${entries.join(",")}}`;
  }

  test("exactly the names that one object has twice are found", () => {
    let seed = 4711;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    for (let round = 0; round < 500; round += 1) {
      const seen: string[] = [];
      const json = make(random, 2, "", seen);
      // `seen` treats objects with the same path, the values of a repeated name, as one, so only the first level is compared.
      const top = seen.filter((path) => !/[.[]/.test(path));
      const expected = new Set(top.filter((name, at) => top.indexOf(name) !== at));
      expect(new Set(found(json).filter((path) => !/[.[]/.test(path))), json).toEqual(expected);
    }
  });
});
