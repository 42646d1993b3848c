import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { requireStorable } from "../../core/wire";
import { parseBody, parseQuery, queryWarnings } from "./rest-input";

const body = (text: string, type: string | undefined = "application/json") => parseBody(type, Buffer.from(text));

const refusal = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (thrown) {
    return thrown;
  }
};

describe("parseBody", () => {
  test("accepts an object, with or without a charset, and keeps its values", () => {
    expect(body('{"a":"5","b":[1,true,null]}', "application/json; charset=utf-8")).toEqual({
      a: "5",
      b: [1, true, null],
    });
    expect(body('{"emoji":"\\ud83d\\ude00"}')).toEqual({ emoji: "😀" });
  });

  test.each(["", "{", "[1]", "null", '"text"', "5", '{"a":1}x'])("refuses %j", (text) => {
    expect(refusal(() => body(text))).toMatchObject({ status: 400 });
  });

  test("refuses more values than any operation takes, before reading any of them", () => {
    const list = (length: number) => `{"a":[${Array.from({ length }, () => "0").join(",")}]}`;
    expect(body(list(16_385))).toMatchObject({ a: expect.any(Array) });
    expect(refusal(() => body(list(16_386)))).toMatchObject({
      status: 400,
      wire: { details: { reason: "too_many_values" } },
    });
    expect(refusal(() => body(`${",".repeat(16_385)}{`))).toMatchObject({
      wire: { details: { reason: "too_many_values" } },
    });
  });

  test("refuses deeper nesting than any operation takes, before reading any of it; brackets of texts nest nothing", () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(body(nested(100))).toEqual(JSON.parse(nested(100)));
    const refused = { status: 400, wire: { details: { reason: "nested_too_deeply" } } };
    expect(refusal(() => body(nested(101)))).toMatchObject(refused);
    expect(refusal(() => body(`{"a":${'{"":'.repeat(100)}`))).toMatchObject(refused);
    const text = `[\\"{`.repeat(200);
    expect(body(JSON.stringify({ text, [text]: [text] }))).toEqual({ text, [text]: [text] });
    expect(body(`{"a":[${"[],".repeat(300)}0]}`)).toMatchObject({ a: expect.any(Array) });
  });

  // docs/limits.md names these numbers.
  test.each([
    { recipients: 1_000, values: 15 },
    { recipients: 780, values: 20 },
  ])("accepts a bulk send to $recipients recipients with $values values each, and hardly a larger one", (fits) => {
    const bulk = ({ recipients, values }: typeof fits) => {
      const own = Object.fromEntries(Array.from({ length: values }, (_, at) => [`value_${at}`, "A short value"]));
      const variables = Array.from({ length: recipients }, () => own);
      return JSON.stringify({
        from: "DEMO",
        body: "{{value_0}}",
        recipients: variables.map(() => "+14155550123"),
        variables,
      });
    };
    expect(body(bulk(fits))).toMatchObject({ from: "DEMO" });
    const refused = { wire: { details: { reason: "too_many_values" } } };
    expect(refusal(() => body(bulk({ ...fits, values: fits.values + 1 })))).toMatchObject(refused);
  });

  test.each([undefined, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])(
    "refuses the content type %j",
    (type) => {
      expect(refusal(() => parseBody(type, Buffer.from("{}")))).toMatchObject({
        status: 400,
        wire: { details: { reason: "wrong_content_type" } },
      });
    },
  );

  test.each([
    ['{"body":"a\\u0000b"}', "body"],
    ['{"recipients":["+1","\\ud83d"]}', "recipients[1]"],
    ['{"a":{"b":"\\udc00"}}', "a.b"],
  ])("names where %s cannot be stored", (text, param) => {
    expect(refusal(() => body(text))).toMatchObject({ status: 400, wire: { param } });
  });
});

test.each([
  ["", "The body is empty; it must be a JSON object."],
  [" \n", "The body is empty; it must be a JSON object."],
  ["{", "The body ends before its JSON is complete."],
  ['{"to":"+1', "The body ends before its JSON is complete."],
  ['{"to":"+1",}', "The body is not valid JSON: character 12 is not expected there."],
  ['{"to":"+1"}x', "The body is not valid JSON: character 12 is not expected there."],
  ['{"to":NaN}', "The body is not valid JSON."],
])("%j is refused, and the place of the fault is named", (text, message) => {
  const wire = { message: expect.stringContaining(message), details: { reason: "malformed_json" } };
  expect(refusal(() => body(text))).toMatchObject({ status: 400, wire });
});

