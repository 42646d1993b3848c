/** The requests of steps, as things stand: a step names what exists by a number. */
import type { Receiver } from "../../../test/network/receiver";
import type { OwnAccount } from "../accounts";
import type { CheckedApi } from "../checked-api";
import type { Operator } from "../operator";
import {
  prepareBalance,
  prepareDeleteSender,
  prepareImport,
  prepareReadSender,
  prepareSender,
  prepareSuppression,
  prepareSuppressions,
  prepareUnsuppression,
} from "./account-operations";
import type { Prepared } from "./creation";
import {
  prepareChangeEndpoint,
  prepareDeleteEndpoint,
  prepareEndpoint,
  prepareEndpoints,
  prepareReadEndpoint,
  prepareSwitch,
} from "./endpoint-operations";
import { prepareInbound, prepareReadInbound } from "./inbound-operations";
import { type LimitFields, prepareChangeKey, prepareKey, prepareKeys, prepareRevoke } from "./key-operations";
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
  type Key,
  keyOf,
  leftOf,
  NEVER_ENDS,
  PERIODS,
  PRICE_MICROS,
  type Side,
  type State,
  spent,
} from "./model-state";
import type { Expiry, LimitsOfStep, RequestStep } from "./model-steps";
import { prepareRecovery, prepareRotation, prepareTest } from "./secret-operations";
import { prepareBulk, prepareEstimate, prepareSend, type SendStep } from "./send-operations";
import { type Text, textOf, type Variables } from "./step-texts";
import { BODY_MAX } from "./texts";

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
  ...{ smart: null, variables: null },
  ...{ body: "Hello", when: "now", route: "none", provider: null, reference: null, metadata: null, validity: null },
};
const UNKNOWN_ID = "01k9x7t4m2e8v5q3r6w1y0z8ab";
const PARTS_MAX = 60;
const USED_UP_MAX = 10;

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

/** A send as a step has it. */
type Asked = Omit<SendStep, "from" | "body" | "variables"> & {
  body: Text;
  from: number | string | null;
  variables?: Variables | null;
};

/** The variables of a bulk; the fault is in those of the last recipient. */
function valuesFor(to: string[], { names, fault }: Variables): Record<string, string>[] {
  const all = to.map((_, at): Record<string, string> => ({ name: textOf(names[at] ?? []), order: `No. ${at}` }));
  const last = all.at(-1) ?? {};
  if (fault === "missing") return [...all.slice(0, -1), { order: "none" }];
  if (fault === "too long") return [...all.slice(0, -1), { ...last, name: "a".repeat(BODY_MAX + 1) }];
  return fault === "too few" ? [...all, last].slice(0, to.length > 1 ? -2 : undefined) : all;
}

/** A bulk that leaves that many segments of the balance, by what is certain. */
function spendOf(side: Side, left: number, from: string): SendStep {
  const parts = Math.max(1, Math.floor((side.creditMicros - spent(side).most) / PRICE_MICROS) - left);
  const isLong = parts > PARTS_MAX;
  const to = Array<string>(isLong ? Math.ceil(parts / 11) : parts).fill(NEVER_ENDS);
  return { ...PLAIN, body: isLong ? "a".repeat(1_600) : "Hello", from, to: to.slice(0, 200) };
}

/** Messages that the key may still send today; null: any number. */
function leftToSend(side: Side, key: Key): number | null {
  const left = PERIODS.flatMap((period) => leftOf(side, key, period) ?? []);
  return left.length === 0 ? null : Math.max(0, Math.min(...left));
}

const DAY_MS = 86_400_000;
const MS_TO_EXPIRY: Record<Exclude<Expiry, "never">, number> = {
  soon: 1_500,
  tomorrow: DAY_MS,
  "in two days": 2 * DAY_MS,
  past: -60_000,
};

/** The limits of a step as fields of a request. */
function limitsIn({ rate_limit, daily_limit, monthly_limit, allowed_ips, expires }: LimitsOfStep): LimitFields {
  const endsAt = (expiry: Exclude<Expiry, "never">) => new Date(Date.now() + MS_TO_EXPIRY[expiry]).toISOString();
  const expires_at = expires === undefined ? undefined : expires === "never" ? null : endsAt(expires);
  return { rate_limit, daily_limit, monthly_limit, allowed_ips, expires_at };
}

