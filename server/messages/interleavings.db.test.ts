import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { cancelMessage } from "@/server/messages/changes/cancel";
import { redactMessage } from "@/server/messages/changes/redact";
import type { SendOutcome } from "@/server/providers/port";
import { invalidateProviders, providerTable } from "@/server/providers/registry";
import { contradictions } from "@/test/database/account-truth";
import { accepted, BUSY, prepareAttempts, THROTTLED, UNKNOWN } from "@/test/database/attempts";
import { makeRoute } from "@/test/database/routes";
import { processRegistry, tellWorkersApart } from "@/test/database/simulated-workers";
import { InterleavedSends } from "@/test/model/interleaved-sends";
import { MODEL_TIMES } from "@/test/model/times";

/** Sequences per policy. A slow machine runs fewer, in about half a minute per policy. */
const SEQUENCES = 200 * MODEL_TIMES;
const ABOUT_MS = 30_000 * MODEL_TIMES;
const LIMIT_MS = 10 * ABOUT_MS;
const ROUNDS = 15;

beforeAll(async () => {
  await prepareAttempts();
  await makeRoute({ prefix: "1415", chain: ["vonage", "twilio", "vonage"] });
  await makeRoute({ prefix: "1212", chain: ["twilio", "vonage", "twilio"] });
  tellWorkersApart();
});

const REFUSED = { kind: "refused", code: "x", detail: "No." } as const;
const outcome = fc.constantFrom<SendOutcome>(accepted("taken"), REFUSED, BUSY, THROTTLED, UNKNOWN);
/** The outcome that ends every sequence. Throttling retries for ten minutes, and is tested with the rules. */
const lastOutcome = fc.constantFrom<SendOutcome>(accepted("taken"), REFUSED, BUSY, UNKNOWN);
const provider = fc.constantFrom("vonage", "twilio");
const status = fc.constantFrom("sent", "delivered", "failed", "undelivered");
const by = fc.nat(2);
/** An index into the items that exist at the moment. */
const at = fc.nat(7);
const yes = fc.boolean();
const on = <What extends string, More>(what: What, more: { [Key in keyof More]: fc.Arbitrary<More[Key]> }) =>
  fc.record(more).map((made) => ({ what, ...made }));

const single = fc.oneof(
  { weight: 4, arbitrary: on("send", { by, key: fc.constantFrom(null, "one", "two") }) },
  { weight: 5, arbitrary: on("dispatch", { by, at, isDone: yes, isHeard: yes }) },
  { weight: 1, arbitrary: on("serve", { by, provider, begins: yes, isHeard: yes }) },
  { weight: 2, arbitrary: on("cancel", { at, by }) },
  { weight: 2, arbitrary: on("redact", { at, by }) },
  { weight: 1, arbitrary: on("expire", { at, by, isSwept: yes }) },
  { weight: 4, arbitrary: on("begin", { at, isTwice: yes }) },
  { weight: 5, arbitrary: on("call", { at, outcome, isTaken: yes }) },
  { weight: 5, arbitrary: on("record", { at, isHeard: yes }) },
  { weight: 2, arbitrary: on("record-again", { at, isHeard: yes }) },
  { weight: 2, arbitrary: on("record-anew", { at }) },
  { weight: 1, arbitrary: on("give-back", { at }) },
  { weight: 1, arbitrary: on("give-back-again", { at }) },
  { weight: 1, arbitrary: on("die", { by }) },
  { weight: 2, arbitrary: on("take-over", { by, stalled: fc.option(by) }) },
  { weight: 1, arbitrary: on("unheard", { by }) },
  { weight: 3, arbitrary: on("receipt", { at, by, isNamed: yes, status }) },
  { weight: 1, arbitrary: on("join", { by, provider }) },
  { weight: 1, arbitrary: on("sweep", { by }) },
  { weight: 1, arbitrary: on("drain", { provider }) },
);
type Single = typeof single extends fc.Arbitrary<infer Value> ? Value : never;

