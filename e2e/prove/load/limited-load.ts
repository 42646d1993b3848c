/** The load of the customers with limits: sends beyond balance and caps, credits, changes of caps, and test messages. */
import { between, type Chance, oneOf, weighed } from "../faults/chance";
import type { Customer } from "../world/customers";
import { exchange } from "../world/exchange";
import type { Limited } from "../world/limited";
import { type CapChange, createCaps } from "./caps";
import { type Credit, credit } from "./credits";
import { note, type Order, type Send, type SendKind, type Tally } from "./sends";

/** Books of the customers with limits, their operator and their owner. */
export type LimitedLoad = {
  credits: Credit[];
  caps: CapChange[];
  /** Sends with the test key. */
  trials: Send[];
  /** Balances that the customers read, in micro-units. */
  balances: { accountId: string; micros: number }[];
  begin: (turn: number) => Promise<void>;
};

/** `book`: the list that gets the send; undefined: that of all customers. */
export type SendOther = Partial<Pick<Order, "size" | "to" | "insists" | "dueInMs" | "newNumber">> & { book?: Send[] };

type Ground = {
  seed: number;
  limited: Limited;
  chance: Chance;
  urlAt: (turn: number) => string;
  answers: Tally;
  sends: readonly Send[];
  newNumber: () => string;
  send: (customer: Customer, kind: SendKind, turn: number, other: SendOther) => Promise<void>;
};

type Operation = "poor" | "capped" | "trial" | "credit" | "cap" | "lowered" | "balance";
const OPERATIONS: readonly (readonly [number, Operation])[] = [
  [6, "poor"],
  [5, "capped"],
  [3, "trial"],
  [1.5, "credit"],
  [1, "cap"],
  [1.2, "lowered"],
  [1, "balance"],
];
type LimitedKind = SendKind | "large";
const KINDS: readonly (readonly [number, LimitedKind])[] = [
  [4, "single"],
  [6, "keyed"],
  [3, "impatient"],
  [2, "bulk"],
  [3, "hasty"],
  [5, "scheduled"],
  [0.15, "large"],
];
const TRIAL_KINDS: readonly (readonly [number, SendKind])[] = [
  [2, "single"],
  [5, "keyed"],
  [3, "impatient"],
];
/** One that is inserted before its account is locked (docs/decisions/0048). */
const LARGE_BULK = 260;
/** Scheduled messages that are accepted together before the cap is lowered. */
const LATER_BULK = 12;
const LOWERED_AFTER_MS = 1_000;
/** How long the caps then stay after the messages are due. */
const LOWERED_FOR_MS = 1_000;
const LOWERED_BY_MICROS = 10_000;
const ROOM_MICROS = 2_000_000;
/** How often a customer repeats a keyed send that the balance did not cover. */
const INSISTS = 3;
/** Scenario numbers that end within the run (docs/scenario-numbers.md). */
const SCENARIOS = [1, 2, 3, 4, 5, 6, 7, 9] as const;
const SCENARIO_SHARE = 0.7;
const MICROS = 1_000_000;

export function createLimitedLoad({
  seed,
  limited,
  chance,
  urlAt,
  answers,
  sends,
  newNumber,
  send,
}: Ground): LimitedLoad {
  const { poor, capped, trial } = limited;
  const credits: Credit[] = [];
  const trials: Send[] = [];
  const balances: LimitedLoad["balances"] = [];
  const caps = createCaps(limited);
  let creditCount = 0;
  let isLowering = false;

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  /** The customer's spending of the day, as its last refusal told it. */
  const spentMicros = (): number => {
    const told = sends.findLast(({ accountId, shortages }) => accountId === capped.accountId && shortages)?.shortages;
    const { spent } = told?.findLast(({ kind }) => kind === "cap")?.details ?? {};
    return typeof spent === "number" ? Math.round(spent * MICROS) : 0;
  };

  function sendBeyond(customer: Customer, turn: number): Promise<void> {
    const kind = weighed(chance, KINDS);
    if (kind === "large") return send(customer, "bulk", turn, { size: LARGE_BULK });
    return send(customer, kind, turn, { insists: kind === "keyed" ? INSISTS : 0 });
  }

  /** Numbers of the sandbox, and some that would go to carriers in live mode. */
  const trialNumber = (): string =>
    chance() < SCENARIO_SHARE ? `+1555010000${oneOf(chance, SCENARIOS)}` : newNumber();

  async function readBalance({ accountId, apiKey }: Customer, turn: number): Promise<void> {
    const answer = await exchange({ method: "GET", url: `${urlAt(turn)}/api/v1/balance`, apiKey });
    note(answers, "read balance", answer);
    const { balance } = (answer.body?.data ?? {}) as { balance?: number };
    if (answer.status === 200 && balance !== undefined)
      balances.push({ accountId, micros: Math.round(balance * MICROS) });
  }

  /** Both caps leave room, and the owner lowers one while scheduled messages wait, so that it has no room for some of them. */
  async function lower(turn: number): Promise<void> {
    if (isLowering) return;
    isLowering = true;
    const order = { urlAt, turn, answers };
    const roomy = spentMicros() + ROOM_MICROS;
    await Promise.all([caps.change("owner", null, order), caps.change("operator", roomy, order)]);
    const dueInMs = between(chance, 3_000, 6_000);
    const dueMs = Date.now() + dueInMs;
    const sent = send(capped, "bulk", turn, { size: LATER_BULK, dueInMs });
    await pause(LOWERED_AFTER_MS);
    const url = `${urlAt(turn)}/api/v1/usage?period=day`;
    const read = await exchange({ method: "GET", url, apiKey: capped.apiKey });
    const { totals } = (read.body?.data ?? {}) as { totals?: { cost: number } };
    const tooMuch = between(chance, 1, 8) * LOWERED_BY_MICROS;
    if (totals) await caps.change("owner", Math.max(0, Math.round(totals.cost * MICROS) - tooMuch), order);
    await Promise.all([sent, pause(dueMs + LOWERED_FOR_MS - Date.now())]);
    isLowering = false;
  }

  async function creditOne(turn: number): Promise<void> {
    creditCount += 1;
    const customer = between(chance, 1, 10) === 1 ? capped : poor;
    const order = { operator: limited.operator, customer, number: `${seed}-${creditCount}` };
    credits.push(await credit({ ...order, chance, urlAt, turn, answers }));
  }

  return {
    credits,
    caps: caps.changes,
    trials,
    balances,
    begin: (turn) => {
      switch (weighed(chance, OPERATIONS)) {
        case "poor":
          return sendBeyond(poor, turn);
        case "capped":
          return sendBeyond(capped, turn);
        case "trial":
          return send(trial, weighed(chance, TRIAL_KINDS), turn, { newNumber: trialNumber, book: trials });
        case "credit":
          return creditOne(turn);
        case "cap":
          if (isLowering) return Promise.resolve();
          return caps.changeByChance({ spentMicros: spentMicros(), chance, urlAt, turn, answers });
        case "lowered":
          return lower(turn);
        case "balance":
          return readBalance(oneOf(chance, [poor, capped, trial]), turn);
      }
    },
  };
}