/** The request of a step, as things stand. */
export function prepare(world: World, step: RequestStep): Prepared {
  const { state } = world;
  const side = state.sides[step.side];
  const key = step.key === 0 ? side.keys[0] : among(side.keys, step.key);
  const keyId = key?.id ?? "";
  const first = side.senders[0]?.senderId ?? "NOBODY";
  const senderAt = (at: number | null) => (at === null ? null : (among(side.senders, at)?.senderId ?? null));
  const sendOf = (given: Asked): SendStep => ({
    ...given,
    body: textOf(given.variables?.template ?? given.body),
    variables: given.variables ? valuesFor(given.to, given.variables) : null,
    // In test mode the sandbox is the whole chain.
    provider: side.isLive ? given.provider : null,
    route: side.isLive ? given.route : "none",
    to: given.to.map((to) => numberOf(state, to)),
    from: typeof given.from === "string" ? given.from : ((given.from === null ? first : senderAt(given.from)) ?? first),
  });
  const idIn = (prefix: string, list: (side: Side) => { id: string | null }[]) =>
    "isAnybodys" in step ? idOf(state, side, step, prefix, list) : "";
  const ownNames: Record<string, string> = {
    "own-number": world.ownNumber,
    "own-number-plain": world.ownNumber.slice(1),
  };
  const ownName = (name: string): string => ownNames[name] ?? name;
  const messageId = () => idIn("msg", ({ messages }) => messages);
  // Only messages that wait for their time can be rescheduled, and certainly be canceled.
  const waitingId = () =>
    idIn("msg", ({ messages }) => {
      const waiting = messages.filter(({ isDue, seen }) => !isDue && seen.status === "pending");
      return waiting.length > 0 && "at" in step && step.at % 3 > 0 ? waiting : messages;
    });
  // The first keys are what a sequence is compared with at its end.
  const laterKeyId = () => idIn("key", ({ keys }) => keys.slice(1));
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
    case "use-up": {
      const isLimited = (each: Key) =>
        each.isActive && each.permissions.includes("sms:bulk") && leftToSend(side, each) !== null;
      const limited = among(side.keys.filter(isLimited), step.at);
      const count = limited ? Math.max(1, (leftToSend(side, limited) ?? 0) + step.beyond) : 1;
      const to = Array<string>(Math.min(count, USED_UP_MAX)).fill(NEVER_ENDS);
      return prepareBulk(state, limited?.id ?? keyId, { ...PLAIN, body: "Hello", from: first, to }, null);
    }
    case "make-key": {
      const { name, permissions } = step;
      return prepareKey(keyId, { name, permissions, ...limitsIn(step) }, step.idempotencyKey);
    }
    case "change-key": {
      const { name, permissions } = step;
      return prepareChangeKey(keyId, laterKeyId(), { name, permissions, ...limitsIn(step) });
    }
    case "keys":
      return prepareKeys(keyId);
    case "revoke-key":
      return prepareRevoke(keyId, laterKeyId(), step.cascade);
    case "make-sender": {
      return prepareSender(keyId, ownName(step.name), step.idempotencyKey);
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
    case "rotate-secret":
      return prepareRotation(keyId, endpointId(), step.idempotencyKey);
    case "test-endpoint":
      return prepareTest(keyId, endpointId(), world.receiver);
    case "recover":
      return prepareRecovery(keyId, endpointId(), step.isWhole);
    case "inbound":
      return prepareInbound(keyId, step.from, step.to === null ? null : ownName(step.to), step.limit);
    case "read-inbound":
      return prepareReadInbound(
        keyId,
        idIn("inb", ({ inbound }) => inbound),
      );
  }
}

/** An entry of an import; noise is what is ignored in a number: `00` for its plus, and separators. */
function entryOf(to: string, isNoisy: boolean) {
  const number = /^\+[1-9]\d{6,14}$/.test(to) ? to : null;
  // A number without its plus counts if its first digits name its country.
  if (number === null) return { text: "nobody", number };
  return { text: isNoisy ? `00 ${to.slice(1, 4)}-${to.slice(4)}` : to, number };
}
