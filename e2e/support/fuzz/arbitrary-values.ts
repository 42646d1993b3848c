/** Values for fuzzing: valid ones, ones just outside a schema's limits, and strings known to break software. */
import fc from "fast-check";
import type { RequestSchema } from "./openapi";

/** Generators by property name, where the schema alone does not give a working value, such as `from`. */
export type Known = Record<string, fc.Arbitrary<unknown>>;

const OFTEN = 3;
const TEXT_USUAL_MAX = 40;
const ITEMS_USUAL_MAX = 4;
const EARLIEST = new Date("0001-01-01T00:00:00.000Z");
const LATEST = new Date("9999-12-30T00:00:00.000Z");

/** Unusual strings: for parsers, UTF-8, a database, or JavaScript objects. */
const ODD_STRINGS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00\ud800",
  "a\udfffb",
  "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
  "\ufeff",
  "\u202etxt.exe",
  "\u0001\u001f\u007f\u0085\u2028",
  "__proto__",
  "constructor",
  "null",
  "NaN",
  "0x10",
  "1e400",
  "'; DROP TABLE messages; --",
  "{}",
  "[object Object]",
  "%00",
  "%2e%2e%2f",
  "\\u0000",
  "+14155550123\n",
  "+１４１５５５５０１２３",
  "İıſK",
  "e\u0301".repeat(300),
  "😀".repeat(801),
  "a".repeat(1_601),
  "a".repeat(70_000),
  "http://10.0.0.1/",
  "http://user:secret@127.0.0.1/",
  "http://[::ffff:169.254.169.254]/",
  "javascript:alert(1)",
];

/** Times at the limits of ISO 8601, JavaScript and PostgreSQL. */
const ODD_TIMES = [
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59-23:59",
  "0001-01-01T00:00:00+23:59",
  "2026-01-01T00:00:00+23:59",
  `2026-01-01T00:00:00.${"1".repeat(300)}Z`,
  "2026-02-30T00:00:00Z",
  "2026-06-30T23:59:60Z",
  "2026-01-01",
];

/** Property names of every JavaScript object. */
export const NAMES_OF_OBJECTS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "length",
  "",
  "id",
];

/** `usual`, that many times as often as each of the others. */
export const mostly = <Value>(usual: fc.Arbitrary<Value>, weight: number, ...others: fc.Arbitrary<Value>[]) =>
  fc.oneof({ arbitrary: usual, weight }, ...others);

/** An unusual string. */
export const oddString = (): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...ODD_STRINGS), weight: OFTEN },
    fc.string({ unit: "binary", maxLength: TEXT_USUAL_MAX }),
    // Arbitrary code units, including unpaired surrogates.
    fc.array(fc.nat(0xffff), { maxLength: TEXT_USUAL_MAX }).map((units) => String.fromCharCode(...units)),
  );

/** JSON text of a value of another type than required. */
export const oddJson = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      ...["null", "true", "false", "0", "-0", "-1", "1.5", "1e400", "-1e-400", "2147483648", "9007199254740993"],
      ...["[]", "{}", "[null]", '{"__proto__":{"to":"+14155550123"}}', '["+14155550123"]', '"5"', '"true"'],
      `${"[".repeat(2_000)}${"]".repeat(2_000)}`,
    ),
    oddString().map((text) => JSON.stringify(text)),
    fc.json({ maxDepth: 3 }),
  );

/** A value that the schema allows. `known` overrides it by property name. */
export function validValue(schema: RequestSchema, known: Known): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => validValue(each, known)));
  const types = [schema.type ?? "string"].flat();
  return fc.oneof(...types.map((type) => validOfType(type, schema, known)));
}

function validOfType(type: string, schema: RequestSchema, known: Known): fc.Arbitrary<unknown> {
  if (type === "null") return fc.constant(null);
  if (type === "boolean") return fc.boolean();
  if (type === "integer" || type === "number") {
    return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2_147_483_647 });
  }
  if (type === "array") {
    const minLength = schema.minItems ?? 0;
    const maxLength = Math.min(schema.maxItems ?? ITEMS_USUAL_MAX, minLength + ITEMS_USUAL_MAX);
    return fc.array(validValue(schema.items ?? {}, known), { minLength, maxLength });
  }
  if (type === "object" && schema.additionalProperties) {
    const maxKeys = Math.min(schema.maxProperties ?? ITEMS_USUAL_MAX, ITEMS_USUAL_MAX);
    return fc.dictionary(validText(schema.propertyNames ?? {}), validValue(schema.additionalProperties, known), {
      maxKeys,
    });
  }
  if (type === "object") return validEntries(schema, known).map(Object.fromEntries);
  return validText(schema);
}

function validText({ format, pattern, not, minLength = 0, maxLength }: RequestSchema): fc.Arbitrary<string> {
  if (format === "date-time") {
    return fc.date({ min: EARLIEST, max: LATEST, noInvalidDate: true }).map((date) => date.toISOString());
  }
  const most = maxLength ?? TEXT_USUAL_MAX;
  const fitting = (text: string) => text.length >= minLength && text.length <= most && text !== not?.const;
  if (pattern) return fc.stringMatching(new RegExp(pattern)).filter(fitting);
  const usual = fc.string({ unit: "grapheme", minLength, maxLength: Math.min(most, TEXT_USUAL_MAX) }).filter(fitting);
  return fc.oneof({ arbitrary: usual, weight: OFTEN }, fc.constantFrom("a".repeat(most), "a".repeat(minLength)));
}

/** Properties of an object that the schema allows; optional ones are omitted half of the time. */
export function validEntries(schema: RequestSchema, known: Known): fc.Arbitrary<[string, unknown][]> {
  const properties = Object.entries(schema.properties ?? {});
  return fc
    .tuple(
      ...properties.map(([name, inner]) => {
        const value = known[name] ?? validValue(inner, known);
        return schema.required?.includes(name) ? value : fc.option(value, { nil: undefined, freq: 2 });
      }),
    )
    .map((values) =>
      properties.flatMap(([name], at): [string, unknown][] => (values[at] === undefined ? [] : [[name, values[at]]])),
    );
}

/** Values at the limits of the schema, and one step beyond. */
export function besides(schema: RequestSchema): unknown[] {
  if (schema.format === "date-time") return ODD_TIMES;
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const beyond = [
    minLength && "a".repeat(minLength - 1),
    maxLength && "a".repeat(maxLength + 1),
    minimum !== undefined && minimum - 1,
    maximum !== undefined && maximum + 1,
    minItems && new Array(minItems - 1).fill("a"),
    maxItems && new Array(maxItems + 1).fill("+14155550123"),
    schema.enum && `${schema.enum[0]} `,
  ];
  const values = beyond.filter((value) => value !== undefined && value !== 0 && value !== false);
  return values.length > 0 ? values : [null];
}
