/** The customers' load: sends of all kinds, cancellations, repeated requests after lost responses, and reads. */
import { between, type Chance, chanceOf, weighed } from "../faults/chance";
import { CHAINS, type Customer, NUMBER_PREFIX } from "../world/customers";
import type { Limited } from "../world/limited";
import type { Receivers } from "../world/receivers";
import type { Ban } from "./bans";
import { type Cancellation, cancel, cancelAfterMs } from "./cancellations";
import type { EndpointLife } from "./endpoints";
import type { KeyLife } from "./keys";
import { createLimitedLoad, type LimitedLoad, type SendOther } from "./limited-load";
import { pauseForAWhile } from "./pauses";
import { isExperiment, type PermissionKind, type Permissions, startExperiments } from "./permissions";
import type { QuotaLife } from "./quotas";
import type { RateLife } from "./rates";
import { createReader, type Reading } from "./reader";
import { type Redaction, redact } from "./redactions";
import { type PassOn, type Reply, replyByChance } from "./replies";
import { reschedule, rescheduleAfterMs } from "./reschedulings";
import { rotate } from "./rotations";
import { makeSend, note, type Send, type SendKind, type Tally } from "./sends";

export type Load = {
  sends: Send[];
  cancellations: Cancellation[];
  replies: Reply[];
  redactions: Redaction[];
  /** Null: there are no customers with limits. */
  limited: LimitedLoad | null;
  bans: Ban[];
  keys: KeyLife[];
  quotas: QuotaLife[];
  rates: RateLife[];
  endpoints: EndpointLife[];
  answers: Tally;
  readings: () => Reading;
  /** Requests not begun because too many were waiting. */
  skipped: () => number;
  /** One customer sends to `count` recipients at once, in two bulks. Resolves when both are accepted. */
  crowd: (count: number) => Promise<void>;
  /** Directs callers away from a web process, as a load balancer does before it stops; null: they use all. */
  avoid: (url: string | null) => void;
  /** Begins no further request. */
  stop: () => void;
  /** Resolves when every caller has a response or has given up, and every scheduled message is due. */
  settled: () => Promise<void>;
  inFlight: () => number;
};

export type LoadOptions = {
  seed: number;
  customers: readonly Customer[];
  /** Customers with limits; null: there are none. */
  limited: Limited | null;
  urls: readonly string[];
  /** Requests per second of all customers together. */
  rate: number;
  passOn: PassOn;
  /** The time that a STOP may need to take effect. */
  heededWithinMs: number;
  /** Lets the operator change the prices. */
  reprice: () => Promise<unknown>;
  receivers: Receivers;
  /** Null: nobody changes permissions or endpoints. */
  permissions: Permissions | null;
};

const IN_FLIGHT_MAX = 150;
/** One that is inserted before its account is locked (docs/decisions/0048). A crowd is larger. */
const LARGE_BULK = 260;

type Read = "message" | "list" | "balance";
const READS: readonly string[] = ["message", "list", "balance"] satisfies Read[];
type Operation = SendKind | Read | "reply" | "redact" | "rotate" | "pause" | "reprice" | "limited" | PermissionKind;
const OPERATIONS: readonly (readonly [number, Operation])[] = [
  [20, "single"],
  [22, "keyed"],
  [9, "impatient"],
  [3, "bulk"],
  [6, "hasty"],
  [8, "scheduled"],
  [5, "paced"],
  [4, "brief"],
  [4, "reply"],
  [4, "redact"],
  [0.4, "rotate"],
  [0.4, "pause"],
  [0.2, "reprice"],
  [17, "limited"],
  [2.5, "suppress"],
  [0.8, "key"],
  [0.4, "quota"],
  [0.4, "rate"],
  [0.5, "endpoint"],
  [0.35, "delete sender"],
  [0.35, "suspend"],
  [15, "message"],
  [8, "list"],
  [6, "balance"],
];

