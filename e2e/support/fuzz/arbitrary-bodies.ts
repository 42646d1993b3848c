/** Bodies for fuzzing: valid by the schema, changed in places, or no JSON at all. */
import fc from "fast-check";
import { besides, type Known, mostly, NAMES_OF_OBJECTS, oddJson, oddString, validEntries } from "./arbitrary-values";
import type { DocumentedOperation } from "./openapi";

/** Properties of a body in order as JSON text, so that names can repeat and numbers can be too large. */
type Entries = [string, string][];

const write = (entries: Entries): string =>
  `{${entries.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;

type Change = (entries: Entries) => Entries;

/** One change to a body's properties. */
function change(operation: DocumentedOperation): fc.Arbitrary<Change> {
  const properties = Object.entries(operation.body?.properties ?? {});
  const name = fc.constantFrom(...properties.map(([own]) => own), "unknown");
  const extra = fc.oneof(fc.constantFrom(...NAMES_OF_OBJECTS), oddString());
  const beside = fc
    .constantFrom(...(properties.length > 0 ? properties : [["unknown", {}] as const]))
    .chain(([own, schema]) =>
      fc.constantFrom(...besides(schema)).map((value) => [own, JSON.stringify(value)] as [string, string]),
    );
  const set = (entries: Entries, [own, json]: [string, string]): Entries => [
    ...entries.filter(([other]) => other !== own),
    [own, json],
  ];
  return fc.oneof(
    name.map(
      (own): Change =>
        (entries) =>
          entries.filter(([other]) => other !== own),
    ),
    fc.tuple(name, oddJson()).map(
      (entry): Change =>
        (entries) =>
          set(entries, entry),
    ),
    beside.map(
      (entry): Change =>
        (entries) =>
          set(entries, entry),
    ),
    fc.tuple(extra, oddJson()).map(
      (entry): Change =>
        (entries) => [...entries, entry],
    ),
    fc.tuple(name, oddJson()).map(
      (entry): Change =>
        (entries) => [entry, ...entries],
    ),
  );
}

/** A body that is not a JSON object, not JSON, or not text; or one that begins with a byte order mark. */
const brokenBody = (valid: fc.Arbitrary<string>): fc.Arbitrary<string | Buffer> =>
  fc.oneof(
    fc.tuple(valid, fc.nat(200)).map(([text, cut]) => text.slice(0, Math.max(0, text.length - 1 - cut))),
    valid.map((text) => `${text}}`),
    valid.map((text) => `\ufeff${text}`),
    valid.map((text) => text.replaceAll('"', "'")),
    valid.map((text) => Buffer.from(text, "utf16le")),
    valid.map((text) =>
      Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0x2c, 0x22, 0xff, 0xfe, 0x22, 0x7d])]),
    ),
    fc.constantFrom("", " ", "null", "1", '"text"', "[]", "[{}]", "{,}", "{]", "undefined", "to=%2B1415&body=x"),
    fc.constantFrom(
      `{"body":${"[".repeat(100_000)}"\\u0000"${"]".repeat(100_000)}}`,
      `{"body":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`,
      `{"body":"${"a".repeat(1_100_000)}"}`,
    ),
    fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  );

/** `isIntact`: valid by the document. */
export type FuzzBody = { body: string | Buffer | null; isIntact: boolean };

/** Bodies of an operation; null: it has none. */
export function fuzzBody(operation: DocumentedOperation, known: Known): fc.Arbitrary<FuzzBody> {
  if (!operation.body) {
    const odd = fc.constantFrom("{}", "null", "{", '{"id":"msg_x"}', "x".repeat(2_000));
    return mostly(
      fc.constant({ body: null, isIntact: true } as FuzzBody),
      6,
      odd.map((text) => ({ body: text, isIntact: false })),
    );
  }
  const entries = validEntries(operation.body, known).map((values) =>
    values.map(([name, value]): [string, string] => [name, JSON.stringify(value)]),
  );
  const changed = fc
    .tuple(entries, fc.array(change(operation), { minLength: 1, maxLength: 3 }))
    .map(([valid, changes]) => write(changes.reduce((at, apply) => apply(at), valid)));
  return fc.oneof(
    { arbitrary: entries.map((valid): FuzzBody => ({ body: write(valid), isIntact: true })), weight: 4 },
    { arbitrary: changed.map((text): FuzzBody => ({ body: text, isIntact: false })), weight: 5 },
    { arbitrary: brokenBody(entries.map(write)).map((text): FuzzBody => ({ body: text, isIntact: false })), weight: 2 },
  );
}
