import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AttemptModel, type Policy } from "@/test/model/attempt-model";
import { MODEL_TIMES } from "@/test/model/times";
import type { Fault, SendOutcome } from "../../providers/port";
import { type Conditions, decideNext, type StoredAttempt } from "./decide-next";
import { attemptOf } from "./next-attempt";

const RUNS = 20_000 * MODEL_TIMES;
const WORKERS = 3;
const PROVIDERS = ["vonage", "twilio", "sinch"];
const FAULTS: readonly Fault[] = ["provider", "account", "throttled", "message"];
/** Rounds within which every message must reach a final status; each is a minute of the model's time. */
const ROUNDS_MAX = 60;

const outcomes = fc.oneof(
  fc.constant<SendOutcome>({ kind: "accepted", providerMessageIds: ["p"] }),
  fc.constant<SendOutcome>({ kind: "refused", code: "x", detail: "No." }),
  fc.constantFrom(...FAULTS).map((fault): SendOutcome => ({ kind: "retryable", code: "x", detail: "Busy.", fault })),
  fc.constant<SendOutcome>({ kind: "unknown", code: "x", detail: "No answer." }),
);

const worker = fc.nat(WORKERS - 1);
/** An index into the items that exist at the moment. */
const pick = fc.nat(7);
const isHeard = fc.boolean();
const begins = fc.boolean();
const on = <What extends string>(what: What) => ({ what: fc.constant(what) });