const isRead = (operation: Operation): operation is Read => READS.includes(operation);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts the load. */
export function startLoad({
  seed,
  customers,
  limited: limitedCustomers,
  urls,
  rate,
  passOn,
  receivers,
  reprice,
  heededWithinMs,
  permissions,
}: LoadOptions): Load {
  const chance: Chance = chanceOf(`${seed} load`);
  const sends: Send[] = [];
  const cancellations: Cancellation[] = [];
  const replies: Reply[] = [];
  const redactions: Redaction[] = [];
  const answers: Tally = new Map();
  const reader = createReader();
  const inFlight = new Set<Promise<void>>();
  let numbers = 0;
  let rotations = 0;
  let skipped = 0;
  let isOver = false;
  let avoided: string | null = null;

  const newNumber = (): string => {
    numbers += 1;
    const chain = between(chance, 0, CHAINS.length - 1);
    return `+${NUMBER_PREFIX}${chain}${String(numbers).padStart(7, "0")}`;
  };
  /** The web processes in turn, so that a dead one is not asked twice in a row. */
  const urlAt = (turn: number): string => {
    const url = urls[turn % urls.length] ?? "";
    return url === avoided ? (urls[(turn + 1) % urls.length] ?? "") : url;
  };

  /** @param other properties that are not random. */
  function sendOnce(customer: Customer, kind: SendKind, turn: number, { book = sends, ...other }: SendOther = {}) {
    const number = `${seed}${book === sends ? "" : "-other"}-${book.length}`;
    const shared = { customer, urlAt, turn, answers, kind, number, newNumber, chance, web: turn % urls.length };
    return makeSend({ ...shared, ...other }, (begun) => book.push(begun));
  }

  const experiments = startExperiments({ seed, chance, newNumber, send: sendOnce, urls, receivers, permissions });

  /** As {@link sendOnce}; the message may be canceled, or get another time. */
  async function send(customer: Customer, kind: SendKind, turn: number, other: SendOther = {}) {
    const shared = { customer, urlAt, turn, answers };
    const made = await sendOnce(customer, kind, turn, other);
    for (const { id } of made.messages ?? []) reader.know(customer, id);
    const waitMs = made.messages ? cancelAfterMs(made, kind === "hasty", chance) : null;
    if (waitMs === null) {
      const moveMs = rescheduleAfterMs(made, chance);
      if (moveMs === null) return;
      await pause(moveMs);
      return reschedule({ ...shared, send: made, chance });
    }
    await pause(waitMs);
    cancellations.push(...(await cancel({ ...shared, send: made })));
  }

  /** A person replies to a customer, who then sends to that person. */
  async function reply(customer: Customer, turn: number): Promise<void> {
    const made = await replyByChance({ customer, from: newNumber(), chance, web: turn % urls.length, passOn });
    replies.push(made);
    if (!made.isTaken) return;
    await pause(heededWithinMs);
    await send(customer, "keyed", turn, { to: made.from });
  }

  const limited =
    limitedCustomers &&
    createLimitedLoad({ seed, limited: limitedCustomers, chance, urlAt, answers, sends, newNumber, send });

  function begin(): void {
    const turn = between(chance, 0, urls.length - 1);
    const customer = customers[between(chance, 0, customers.length - 1)];
    const operation = weighed(chance, OPERATIONS);
    if (!customer) return;
    if (inFlight.size >= IN_FLIGHT_MAX) {
      skipped += 1;
      return;
    }
    if (isRead(operation)) watch(read(operation, customer, turn));
    else if (operation === "reply") watch(reply(customer, turn));
    else if (operation === "redact") watch(redactOne(turn));
    else if (operation === "rotate") watch(rotateOne(customer, turn));
    else if (operation === "pause") watch(pauseForAWhile({ customer, chance, urlAt, turn, answers }));
    else if (operation === "reprice") watch(reprice());
    else if (operation === "limited") watch(limited?.begin(turn) ?? read("balance", customer, turn));
    else if (isExperiment(operation)) watch(experiments.run(operation, { customer, urlAt, turn, answers }));
    else watch(send(customer, operation, turn));
  }

  async function redactOne(turn: number): Promise<void> {
    const known = reader.any(chance);
    if (known) redactions.push(await redact({ ...known, urlAt, turn, answers }));
  }

  async function rotateOne(customer: Customer, turn: number): Promise<void> {
    rotations += 1;
    await rotate({ customer, receivers, number: `${seed}-${rotations}`, chance, urlAt, turn, answers });
  }

  async function read(what: Read, customer: Customer, turn: number): Promise<void> {
    const answer = await reader.read(what, customer, urlAt(turn), chance);
    if (answer) note(answers, `read ${what}`, answer);
  }

  function watch(work: Promise<unknown>): void {
    const ended: Promise<void> = work.then(() => {
      inFlight.delete(ended);
    });
    inFlight.add(ended);
  }

  const startedAt = performance.now();
  let begun = 0;
  const timer = setInterval(() => {
    // At most a second's worth at once: callers do not make up for a stall of this process.
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * rate);
    if (due - begun > rate) begun = due - rate;
    for (; begun < due && !isOver; begun += 1) begin();
  }, 10);

  return {
    sends,
    cancellations,
    replies,
    redactions,
    limited,
    bans: experiments.bans,
    keys: experiments.keys,
    quotas: experiments.quotas,
    rates: experiments.rates,
    endpoints: experiments.endpoints,
    answers,
    readings: reader.readings,
    skipped: () => skipped,
    crowd: async (count) => {
      const [customer] = customers;
      if (!customer) return;
      const bulks = [LARGE_BULK, count - LARGE_BULK].map((size, turn) => send(customer, "bulk", turn, { size }));
      for (const bulk of bulks) watch(bulk);
      await Promise.all(bulks);
    },
    avoid: (url) => {
      avoided = url;
    },
    stop: () => {
      isOver = true;
      clearInterval(timer);
    },
    settled: async () => {
      while (inFlight.size > 0) await Promise.all(inFlight);
      await pause(Math.max(0, Math.max(0, ...sends.map(({ dueMs }) => dueMs ?? 0)) - Date.now()));
    },
    inFlight: () => inFlight.size,
  };
}
