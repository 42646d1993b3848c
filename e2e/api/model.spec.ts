import { randomInt } from "node:crypto";
import fc from "fast-check";
import type { ApiKey } from "@/server/api-keys/schema";
import type { Sender } from "@/server/senders/schema";
import { MODEL_TIMES } from "../../test/model/times";
import { databaseUrlOf, openDatabase } from "../support/books";
import type { CheckedApi } from "../support/checked-api";
import { test } from "../support/contract-test";
import type { World } from "../support/model/model-requests";
import { compareAll, settle } from "../support/model/model-settled";
import { micros, type Side, type SideName } from "../support/model/model-state";
import { type Step, steps } from "../support/model/model-steps";
import { carryOut } from "../support/model/model-world";

/** The gate runs the same sequences each time; a longer search has a new seed. */
const SEED = Number(process.env.MODEL_SEED || (MODEL_TIMES > 1 ? randomInt(2 ** 31 - 1) : 1));
const RUNS = 4 * MODEL_TIMES;
const BALANCE = 0.5;
const TEST_BALANCE = 1_000;
/** Time in which a failing sequence is shortened. */
const SHORTENED_FOR_MS = 90_000;

/** An account as the API shows it before the first step. */
async function openSide(name: SideName, rest: CheckedApi, plain: string, creditMicros: number): Promise<Side> {
  const own = rest.withKey(plain);
  const { id: accountId } = await own.get<{ id: string }>("/account");
  const { data: keys } = await own.get<{ data: ApiKey[] }>("/api-keys");
  const senders = await own.page<Sender>("/senders");
  return {
    ...{
      name,
      accountId,
      isLive: name !== "test",
      creditMicros,
      suppressions: [],
      endpoints: [],
      urls: [],
      messages: [],
      inbound: [],
      stored: {},
      walk: null,
    },
    keys: keys.map((key) => ({
      ...{ id: key.id, plain, name: key.name, permissions: key.permissions, rateLimit: key.rate_limit },
      ...{ isActive: true, createdBy: key.created_by, expiresAt: key.expires_at },
      ...{ dailyLimit: null, monthlyLimit: null, allowedIps: null },
    })),
    senders: senders.items.map(({ id, sender_id }) => ({ id, senderId: sender_id, status: "approved" })),
  };
}

test("every response of a random sequence of requests is that of the documented model", async ({
  service,
  rest,
  operator,
  receiver,
}) => {
  test.setTimeout(120_000 + RUNS * 60_000 + SHORTENED_FOR_MS);
  console.info(`MODEL_SEED=${SEED}: ${RUNS} sequences`);
  const database = await openDatabase(databaseUrlOf(service));
  const prefix = `88216${randomInt(1_000, 9_999)}`;
  const route = { id: await operator.makeRoute(prefix, 0.003333), prefix, priceMicros: 3_333 };

  const openWorld = async (): Promise<World> => {
    const account = await operator.makeAccount(BALANCE);
    const stranger = await operator.makeAccount(BALANCE);
    const sides = {
      live: await openSide("live", rest, account.apiKey, micros(BALANCE)),
      test: await openSide("test", rest, await operator.makeTestKey(account), micros(TEST_BALANCE)),
      stranger: await openSide("stranger", rest, stranger.apiKey, micros(BALANCE)),
    };
    const ownNumber = `+1646${randomInt(1_000_000, 9_999_999)}`;
    const during = { from: Date.now(), to: Date.now() };
    return {
      state: { step: 0, sides, route, during, tests: 0 },
      rest,
      operator,
      account,
      receiver,
      ownNumber,
      keyed: [],
      outcomes,
    };
  };

  const outcomes = new Map<string, number>();
  let failedAt: number | null = null;
  const run = async (sequence: Step[]): Promise<void> => {
    if (failedAt !== null && performance.now() > failedAt + SHORTENED_FOR_MS) return;
    try {
      const world = await openWorld();
      for (const step of sequence) {
        await carryOut(world, step);
        if (step.kind === "settle") await settle(world);
      }
      await compareAll(world, database);
    } catch (thrown) {
      // Said at once, because shortening the sequence takes a while.
      if (failedAt === null) console.info(thrown instanceof Error ? thrown.message : thrown);
      failedAt ??= performance.now();
      throw thrown;
    }
  };
  // Every expectation outside of a step looks through all earlier ones, which are tens of thousands in the end.
  const runAsStep = (sequence: Step[]) => test.step("A sequence", () => run(sequence));
  await fc.assert(fc.asyncProperty(steps(), runAsStep), { seed: SEED, numRuns: RUNS }).finally(database.close);
  const requests = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  console.info(`${requests} requests with ${outcomes.size} kinds of outcomes`);
  if (MODEL_TIMES > 1) console.info([...outcomes].map(([outcome, count]) => `${outcome} × ${count}`).join("\n"));
});