const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ...on("dispatch"), worker, begins, isHeard }) },
  { weight: 1, arbitrary: fc.record({ ...on("serve"), worker, begins, isHeard }) },
  { weight: 4, arbitrary: fc.record({ ...on("begin"), pick }) },
  { weight: 5, arbitrary: fc.record({ ...on("call"), pick, outcome: outcomes, isTaken: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ ...on("not-ready"), pick }) },
  { weight: 5, arbitrary: fc.record({ ...on("record"), pick, isHeard }) },
  { weight: 3, arbitrary: fc.record({ ...on("record-again"), pick, isHeard }) },
  { weight: 2, arbitrary: fc.record({ ...on("record-anew"), pick }) },
  { weight: 1, arbitrary: fc.record({ ...on("give-back"), pick }) },
  { weight: 1, arbitrary: fc.record({ ...on("give-back-again"), pick }) },
  { weight: 3, arbitrary: fc.record({ ...on("take-over"), worker, isDead: fc.boolean(), by: worker }) },
  { weight: 1, arbitrary: fc.record({ ...on("unheard"), worker }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...on("receipt"),
      pick,
      status: fc.constantFrom("sent", "delivered", "failed", "undelivered"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...on("look-up"), isRefused: fc.boolean(), worker }) },
  { weight: 1, arbitrary: fc.record({ ...on("hold"), provider: fc.constantFrom(...PROVIDERS) }) },
  { weight: 1, arbitrary: fc.record({ ...on("throughput") }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

const among = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % items.length];
const withOne = <Item>(items: readonly Item[], at: number, act: (item: Item) => void): void => {
  const item = among(items, at);
  if (item !== undefined) act(item);
};

function happen(model: AttemptModel, what: Happening): void {
  switch (what.what) {
    case "dispatch":
      model.dispatch(what.worker, what.begins, what.isHeard);
      break;
    case "serve":
      model.serve(what.worker, what.begins, what.isHeard);
      break;
    case "begin":
      withOne(model.hands, what.pick, (hand) => model.begin(hand));
      break;
    case "call":
      withOne(model.hands, what.pick, (hand) => model.call(hand, what.outcome, what.isTaken));
      break;
    case "not-ready":
      withOne(model.hands, what.pick, (hand) => model.endUnbegun(hand));
      break;
    case "record":
      withOne(model.unrecorded, what.pick, (ending) => model.record(ending, what.isHeard));
      break;
    case "record-again":
      withOne(model.unheard, what.pick, (ending) => model.record(ending, what.isHeard));
      break;
    case "record-anew":
      withOne(model.recorded, what.pick, (ending) => model.recordAnew(ending));
      break;
    case "give-back":
      withOne(model.hands, what.pick, (hand) => model.giveBack(hand));
      break;
    case "give-back-again":
      withOne(model.givenBack, what.pick, (claim) => model.giveBackAgain(claim));
      break;
    case "take-over":
      // No worker considers itself dead.
      model.takeOver(what.worker, what.isDead, what.by === what.worker ? (what.by + 1) % WORKERS : what.by);
      break;
    case "unheard":
      model.giveBackUnheard(what.worker);
      break;
    case "receipt":
      withOne(model.calls, what.pick, (call) => model.receipt(call, what.status));
      break;
    case "look-up":
      model.lookUp(what.isRefused, what.worker);
      break;
    case "hold":
      if (!model.unavailable.delete(what.provider)) model.unavailable.add(what.provider);
      break;
    case "throughput":
      model.isThrottled = !model.isThrottled;
  }
}

const PATH = /^pending( failed| sent( delivered| failed| undelivered)?)?$/;

/** Checks the invariants after every step. Without `expect`, as it runs a million times. */
function check(model: AttemptModel): void {
  const { calls, money, policy } = model;
  const broken: string[] = [];
  for (const [at, call] of calls.entries()) {
    for (const later of calls.slice(at + 1)) {
      if (later.seq === call.seq) broken.push(`attempt ${call.seq} was made twice`);
      const [first, second] = later.seq > call.seq ? [call, later] : [later, call];
      const mayBeTwice = policy === "fallback" && model.unknown.has(first.claim);
      if (first.isTaken && !mayBeTwice) broken.push(`attempt ${second.seq} was made though ${first.seq} took it`);
    }
  }
  if (model.isClaimedAfterRefusal) broken.push("another attempt was claimed although the message was refused");
  for (const claims of model.followers.values()) if (claims.size > 1) broken.push("two attempts follow one outcome");

  const path = model.moves.join(" ");
  if (!PATH.test(path)) broken.push(`its status moved ${path}`);
  const expected = path.includes("sent") ? "settle" : path === "pending" ? "" : "refund";
  if (money.join(" ") !== expected) broken.push(`its status moved ${path} and its money ${money.join(" ")}`);
  if (model.isFailedTooSoon) broken.push("an outcome failed it while another attempt may have been made");
  if (model.isRefundedAfterProof) broken.push("it was refunded although a provider had accepted it");
  if (broken.length > 0) throw new Error(broken.join("; "));
}

/** Lets every worker continue without failures, with the same outcome from every provider, until nothing is left to do. */
function settle(model: AttemptModel, outcome: SendOutcome): void {
  model.unavailable.clear();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    model.atMs += 60_000;
    for (let of = 0; of < WORKERS; of += 1) model.giveBackUnheard(of);
    for (const hand of [...model.hands]) model.begin(hand);
    for (const hand of [...model.hands]) model.call(hand, outcome, true);
    for (const ending of [...model.unrecorded, ...model.unheard]) model.record(ending, true);
    check(model);
    model.serve(0, true, true);
    model.dispatch(0, true, true);
    if (model.hands.length === 0 && model.dispatches === 0 && !model.waiting) model.sweep();
    check(model);
    if (model.message.status !== "pending") return;
  }
  throw new Error(`It is still pending after ${ROUNDS_MAX} rounds: ${JSON.stringify(model.rows)}`);
}

describe.each<Policy>(["fallback", "hold"])("one message and three workers, under %s", (policy) => {
  const chains = fc.array(fc.constantFrom(...PROVIDERS), { minLength: 1, maxLength: 3, size: "max" });
  const sequences = fc.array(happening, { minLength: 10, maxLength: 60, size: "max" });

  test("each attempt is made once, and the message is taken once, billed once, and ends", () => {
    fc.assert(
      fc.property(chains, sequences, outcomes, (chain, sequence, outcome) => {
        const model = new AttemptModel(chain, policy);
        for (const what of sequence) {
          happen(model, what);
          check(model);
        }
        settle(model, outcome);
      }),
      { numRuns: RUNS },
    );
  });
});

const ALL_WORK: Conditions["table"] = { isUnavailable: () => false, stateOf: () => null };

/**
 * Decides on a message whose last attempt, of those that were made, has just been throttled.
 * @param left the rest of its chain; `table` of the providers.
 */
