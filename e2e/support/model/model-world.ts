/** Carries out the steps of a sequence against the service, and compares each response with the reference model. */
import type { Receiver } from "../../../test/network/receiver";
import type { OwnAccount } from "../accounts";
import type { CheckedApi, CheckedResponse } from "../checked-api";
import type { Operator } from "../operator";
import {
  prepareBalance,
  prepareDeleteSender,
  prepareImport,
  prepareKey,
  prepareReadSender,
  prepareRevoke,
  prepareSender,
  prepareSuppression,
  prepareSuppressions,
  prepareUnsuppression,
} from "./account-operations";
import { type Prepared, REPLAYED } from "./creation";
import {
  prepareChangeEndpoint,
  prepareDeleteEndpoint,
  prepareEndpoint,
  prepareEndpoints,
  prepareReadEndpoint,
  prepareSwitch,
} from "./endpoint-operations";
import {
  type ListStep,
  prepareCancel,
  prepareList,
  prepareRead,
  prepareRedact,
  prepareReschedule,
  prepareWalk,
} from "./message-operations";
import {
  Disagreement,
  keyOf,
  NEVER_ENDS,
  PRICE_MICROS,
  SIDES,
  type Side,
  type State,
  spent,
  units,
} from "./model-state";
import { type RequestStep, type Step, type Text, textOf } from "./model-steps";
import { prepareBulk, prepareEstimate, prepareSend, type SendStep } from "./send-operations";

export type World = {
  state: State;
  rest: CheckedApi;
  operator: Operator;
  account: OwnAccount;
  receiver: Receiver;
  /** A number for a sender of this sequence alone. */
  ownNumber: string;
  /** Requests with an Idempotency-Key so far. */
  keyed: Prepared[];
  /** Number of responses by operation, status and reason. */
  outcomes: Map<string, number>;
};

const STATUSES = ["pending", "sent", "delivered", "failed", "undelivered"];
const PLAIN: Omit<SendStep, "to" | "from"> = {
  ...{ body: "Hello", when: "now", route: "none", provider: null, reference: null, metadata: null, validity: null },
};
const UNKNOWN_ID = "01k9x7t4m2e8v5q3r6w1y0z8ab";
const PARTS_MAX = 60;

const among = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(1, items.length)];

/** The id that a step means, of the caller's account or of any. */
function idOf(
  state: State,
  side: Side,
  { at, isAnybodys }: { at: number; isAnybodys: boolean },
  prefix: string,
  list: (side: Side) => { id: string | null }[],
): string {
  const sides = isAnybodys ? Object.values(state.sides) : [side];
  const ids = sides.flatMap(list).flatMap(({ id }) => id ?? []);
  return among(ids, at) ?? `${prefix}_${UNKNOWN_ID}`;
}

const numberOf = ({ route }: State, given: string): string => given.replace(/^own-/, `+${route.prefix}0`);

function filtersOf(side: Side, filters: { name: ListStep["filters"][number]["name"]; at: number }[]) {
  const values: Record<string, string[]> = {
    status: STATUSES,
    to: side.messages.map(({ input }) => input.to).filter((to) => /^\+[1-9]\d{6,14}$/.test(to)),
    from: side.senders.map(({ senderId }) => senderId),
    reference: ["order-1", "order-2", "", "none"],
    "metadata[shop]": ["north", "south", "west"],
    api_key_id: side.keys.map(({ id }) => id),
    created_after: side.messages.map(({ seen }) => seen.created_at),
    created_before: side.messages.map(({ seen }) => seen.created_at),
  };
  return filters.flatMap(({ name, at }) => {
    const value = among(values[name] ?? [], at);
    return value === undefined ? [] : [{ name, value }];
  });
}

/** A bulk that leaves that many segments of the balance, by what is certain. */
function spendOf(side: Side, left: number, from: string): SendStep {
  const parts = Math.max(1, Math.floor((side.creditMicros - spent(side).most) / PRICE_MICROS) - left);
  const isLong = parts > PARTS_MAX;
  const to = Array<string>(isLong ? Math.ceil(parts / 11) : parts).fill(NEVER_ENDS);
  return { ...PLAIN, body: isLong ? "a".repeat(1_600) : "Hello", from, to: to.slice(0, 200) };
}

