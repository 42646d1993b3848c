/** Random steps of a sequence. A step names what exists by a number, so that every step of a shortened sequence still has a meaning. */
import fc from "fast-check";
import { PERMISSIONS } from "../access";
import type { SideName } from "./model-state";
import type { When } from "./send-operations";
import { HELLO, NO_TEXTS, TEMPLATES, TEXTS, VALUES, type Variables } from "./step-texts";

const NUMBERS = [
  ...["+15550100001", "+15550100003", "+15550100004", "+15550100006", "+15550100007", "+15550100008", "+15550100009"],
  ...["+14155550123", "+14155550124", "own-1", "own-2"],
];
/** The late number takes seconds. */
const LATE = "+15550100002";
/** People who reply, some of them to messages that wait. */
const REPLYING = ["+14155550123", "+15550100001", "+15550100008"];
const SHORT_CODE = "12345";
const NO_NUMBERS = ["nobody", "+0155550100", "15550100001"];
const at = fc.nat(40);
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value);
const often = <Value>(weight: number, usual: fc.Arbitrary<Value>, ...others: fc.Arbitrary<Value>[]) =>
  fc.oneof({ weight, arbitrary: usual }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));

const to = often(12, fc.constantFrom(...NUMBERS), fc.constant(LATE), fc.constantFrom(...NO_NUMBERS));
const body = often(10, fc.constantFrom(HELLO, HELLO, HELLO, ...TEXTS), fc.constantFrom(...NO_TEXTS));
const when = often<When>(
  6,
  fc.constant("now"),
  fc.constantFrom("later", "latest"),
  fc.constantFrom("soon", "past", "beyond"),
);
const reference = fc.constantFrom(null, null, "order-1", "order-2", "");
const metadata = fc.constantFrom<Record<string, string> | null>(
  null,
  null,
  { shop: "north" },
  { shop: "south", order: "1" },
);

/** `from`: null is the account's first sender. */
const content = {
  body,
  when,
  from: often<number | string | null>(6, fc.constant(null), at, fc.constantFrom("NOBODY", "12025550100")),
  route: often<"none" | "own" | "unknown">(10, fc.constant("none"), fc.constant("own"), fc.constant("unknown")),
  provider: often<"sandbox" | "unconfigured" | null>(12, fc.constant(null), fc.constantFrom("sandbox", "unconfigured")),
  reference,
  metadata,
  smart: often<boolean | null>(2, fc.constant(null), fc.constant(true), fc.constant(false)),
  validity: often<number | null>(8, fc.constant(null), fc.constantFrom(3_600, 259_200)),
};

const variables = often<Variables | null>(
  2,
  fc.constant(null),
  fc.record({
    template: fc.constantFrom(...TEMPLATES),
    names: fc.array(fc.constantFrom(...VALUES), { minLength: 6, maxLength: 6 }),
    fault: often<Variables["fault"]>(7, fc.constant("none"), fc.constantFrom("too few", "missing", "too long")),
  }),
);
const recipients = fc.array(to, { minLength: 1, maxLength: 6 });
const idempotencyKey = often<string | null>(3, fc.constant(null), fc.constantFrom("one", "two", "three"));

/** `key`: 0 to 5 is the account's first key, which may do everything; beyond are those that were made. */
const by = {
  side: often(6, fc.constant("live" as const), fc.constantFrom("test" as const, "stranger" as const)),
  key: often(2, fc.constant(0), at),
};
type By = { side: SideName; key: number };

/** An id of the caller's account, or of any. */
const target = { at, isAnybodys: often(6, fc.constant(false), fc.constant(true)) };

/** A request of a key. */
const on = <What extends string, More extends object>(
  what: What,
  more: { [Key in keyof More]: fc.Arbitrary<More[Key]> },
): fc.Arbitrary<{ what: What } & By & More> =>
  fc
    .tuple(fc.record(by), fc.record(more as Record<string, fc.Arbitrary<unknown>>))
    .map(([caller, made]) => ({ what, ...caller, ...(made as More) }));

const events = maybe(
  fc.uniqueArray(fc.constantFrom("message.sent", "message.delivered", "message.failed", "message.received", "*"), {
    minLength: 1,
  }),
);
const senderName = fc.constantFrom(
  "SHOP",
  "A b.c_d-e&f",
  "own-number",
  "own-number-plain",
  SHORT_CODE,
  "!!",
  "TWELVELETTER",
);
const filter = fc.constantFrom(
  ...([
    "status",
    "to",
    "from",
    "reference",
    "metadata[shop]",
    "api_key_id",
    "created_after",
    "created_before",
  ] as const),
);

/** End of a key; `soon` is within the sequence. */
export type Expiry = "soon" | "tomorrow" | "in two days" | "past" | "never";