function decideAfter(
  made: readonly Pick<StoredAttempt, "provider" | "outcome" | "fault" | "throttledForMs">[],
  { left = [], table = ALL_WORK }: { left?: string[]; table?: Conditions["table"] } = {},
) {
  const at = new Date();
  const message = { id: "msg_1", accountId: "acc_1", status: "pending", costMicros: 1n, createdAt: at } as const;
  const locked = {
    ...message,
    chain: [...made.map(({ provider }) => provider), ...left],
    scheduledAt: null,
    sentAt: null,
  };
  const outbound = {
    id: message.id,
    to: "+14155550123",
    from: "DEMO",
    body: "Hi",
    encoding: "GSM-7",
    segments: 1,
  } as const;
  const tried = made.slice(0, -1).map(({ provider }) => provider);
  const candidate = { message: outbound, accountId: message.accountId, tried, afterUnknown: tried.length > 0 };
  const attempt = attemptOf(candidate, made.at(-1)?.provider ?? "", at, "last");
  const conditions: Conditions = {
    ...{ at, table, onUnknownOutcome: "fallback" },
    throughput: { isThrottled: () => false },
  };
  const stored = made.map((one, before) => ({
    ...{ seq: before + 1, claim: before + 1 === made.length ? "last" : `${before}` },
    ...one,
  }));
  const outcome = { kind: "retryable", code: "429", detail: "Busy.", fault: "throttled" } as const;
  return decideNext(locked, { attempt, outcome, nextClaim: "next" }, stored, conditions);
}

/** The attempt whose outcome is being recorded. */
const lastAt = (provider: string) => ({ provider, outcome: null, fault: null, throttledForMs: null });

test("a message that one provider refused late is not tried again at the one that throttled it", () => {
  const nextAfter = (first: string) =>
    decideAfter([{ provider: "vonage", outcome: first, fault: null, throttledForMs: null }, lastAt("twilio")]);
  expect(nextAfter("refused")).toMatchObject({ step: { to: "failed" }, next: null });
  expect(nextAfter("retryable")).toMatchObject({ step: null, next: { kind: "again", providers: ["twilio"] } });
});

test.each([
  ["closed", { kind: "attempt", attempt: { provider: "sinch", seq: 2 }, isClaimed: false }],
  ["probing", { kind: "unavailable" }],
] as const)("a message falls back to a provider whose breaker is %s at once only if it is closed", (breaker, next) => {
  const stateOf = () => ({ breaker }) as ReturnType<Conditions["table"]["stateOf"]>;
  const decision = decideAfter([lastAt("vonage")], { left: ["sinch"], table: { ...ALL_WORK, stateOf } });
  expect(decision).toMatchObject({ step: null, next });
});

describe("a message that its providers throttle", () => {
  const throttled = (provider: string, throttledForMs = 1_000) => ({
    ...{ provider, throttledForMs },
    ...{ outcome: "retryable", fault: "throttled" },
  });

  test.each([
    ["once", ["vonage", "twilio"], 5_000],
    ["again", ["vonage", "twilio", "vonage", "twilio"], 10_000],
    ["one of them more often", ["vonage", "twilio", "vonage"], 10_000],
    ["four times", Array(4).fill("vonage"), 40_000],
    ["many times", Array(5).fill("vonage"), 60_000],
    ["for longer still", Array(40).fill("vonage"), 60_000],
  ])("%s is tried again after a pause that doubles up to a minute", (_, tried: string[], pauseMs) => {
    const made = [...tried.slice(0, -1).map((provider) => throttled(provider)), lastAt(tried.at(-1) ?? "")];
    expect(decideAfter(made).next).toEqual({ kind: "again", providers: [...new Set(tried)], pauseMs });
  });

  test.each([
    ["the provider that failed since is left out", "provider", ["twilio"]],
    ["the provider that throttled it since is tried too", "throttled", ["vonage", "twilio"]],
  ])("%s", (_, fault, providers) => {
    const since = { provider: "vonage", outcome: "retryable", fault, throttledForMs: null };
    expect(decideAfter([throttled("vonage"), since, lastAt("twilio")]).next).toMatchObject({ providers });
  });

  test("is tried again for ten minutes from its first throttled attempt on, however recent the others are", () => {
    const decidedWhen = (ms: number) =>
      decideAfter([throttled("vonage", ms), throttled("vonage", 1), lastAt("vonage")]);
    expect(decidedWhen(600_000 - 1)).toMatchObject({ step: null, next: { kind: "again" } });
    expect(decidedWhen(600_000)).toMatchObject({
      step: { to: "failed", error: { code: "no_provider_available" } },
      next: null,
    });
  });
});
