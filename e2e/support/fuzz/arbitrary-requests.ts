/** Requests for fuzzing: each operation of the document as it is meant to be called, and changed in ways that break it. */
import fc from "fast-check";
import { type FuzzBody, fuzzBody } from "./arbitrary-bodies";
import { besides, type Known, mostly, NAMES_OF_OBJECTS, oddString, validEntries, validValue } from "./arbitrary-values";
import type { DocumentedOperation } from "./openapi";

/** Kinds of callers: a key of that kind, or a header without a valid key. */
export type Caller = "full" | "reader" | "foreign" | "throttled" | "capped" | "poor" | "nobody" | "wrong" | "odd";

export type FuzzRequest = {
  /** The operation that it was made from. */
  operation: string;
  method: string;
  /** Below /api/v1, with the query. `{id}` stands for an id that is known when it is sent. */
  path: string;
  /** Selects one of the known ids. */
  pick: number;
  caller: Caller;
  headers: Record<string, string>;
} & FuzzBody;

const JSON_TYPE = "application/json";
const DAY_MS = 86_400_000;

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

type Part = { text: string; isIntact: boolean };

/** A parameter as a query has it; an object in the style `deepObject`, without keys that would end its brackets. */
function queryPairs([name, value]: [string, unknown]): string[] {
  if (typeof value !== "object" || value === null) return [`${encode(name)}=${encode(String(value))}`];
  return Object.entries(value)
    .filter(([key]) => !/[[\]]/.test(key))
    .map(([key, inner]) => `${encode(`${name}[${key}]`)}=${encode(String(inner))}`);
}

function query(operation: DocumentedOperation, known: Known): fc.Arbitrary<Part> {
  const schema = {
    properties: Object.fromEntries(operation.query.map((parameter) => [parameter.name, parameter.schema])),
    required: operation.query.flatMap((parameter) => (parameter.required ? [parameter.name] : [])),
  };
  const pairs = validEntries(schema, known).map((entries) => entries.flatMap(queryPairs));
  const valid = pairs.map((parts): Part => ({ text: parts.join("&"), isIntact: true }));
  const name = fc.constantFrom(...operation.query.map((parameter) => parameter.name), ...NAMES_OF_OBJECTS);
  const beside = fc
    .constantFrom(
      ...operation.query.flatMap(({ name: own, schema: inner }) => besides(inner).map((value) => [own, value])),
      ["x", 1],
    )
    .map(([own, value]) => `${own}=${encode(String(value))}`);
  const odd = fc.oneof(
    fc.tuple(name, oddString()).map(([own, text]) => `${encode(own)}=${encode(text).slice(0, 4_000)}`),
    fc.constantFrom(
      "%zz=%",
      "limit[]=1",
      "page=1&page=2",
      "&&==&",
      "%00=%00",
      "page=%EF%BC%91",
      "limit=+5",
      "page=1e2",
      "?",
    ),
    beside,
  );
  const changed = fc
    .tuple(pairs, fc.array(odd, { minLength: 1, maxLength: 3 }))
    .map(([parts, more]): Part => ({ text: [...parts, ...more].join("&"), isIntact: false }));
  return mostly(valid, 2, changed);
}

/** A malformed id in a path, or one of another kind. */
const oddId = (): fc.Arbitrary<string> =>
  fc.oneof(
    oddString().map((text) => encode(text).slice(0, 4_000)),
    fc.constantFrom(
      "%zz",
      "%2F",
      "a%2Fb",
      "%00",
      "..",
      "%2e%2e",
      ".",
      "msg_01m7yt063re10br21ypzd823m0",
      "create",
      "%C0%AF",
    ),
    fc.constantFrom("%E2%82%AC", "%F0%9F%98%80", "*", ";x=1", "a+b", "0".repeat(8_000)),
  );

function path(operation: DocumentedOperation): fc.Arbitrary<Part> {
  const whole = { text: operation.path, isIntact: true };
  const given = operation.path.includes("{id}")
    ? mostly<Part>(
        fc.constant(whole),
        4,
        oddId().map((id) => ({ text: operation.path.replace("{id}", () => id), isIntact: false })),
      )
    : fc.constant<Part>(whole);
  const bend = fc.constantFrom<(text: string) => string>(
    (text) => `${text}/`,
    (text) => text.replaceAll("/", "//"),
    (text) => `${text}/more`,
    (text) => text.toUpperCase(),
    (text) => `/.${text}`,
    (text) => `/x/..${text}`,
    (text) => `${text};v=1`,
    (text) => `${text}%00`,
    (text) => text.replace("s", "%73"),
    () => "",
    () => "/",
    () => "/__proto__",
    () => "/openapi.json/x",
  );
  return mostly(
    given,
    12,
    fc.tuple(given, bend).map(([{ text }, apply]) => ({ text: apply(text), isIntact: false })),
  );
}

