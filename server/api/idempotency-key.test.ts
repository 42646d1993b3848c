import { expect, test } from "vitest";
import { idempotencyOf } from "./idempotency-key";

const hashesOf = (text: string, path = "/messages/send") => {
  const found = idempotencyOf("k", path, Buffer.from(text), JSON.parse(text));
  return { bytes: found?.requestHash, value: found?.valueHash };
};

test("the order of names and whitespace change the hash of the bytes, not that of the value", () => {
  const one = hashesOf('{"to":"+1","body":"a","more":{"x":1,"y":[1,2]}}');
  const other = hashesOf('{ "body": "\\u0061", "more": {"y": [1, 2], "x": 1.0},\n "to": "+1" }');
  expect(other.value).toBe(one.value);
  expect(other.bytes).not.toBe(one.bytes);
});

test.each([
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"a":1}', '{"a":1,"b":null}'],
  ['{"a":{"b":1}}', '{"a":{"c":1}}'],
  ['{"__proto__":1}', "{}"],
])("%s and %s differ", (one, other) => {
  expect(hashesOf(one).value).not.toBe(hashesOf(other).value);
});

test("another operation is another request", () => {
  expect(hashesOf("{}", "/senders/create").value).not.toBe(hashesOf("{}", "/webhooks/create").value);
});

test("two headers of this name are refused with a specific message", () => {
  const messageOf = (key: string) => {
    try {
      return idempotencyOf(key, "/messages/send", Buffer.from("{}"), {});
    } catch (thrown) {
      return thrown instanceof Error && thrown.message;
    }
  };
  expect(messageOf("one, other")).toBe("Idempotency-Key must be given once, with 1 to 255 visible ASCII characters.");
  expect(messageOf("with space")).toBe("Idempotency-Key must have 1 to 255 visible ASCII characters.");
});

test("a value that is nested too deeply has only the hash of its bytes", () => {
  const deep = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  const found = idempotencyOf("k", "/messages/send", Buffer.from(deep), JSON.parse(deep));
  expect(found).toEqual({ key: "k", requestHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
});
