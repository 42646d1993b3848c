/** Carries out the steps of a sequence against the service, and compares each response with the reference model. */
import { expect } from "@playwright/test";
import { isReplyStored, replyFromHandset } from "../behind-the-api";
import type { CheckedResponse } from "../checked-api";
import { type Prepared, REPLAYED } from "./creation";
import { judgeReply } from "./inbound-operations";
import { prepare, type World } from "./model-requests";
import { bare, Disagreement, keyOf, SIDES, units } from "./model-state";
import type { Step } from "./model-steps";

async function ask(world: World, { keyId, ask: request }: Prepared) {
  const response = await world.rest.withKey(keyOf(world.state, keyId).key.plain).ask(request);
  const { pathname } = new URL(request.path, "http://localhost");
  const operation = `${request.method} ${pathname.replace(/\/[a-z]{3}_\w+/, "/{id}")}`;
  const reason = response.body.error?.details.reason;
  const replayed = response.headers.has(REPLAYED) ? "replayed" : "";
  const outcome = `${operation} ${response.status} ${reason ?? replayed}`.trim();
  world.outcomes.set(outcome, (world.outcomes.get(outcome) ?? 0) + 1);
  return response;
}

/** The responses to requests at the same time. */
async function askWithin(world: World, prepared: Prepared[]): Promise<CheckedResponse[]> {
  const from = Date.now();
  const responses = await Promise.all(prepared.map((each) => ask(world, each)));
  world.state.during = { from, to: Date.now() };
  return responses;
}

const ordersOf = (count: number): number[][] =>
  count === 0
    ? [[]]
    : ordersOf(count - 1).flatMap((order) =>
        Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
      );

/** Requests at the same time: their responses must be those of one order in which they could have come one after the other. */
async function carryOutTogether(world: World, prepared: Prepared[]): Promise<void> {
  const responses = await askWithin(world, prepared);
  const problems: string[] = [];
  for (const order of ordersOf(prepared.length)) {
    const state = structuredClone(world.state);
    try {
      for (const at of order) prepared[at]?.judge(state, responses[at] as CheckedResponse);
      world.state = state;
      return;
    } catch (thrown) {
      problems.push(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  throw new Disagreement(`No order explains the responses:\n${problems.join("\n")}`);
}

async function approveSenders(world: World): Promise<void> {
  for (const name of SIDES) {
    for (const { id, status } of world.state.sides[name].senders) {
      // The status is then seen by a request.
      if (status === "pending") await world.operator.approveSender(id).catch(() => undefined);
    }
  }
}

/** A text from a handset, which is in effect in all accounts once it is stored. */
async function reply(world: World, { from, to, body, isBare }: Step & { kind: "reply" }): Promise<void> {
  const number = to === "own-number" ? world.ownNumber : to;
  // Some carriers leave out the plus.
  const written = (text: string) => (isBare ? bare(text) : text);
  const providerId = await replyFromHandset(written(from), written(number), body);
  await expect.poll(() => isReplyStored(providerId), { intervals: [20, 50, 100] }).toBe(true);
  for (const side of Object.values(world.state.sides)) {
    const rest = world.rest.withKey(side.keys[0]?.plain ?? null);
    await judgeReply(world.state, side, { from, to: number, body, providerId }, rest);
  }
}

/** A request alone. */
async function carryOutAlone(world: World, one: Prepared): Promise<void> {
  const { rateLimit } = keyOf(world.state, one.keyId).key;
  const [response] = (await askWithin(world, [one])) as [CheckedResponse];
  one.judge(world.state, response);
  const shown = response.headers.get("ratelimit-limit");
  // A key that changes itself is told either limit.
  const isOfKey = one.ask.method !== "PATCH" && response.body.success;
  if (isOfKey && shown !== String(rateLimit)) throw new Disagreement(`RateLimit-Limit is ${shown}, not ${rateLimit}.`);
}

/** Carries out a step. @throws Error naming its requests and the difference from the model. */
export async function carryOut(world: World, step: Step): Promise<void> {
  world.state.step += 1;
  if (step.kind === "credit") {
    await world.operator.credit(world.account, units(step.amount));
    world.state.sides.live.creditMicros += step.amount;
    return;
  }
  if (step.kind === "settle") return;
  if (step.kind === "reply") return await reply(world, step);
  const prepared = step.requests.map((each) => prepare(world, each));
  const [one] = prepared;
  try {
    if (prepared.length > 1) await carryOutTogether(world, prepared);
    else if (one) await carryOutAlone(world, one);
  } catch (thrown) {
    const asked = prepared.map(({ keyId, ask: request }) => JSON.stringify({ keyId, ...request }));
    const problem = thrown instanceof Error ? thrown.message : thrown;
    throw new Error(`Step ${world.state.step}: ${problem}\n${asked.join("\n").slice(0, 3_000)}`);
  }
  for (const each of prepared) if (each.ask.headers?.["idempotency-key"]) world.keyed.push(each);
  if (step.requests.some((each) => each.what === "make-sender" && each.isApproved)) await approveSenders(world);
}