const contentType = (): fc.Arbitrary<string | null> =>
  mostly<string | null>(
    fc.constant(JSON_TYPE),
    10,
    fc.constantFrom(
      null,
      "application/JSON ; charset=utf-8",
      "text/plain",
      "application/json, text/html",
      "",
      ";",
      "application/xml",
    ),
    fc.constantFrom(
      "application/problem+json",
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded",
      "json",
    ),
  );

const idempotencyKey = (): fc.Arbitrary<string | null> =>
  mostly<string | null>(
    fc.constant(null),
    5,
    // Few values, so that keys recur with the same and with other requests.
    fc.nat(30).map((at) => `again-${at}`),
    fc.constantFrom("", " ", "two words", "é", "x".repeat(255), "x".repeat(256), "tab\there"),
  );

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PROPFIND", "LINK"];
const CALLERS: Caller[] = ["reader", "foreign", "throttled", "capped", "poor", "nobody", "wrong", "odd"];

/** Sends matter most, and deletions are rare, so that other requests find existing objects. */
function weightOf({ method, path }: DocumentedOperation): number {
  if (method === "DELETE") return 1;
  return method === "POST" && /^\/messages\/|\/create$/.test(path) ? 4 : 2;
}

/** Requests made from one of the operations. `known`: values that are valid for this account. */
export function fuzzRequest(operations: readonly DocumentedOperation[], known: Known): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    ...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: requestOf(operation, known) })),
  );
}

function requestOf(operation: DocumentedOperation, known: Known): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      path: path(operation),
      query: query(operation, known),
      body: fuzzBody(operation, known),
      method: mostly(fc.constant(operation.method), 12, fc.constantFrom(...METHODS)),
      caller: mostly<Caller>(fc.constant("full"), 10, fc.constantFrom(...CALLERS)),
      type: contentType(),
      key: operation.method === "POST" ? idempotencyKey() : fc.constant(null),
      pick: fc.nat(1_000),
    })
    .map((made) => ({
      operation: operation.name,
      method: made.method,
      path: made.query.text ? `${made.path.text}?${made.query.text}` : made.path.text,
      pick: made.pick,
      caller: made.caller,
      headers: {
        ...(made.body.body !== null && made.type !== null ? { "content-type": made.type } : {}),
        ...(made.key === null ? {} : { "idempotency-key": made.key }),
      },
      body: made.body.body,
      isIntact:
        made.path.isIntact &&
        made.query.isIntact &&
        made.body.isIntact &&
        made.method === operation.method &&
        made.caller === "full" &&
        made.key === null &&
        (made.body.body === null || made.type === JSON_TYPE),
    }));
}

/** Values of an account that the schemas cannot express. */
export const knownOf = (sender: string, hookUrl: string): Known => ({
  from: mostly(fc.constant(sender), 6, fc.constantFrom("NOBODY", "12345")),
  route_id: mostly<number | null>(fc.constant(null), 4, fc.integer({ min: 1, max: 9 })),
  provider: mostly<string | null>(fc.constant(null), 4, fc.constantFrom("sandbox", "twilio")),
  // Inside and outside the allowed range.
  send_at: mostly<string | null>(
    fc.constant(null),
    4,
    fc.integer({ min: -1, max: 31 }).map((days) => new Date(Date.now() + days * DAY_MS).toISOString()),
  ),
  recipients: fc.array(
    mostly(fc.stringMatching(/^\+[1-9]\d{6,14}$/), 4, fc.string({ unit: "grapheme", maxLength: 20 })),
    { minLength: 1, maxLength: 5 },
  ),
  url: mostly(fc.constant(hookUrl), 4, fc.constantFrom("http://127.0.0.1:1/", "http://[::1]:1/x?y=z")),
  allowed_ips: fc.option(fc.array(fc.ipV4(), { maxLength: 3 })),
  name: fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
    .filter((text) => text.trim() !== "" && text.length <= 100),
  sender_id: fc.oneof(fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{2,10}$/), fc.stringMatching(/^[0-9]{3,15}$/)),
  expires_at: fc.option(validValue({ type: "string", format: "date-time" }, {})),
});