const omitted = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  often<Value | undefined>(2, fc.constant(undefined), arbitrary);

/** Limits of a key; undefined: omitted. The lowest rate is more than a sequence takes. */
const limits = {
  rate_limit: omitted(fc.constantFrom(500, 700, 6_000)),
  daily_limit: omitted(often<number | null>(3, fc.integer({ min: 1, max: 8 }), fc.constant(null))),
  monthly_limit: omitted(often<number | null>(3, fc.integer({ min: 1, max: 8 }), fc.constant(null))),
  allowed_ips: omitted(
    fc.constantFrom<string[] | null>(null, [], ["127.0.0.1"], ["127.0.0.0/8"], ["127.0.0.0/8"], ["203.0.113.0/24"]),
  ),
  expires: omitted(fc.constantFrom<Expiry>("soon", "tomorrow", "tomorrow", "in two days", "past", "never")),
};

export type LimitsOfStep = {
  [Limit in keyof typeof limits]: (typeof limits)[Limit] extends fc.Arbitrary<infer V> ? V : never;
};

const request = fc.oneof(
  {
    weight: 16,
    arbitrary: on("send", { ...content, to: fc.array(to, { minLength: 1, maxLength: 1 }), idempotencyKey }),
  },
  { weight: 8, arbitrary: on("bulk", { ...content, variables, to: recipients, idempotencyKey }) },
  { weight: 4, arbitrary: on("estimate", { ...content, variables, to: recipients }) },
  // The whole balance, that many segments less, or one more than it covers.
  { weight: 3, arbitrary: on("spend", { left: fc.integer({ min: -1, max: 2 }), idempotencyKey }) },
  // A request under a key that an earlier one has used, as it was.
  { weight: 4, arbitrary: on("repeat", { at }) },
  { weight: 3, arbitrary: on("read", target) },
  { weight: 4, arbitrary: on("cancel", target) },
  { weight: 3, arbitrary: on("redact", target) },
  {
    weight: 4,
    arbitrary: on("reschedule", {
      ...target,
      when: fc.constantFrom<When>("now", "now", "soon", "later", "later", "latest", "past", "beyond"),
    }),
  },
  {
    weight: 4,
    arbitrary: on("list", {
      filters: fc.uniqueArray(fc.record({ name: filter, at }), { maxLength: 3, selector: ({ name }) => name }),
      page: maybe(fc.integer({ min: 1, max: 4 })),
      limit: maybe(fc.integer({ min: 1, max: 7 })),
    }),
  },
  { weight: 3, arbitrary: on("walk", { limit: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 3, arbitrary: on("balance", {}) },
  {
    weight: 4,
    arbitrary: on("make-key", {
      name: fc.constantFrom("Shop", "Other"),
      permissions: maybe(fc.subarray<string>([...PERMISSIONS], { minLength: 1 })),
      ...limits,
      idempotencyKey,
    }),
  },
  {
    weight: 5,
    arbitrary: on("change-key", {
      ...target,
      name: omitted(fc.constantFrom("Shop", "Other")),
      ...limits,
      permissions: often<string[] | undefined>(8, fc.constant(undefined), fc.constant([...PERMISSIONS])),
    }),
  },
  { weight: 1, arbitrary: on("keys", {}) },
  // All messages that a key with a limit may still send, one less, or one more.
  { weight: 3, arbitrary: on("use-up", { at, beyond: fc.integer({ min: -1, max: 1 }) }) },
  { weight: 2, arbitrary: on("revoke-key", { ...target, cascade: fc.boolean() }) },
  { weight: 2, arbitrary: on("make-sender", { name: senderName, idempotencyKey, isApproved: fc.boolean() }) },
  { weight: 1, arbitrary: on("read-sender", target) },
  { weight: 1, arbitrary: on("delete-sender", target) },
  {
    weight: 5,
    arbitrary: on("suppress", { to, sender: maybe(at), note: fc.constantFrom(null, "By mail"), idempotencyKey }),
  },
  { weight: 4, arbitrary: on("unsuppress", target) },
  { weight: 2, arbitrary: on("import", { to: recipients, sender: maybe(at), isNoisy: fc.boolean() }) },
  { weight: 2, arbitrary: on("suppressions", {}) },
  { weight: 3, arbitrary: on("make-endpoint", { events, idempotencyKey }) },
  { weight: 1, arbitrary: on("read-endpoint", target) },
  { weight: 1, arbitrary: on("endpoints", {}) },
  { weight: 2, arbitrary: on("change-endpoint", { ...target, description: fc.constantFrom(null, "Shop"), events }) },
  { weight: 3, arbitrary: on("switch-endpoint", { ...target, verb: fc.constantFrom("pause", "resume", "enable") }) },
  { weight: 1, arbitrary: on("delete-endpoint", target) },
  { weight: 2, arbitrary: on("rotate-secret", { ...target, idempotencyKey }) },
  { weight: 2, arbitrary: on("test-endpoint", target) },
  { weight: 3, arbitrary: on("recover", { ...target, isWhole: often(3, fc.constant(true), fc.constant(false)) }) },
  {
    weight: 2,
    arbitrary: on("inbound", {
      from: maybe(fc.constantFrom(...REPLYING)),
      to: maybe(fc.constantFrom("own-number", "own-number-plain", SHORT_CODE)),
      limit: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: on("read-inbound", target) },
);

export type RequestStep = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** Requests at the same time: one alone, different ones, or one repeated; or something that is no request. */
const step = fc.oneof(
  { weight: 14, arbitrary: request.map((one) => ({ kind: "requests" as const, requests: [one] })) },
  {
    weight: 2,
    arbitrary: fc
      .array(request, { minLength: 2, maxLength: 3 })
      .map((requests) => ({ kind: "requests" as const, requests })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(request, fc.integer({ min: 2, max: 3 }))
      .map(([one, times]) => ({ kind: "requests" as const, requests: Array<RequestStep>(times).fill(one) })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("credit" as const),
      amount: fc.constantFrom(1, 13, 10_000, 33_333, 250_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("settle" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("reply" as const),
      from: fc.constantFrom(...REPLYING),
      to: fc.constantFrom("own-number", "own-number", "own-number", SHORT_CODE),
      body: fc.constantFrom(...["STOP", "Stop.", "opt out", "START", "Unstop!", "START", "Stop it", "Hello?", ""]),
      isBare: fc.boolean(),
    }),
  },
);

export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const first = (one: RequestStep): Step => ({ kind: "requests", requests: [one] });
const owner = { side: "live", key: 0 } as const;
const hello = {
  ...owner,
  body: HELLO,
  from: null,
  route: "none",
  provider: null,
  reference: "order-1",
  metadata: null,
  smart: null,
  validity: null,
  idempotencyKey: null,
} as const;

const noLimits = { rate_limit: undefined, monthly_limit: undefined, allowed_ips: undefined, expires: undefined };

const noChange = { ...noLimits, name: undefined, daily_limit: undefined, permissions: undefined };
const greetings: Variables = {
  template: [["Hello {{name}}", 1]],
  names: [[["Ann", 1]], [["“Ann”…", 1]]],
  fault: "none",
};

/** The first steps of every sequence. With them, the random ones find something of each kind. */
const BEGINNING: Step[] = [
  first({ ...owner, what: "make-endpoint", events: null, idempotencyKey: null }),
  first({ ...owner, what: "make-endpoint", events: ["message.received", "*"], idempotencyKey: null }),
  first({ ...owner, what: "make-sender", name: "own-number", isApproved: true, idempotencyKey: null }),
  ...["test", "stranger"].map((side) =>
    first({ ...hello, what: "send", side: side as SideName, to: ["+15550100001"], when: "later" }),
  ),
  first({ ...hello, what: "send", to: ["+14155550123"], when: "later" }),
  first({ ...hello, what: "bulk", variables: null, to: NUMBERS.slice(0, -2), when: "now" }),
  first({ ...hello, what: "bulk", variables: null, to: ["+15550100008", "+15550100001", "nobody"], when: "latest" }),
  ...[
    ["sms:send", "keys:write"],
    ["sms:read", "sms:bulk", "senders:write", "webhooks:write"],
  ].map((permissions) =>
    first({ ...owner, what: "make-key", name: "Shop", permissions, ...noLimits, daily_limit: 2, idempotencyKey: null }),
  ),
  first({ ...owner, what: "suppress", to: "+15550100009", sender: 0, note: null, idempotencyKey: "one" }),
  first({
    ...hello,
    what: "bulk",
    smart: true,
    variables: greetings,
    to: ["+15550100008", "+15550100008"],
    when: "now",
  }),
  // The key that may send in bulk: its limit is used up, raised, and passed by one message.
  first({ ...owner, what: "use-up", at: 0, beyond: 0 }),
  first({ ...owner, what: "change-key", ...noChange, daily_limit: 3, at: 1, isAnybodys: false }),
  first({ ...owner, what: "use-up", at: 0, beyond: 1 }),
  first({ ...owner, what: "rotate-secret", at: 0, isAnybodys: false, idempotencyKey: null }),
  { kind: "reply", from: "+14155550123", to: "own-number", body: "Stop.", isBare: false },
];

/** Sequences of steps. */
export const steps = (): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: 20, maxLength: 60, size: "max" }).map((random) => [...BEGINNING, ...random]);