/** One step, or two concurrent ones. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(single) },
  { weight: 1, arbitrary: fc.tuple(single, single) },
);

async function happen(sends: InterleavedSends, one: Single): Promise<void> {
  switch (one.what) {
    case "send":
      return sends.send(one.by, one.key);
    case "dispatch":
      return sends.dispatch(one.by, one.at, one.isDone, one.isHeard);
    case "serve":
      return sends.serve(one.by, one.provider, one.begins, one.isHeard);
    case "cancel":
      return sends.ask(one.at, one.by, cancelMessage);
    case "redact":
      return sends.ask(one.at, one.by, redactMessage);
    case "expire":
      return sends.expire(one.at, one.by, one.isSwept);
    case "begin":
      return sends.begin(one.at, one.isTwice);
    case "call":
      return sends.call(one.at, one.outcome, one.isTaken);
    case "record":
      return sends.record(one.at, one.isHeard);
    case "record-again":
      return sends.recordAgain(one.at, one.isHeard);
    case "record-anew":
      return sends.recordAnew(one.at);
    case "give-back":
      return sends.giveBack(one.at);
    case "give-back-again":
      return sends.giveBackAgain(one.at);
    case "die":
      return sends.die(one.by);
    case "take-over":
      return sends.takeOver(one.by, one.stalled);
    case "unheard":
      return sends.giveBackUnheard(one.by);
    case "receipt":
      return sends.receipt(one.at, one.status, one.isNamed, one.by);
    case "join":
      return sends.join(one.provider, one.by);
    case "sweep":
      return sends.sweep(one.by);
    case "drain":
      return sends.drain(one.provider);
  }
}

/** Calls that the providers must not have received. */
function wrongCalls({ calls, unknown }: InterleavedSends, policy: string): string[] {
  return calls.flatMap((call, index) =>
    calls.slice(index + 1).flatMap((other) => {
      if (other.messageId !== call.messageId) return [];
      if (other.seq === call.seq) return [`attempt ${call.seq} of ${call.messageId} was made twice`];
      const [first, second] = call.seq < other.seq ? [call, other] : [other, call];
      if (!first.isTaken || (policy === "fallback" && unknown.has(first.claim))) return [];
      return [`${first.provider} took ${first.messageId}, then ${second.provider} was asked`];
    }),
  );
}

async function check(sends: InterleavedSends, policy: string): Promise<void> {
  await sends.look();
  const wrong = [...sends.wrong, ...wrongCalls(sends, policy), ...(await contradictions(sends.account.accountId))];
  for (const [key, ids] of sends.answers) if (ids.size > 1) wrong.push(`the key ${key} made ${ids.size} messages`);
  expect(wrong).toEqual([]);
}

async function usePolicy(policy: string): Promise<void> {
  process.env.ON_UNKNOWN_OUTCOME = policy;
  processRegistry().delete("env");
  await pool().query("DELETE FROM providers");
  invalidateProviders();
  // Lets vonage need a connection, so that its attempts begin after their claim; twilio's begin with it.
  const adapter = (await providerTable()).openAdapter("vonage");
  if (adapter) adapter.ready = async () => null;
}

describe.each(["fallback", "hold"])("an account's messages and three workers, under %s", (policy) => {
  test(
    "hold their invariants through any order of sends, claims, responses, deaths, stalls, lost replies, receipts and sweeps",
    async () => {
      await usePolicy(policy);
      const until = performance.now() + ABOUT_MS;
      await fc.assert(
        fc.asyncProperty(
          fc.array(happening, { minLength: 1, maxLength: 60, size: "max" }),
          lastOutcome,
          async (sequence, last) => {
            if (performance.now() > until) return;
            const sends = await InterleavedSends.open();
            await sends.send(0, null);
            for (const happenings of sequence) {
              await Promise.all(happenings.map((one) => happen(sends, one)));
              await sends.look();
            }
            await check(sends, policy);
            expect(await sends.settle(last, ROUNDS), "messages that come to no end").toEqual([]);
            await check(sends, policy);
          },
        ),
        { numRuns: SEQUENCES },
      );
      expect((await checkLedger()).drifted).toEqual([]);
    },
    LIMIT_MS,
  );
});