/** The request of a step, as things stand. */
function prepare(world: World, step: RequestStep): Prepared {
  const { state } = world;
  const side = state.sides[step.side];
  const key = step.key === 0 ? side.keys[0] : among(side.keys, step.key);
  const keyId = key?.id ?? "";
  const first = side.senders[0]?.senderId ?? "NOBODY";
  const senderAt = (at: number | null) => (at === null ? null : (among(side.senders, at)?.senderId ?? null));
  const sendOf = (given: Omit<SendStep, "from" | "body"> & { body: Text; from: number | string | null }): SendStep => ({
    ...given,
    body: textOf(given.body),
    // In test mode the sandbox is the whole chain.
    provider: side.isLive ? given.provider : null,
    route: side.isLive ? given.route : "none",
    to: given.to.map((to) => numberOf(state, to)),
    from: typeof given.from === "string" ? given.from : ((given.from === null ? first : senderAt(given.from)) ?? first),
  });
  const idIn = (prefix: string, list: (side: Side) => { id: string | null }[]) =>
    "isAnybodys" in step ? idOf(state, side, step, prefix, list) : "";
  const messageId = () => idIn("msg", ({ messages }) => messages);
  // Only messages that wait for their time can be rescheduled, and certainly be canceled.
  const waitingId = () =>
    idIn("msg", ({ messages }) => {
      const waiting = messages.filter(({ isDue, seen }) => !isDue && seen.status === "pending");
      return waiting.length > 0 && "at" in step && step.at % 3 > 0 ? waiting : messages;
    });
  const endpointId = () => idIn("whe", ({ endpoints }) => endpoints);
  switch (step.what) {
    case "send":
      return prepareSend(state, keyId, sendOf(step), step.idempotencyKey);
    case "bulk":
      return prepareBulk(state, keyId, sendOf(step), step.idempotencyKey);
    case "estimate":
      return prepareEstimate(state, keyId, sendOf(step));
    case "spend":
      return prepareBulk(state, keyId, spendOf(side, step.left, first), step.idempotencyKey);
    case "repeat": {
      const former = among(world.keyed, step.at);
      const isOthers = former && keyOf(state, former.keyId).side.name === side.name;
      return (isOthers ? former.as?.(keyId) : former) ?? prepareBalance(keyId);
    }
    case "read":
      return prepareRead(keyId, messageId());
    case "cancel":
      return prepareCancel(keyId, waitingId());
    case "redact":
      return prepareRedact(keyId, messageId());
    case "reschedule":
      return prepareReschedule(keyId, waitingId(), step.when);
    case "list":
      return prepareList(keyId, { ...step, filters: filtersOf(side, step.filters) });
    case "walk":
      return prepareWalk(state, keyId, side.name, step.limit);
    case "balance":
      return prepareBalance(keyId);
    case "make-key":
      return prepareKey(keyId, step, step.idempotencyKey);
    case "revoke-key":
      // The first keys are what a sequence is compared with at its end.
      return prepareRevoke(
        keyId,
        idIn("key", ({ keys }) => keys.slice(1)),
        step.cascade,
      );
    case "make-sender": {
      const name = { "own-number": world.ownNumber, "own-number-plain": world.ownNumber.slice(1) }[step.name as string];
      return prepareSender(keyId, name ?? step.name, step.idempotencyKey);
    }
    case "read-sender":
      return prepareReadSender(
        keyId,
        idIn("snd", ({ senders }) => senders),
      );
    case "delete-sender":
      return prepareDeleteSender(
        keyId,
        idIn("snd", ({ senders }) => senders.slice(1)),
      );
    case "suppress": {
      const number = numberOf(state, step.to);
      return prepareSuppression(
        keyId,
        { number, senderId: senderAt(step.sender), note: step.note },
        step.idempotencyKey,
      );
    }
    case "unsuppress":
      return prepareUnsuppression(
        keyId,
        idIn("sup", ({ suppressions }) => suppressions),
      );
    case "import": {
      const entries = step.to.map((to) => entryOf(numberOf(state, to), step.isNoisy));
      return prepareImport(keyId, entries, senderAt(step.sender));
    }
    case "suppressions":
      return prepareSuppressions(keyId);
    case "make-endpoint": {
      const at = Object.values(state.sides).reduce((sum, { endpoints }) => sum + endpoints.length, 0);
      return prepareEndpoint(
        keyId,
        { url: `${world.receiver.url}/${side.accountId}/${state.step}-${at}`, events: step.events },
        step.idempotencyKey,
      );
    }
    case "read-endpoint":
      return prepareReadEndpoint(keyId, endpointId());
    case "endpoints":
      return prepareEndpoints(keyId);
    case "change-endpoint":
      return prepareChangeEndpoint(keyId, endpointId(), step);
    case "switch-endpoint":
      return prepareSwitch(keyId, endpointId(), step.verb);
    case "delete-endpoint":
      return prepareDeleteEndpoint(keyId, endpointId());
  }
}

/** An entry of an import; noise is what is ignored in a number: `00` for its plus, and separators. */
function entryOf(to: string, isNoisy: boolean) {
  const number = /^\+[1-9]\d{6,14}$/.test(to) ? to : null;
  // A number without its plus counts if its first digits name its country.
  if (number === null) return { text: "nobody", number };
  return { text: isNoisy ? `00 ${to.slice(1, 4)}-${to.slice(4)}` : to, number };
}

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

const ordersOf = (count: number): number[][] =>
  count === 0
    ? [[]]
    : ordersOf(count - 1).flatMap((order) =>
        Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
      );

/** Requests at the same time: their responses must be those of one order in which they could have come one after the other. */
async function carryOutTogether(world: World, prepared: Prepared[]): Promise<void> {
  const responses = await Promise.all(prepared.map((each) => ask(world, each)));
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

/** Carries out a step. @throws Error naming its requests and the difference from the model. */
export async function carryOut(world: World, step: Step): Promise<void> {
  world.state.step += 1;
  if (step.kind === "credit") {
    await world.operator.credit(world.account, units(step.amount));
    world.state.sides.live.creditMicros += step.amount;
    return;
  }
  if (step.kind === "settle") return;
  const prepared = step.requests.map((each) => prepare(world, each));
  const [one] = prepared;
  try {
    if (prepared.length > 1) await carryOutTogether(world, prepared);
    else one?.judge(world.state, await ask(world, one));
  } catch (thrown) {
    const asked = prepared.map(({ keyId, ask: request }) => JSON.stringify({ keyId, ...request }));
    const problem = thrown instanceof Error ? thrown.message : thrown;
    throw new Error(`Step ${world.state.step}: ${problem}\n${asked.join("\n").slice(0, 3_000)}`);
  }
  for (const each of prepared) if (each.ask.headers?.["idempotency-key"]) world.keyed.push(each);
  if (step.requests.some((each) => each.what === "make-sender" && each.isApproved)) await approveSenders(world);
}