test("a body that is not UTF-8 is refused, not corrected", () => {
  const bytes = Buffer.concat([Buffer.from('{"body":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  expect(refusal(() => parseBody("application/json", bytes))).toMatchObject({
    status: 400,
    wire: { details: { reason: "malformed_json" } },
  });
});

test("a byte order mark is skipped before the object, and is text anywhere else", () => {
  expect(body('\ufeff{"body":"\ufeffHello"}')).toEqual({ body: "\ufeffHello" });
  expect(refusal(() => body('\ufeff\ufeff{"body":"Hello"}'))).toMatchObject({ status: 400 });
});

test("a compressed body is refused as such, and a plain one with a wrong label is read", () => {
  const text = '{"body":"Hello"}';
  const parse = (bytes: Uint8Array) => parseBody("application/json", Buffer.from(bytes), "gzip");
  expect(refusal(() => parse(gzipSync(text)))).toMatchObject({
    status: 400,
    wire: { message: expect.stringContaining("without `Content-Encoding`"), details: { reason: "malformed_json" } },
  });
  expect(parse(Buffer.from(text))).toEqual({ body: "Hello" });
});

test("a body nested deeper than the stack is refused", () => {
  const text = `{"a":${"[".repeat(100_000)}"\\u0000"${"]".repeat(100_000)}}`;
  expect(refusal(() => body(text))).toMatchObject({ status: 400 });
});

test("text that cannot be stored is listed in the issues", () => {
  const issues = [{ param: "to", message: "must not contain NUL (U+0000)" }];
  expect(refusal(() => parseQuery("to=%00"))).toMatchObject({ wire: { details: { issues } } });
});

describe("parseQuery", () => {
  test("returns the parameters", () => {
    expect(parseQuery("page=2&to=%2B1415")).toEqual({ page: "2", to: "+1415" });
    expect(parseQuery("")).toEqual({});
  });

  test("keeps parameters with the names of properties that every object has", () => {
    expect(Object.entries(parseQuery("__proto__=1&constructor=2"))).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
    ]);
  });

  test("gathers the pairs only of parameters that are objects", () => {
    const objects = new Set(["metadata"]);
    expect(parseQuery("metadata[a]=1&metadata%5Bb%5D]=2&status[x]=3", objects)).toEqual({
      metadata: { a: "1", "b]": "2" },
      "status[x]": "3",
    });
    expect(parseQuery("metadata[a]=1")).toEqual({ "metadata[a]": "1" });
    expect(Object.keys(parseQuery("metadata[__proto__]=1", objects).metadata as object)).toEqual(["__proto__"]);
    for (const query of ["metadata[a]=1&metadata[a]=2", "metadata=1&metadata[a]=2", "metadata[a]=1&metadata=2"]) {
      expect(refusal(() => parseQuery(query, objects))).toMatchObject({ status: 400 });
    }
  });

  test("refuses a repeated parameter and NUL", () => {
    expect(refusal(() => parseQuery("page=1&page=2"))).toMatchObject({ status: 400, wire: { param: "page" } });
    expect(refusal(() => parseQuery("to=%00"))).toMatchObject({ status: 400, wire: { param: "to" } });
  });
});

test.each(["reference=caf%E9", "caf%E9=1", "metadata[a]=%ff", "reference=%ed%a0%80", "reference=%EF%BF%BD%E9"])(
  "a query with bytes that are not UTF-8 is refused: %s",
  (query) => {
    expect(refusal(() => parseQuery(query, new Set(["metadata"])))).toMatchObject({
      status: 400,
      wire: { message: expect.stringContaining("must be UTF-8"), details: { issues: [expect.anything()] } },
    });
  },
);

describe("queryWarnings, where no parameter is known", () => {
  test("warns of each", () => {
    expect(queryWarnings("")).toEqual([]);
    expect(queryWarnings("a=1&b[c]=2").map(({ param }) => param)).toEqual(["a", "b[c]"]);
  });

  test.each(["a=1&a=2", "a=%00", "a=%ff"])("warns of %s once, as the operation reads nothing of it", (query) => {
    expect(queryWarnings(query).map(({ param }) => param)).toEqual(["a"]);
  });
});

test("a query may have the replacement character, and percent signs that encode nothing", () => {
  expect(parseQuery("reference=%EF%BF%BD&from=100%&to=%zz")).toEqual({ reference: "\ufffd", from: "100%", to: "%zz" });
  expect(parseQuery("reference=100%%EF%BF%BD")).toEqual({ reference: "100%\ufffd" });
});

test("requireStorable accepts all other JSON values", () => {
  expect(() => requireStorable({ a: [1, null, { b: "é😀" }] }, "")).not.toThrow();
});

test("requireStorable shortens the name of the place", () => {
  const thrown = refusal(() => requireStorable({ ["n".repeat(500_000)]: ["\0"] }, ""));
  expect(thrown).toMatchObject({ status: 400, wire: { param: `${"n".repeat(100)}…[0]` } });
});
