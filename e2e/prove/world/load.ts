/** The customers' load: single and bulk sends, repeated requests after lost responses, and reads. */
import { between, type Chance, chanceOf, weighed } from "../faults/chance";
import { CHAINS, type Customer, NUMBER_PREFIX } from "./customers";
import { type Exchange, exchange } from "./exchange";
import { createReader, type Reading } from "./reader";

/** A send as its caller knows it, with all tries. */
export type Send = {
  accountId: string;
  key: string | null;
  reference: string | null;
  atMs: number;
  /** Place of the web process that got the first try, among `urls`. */
  web: number;
  /** Response time of the first try, whatever its status; null: no response. */
  firstMs: number | null;
  /** Time until the 201, including all repetitions. */
  acceptedMs: number | null;
  tries: number;
  /** The messages of the 201, each with its recipient; null: none arrived. */
  messages: { to: string; id: string }[] | null;
  /** The last response was a refusal (4xx). */
  refused: boolean;
};

/** Responses by kind of request, status and code. `fault`: the problem with their shape. */
type Tally = Map<
  string,
  { request: string; status: number | null; code: string | null; fault: string | null; count: number }
>;

export type Load = {
  sends: Send[];
  answers: Tally;
  readings: () => Reading;
  /** Requests not begun because too many were waiting. */
  skipped: () => number;
  /** One customer sends to so many recipients at once, in two bulks. Resolves when both are accepted. */
  crowd: (count: number) => Promise<void>;
  /** Directs callers away from a web process, as a load balancer does before it stops; null: they use all. */
  avoid: (url: string | null) => void;
  /** Begins no further request. */
  stop: () => void;
  /** Resolves when every caller has a response or has given up. */
  settled: () => Promise<void>;
  inFlight: () => number;
};

export type LoadOptions = {
  seed: number;
  customers: readonly Customer[];
  urls: readonly string[];
  /** Requests per second of all customers together. */
  rate: number;
};

const IN_FLIGHT_MAX = 150;
const BULK = { least: 20, most: 40 };
/** One that is inserted before its account is locked (docs/decisions/0048). A crowd is larger. */
const LARGE_BULK = 260;
const AGAIN_FIRST_MS = 100;
const AGAIN_LONGEST_MS = 3_000;
const GIVE_UP_MS = 180_000;
const TEXTS = [
  "Your parcel is on its way.",
  "Your code is 483 920.",
  "Доставим завтра.",
  "Your parcel is on its way. ".repeat(8).trim(),
  "x".repeat(400),
];

type Operation = "single" | "keyed" | "impatient" | "bulk" | "message" | "list" | "balance";
const OPERATIONS: readonly (readonly [number, Operation])[] = [
  [25, "single"],
  [34, "keyed"],
  [9, "impatient"],
  [3, "bulk"],
  [15, "message"],
  [8, "list"],
  [6, "balance"],
];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts the load. */
export function startLoad({ seed, customers, urls, rate }: LoadOptions): Load {
  const chance: Chance = chanceOf(`${seed} load`);
  const sends: Send[] = [];
  const answers: Tally = new Map();
  const reader = createReader();
  const inFlight = new Set<Promise<void>>();
  let numbers = 0;
  let skipped = 0;
  let isOver = false;
  let avoided: string | null = null;

  const newNumber = (): string => {
    numbers += 1;
    const chain = between(chance, 0, CHAINS.length - 1);
    return `+${NUMBER_PREFIX}${chain}${String(numbers).padStart(7, "0")}`;
  };
  const note = (request: string, { status, code, fault }: Exchange) => {
    const name = `${request} ${status} ${code} ${fault}`;
    const entry = answers.get(name) ?? { request, status, code, fault, count: 0 };
    entry.count += 1;
    answers.set(name, entry);
  };
  /** The web processes in turn, so that a dead one is not asked twice in a row. */
  const urlAt = (turn: number): string => {
    const url = urls[turn % urls.length] ?? "";
    return url === avoided ? (urls[(turn + 1) % urls.length] ?? "") : url;
  };

  async function send(customer: Customer, operation: Operation, turn: number, size?: number): Promise<void> {
    const isBulk = operation === "bulk";
    const length = size ?? (isBulk ? between(chance, BULK.least, BULK.most) : 1);
    const recipients = Array.from({ length }, newNumber);
    const body = weighed(
      chance,
      TEXTS.map((text, at) => [at < 3 ? 30 : 4, text] as const),
    );
    const key = operation === "single" ? null : `key-${seed}-${sends.length}`;
    const reference = isBulk ? null : `order-${sends.length}`;
    const made: Send = {
      accountId: customer.accountId,
      key,
      reference,
      atMs: Date.now(),
      web: turn % urls.length,
      tries: 0,
      firstMs: null,
      acceptedMs: null,
      messages: null,
      refused: false,
    };
    sends.push(made);
    const shared = { from: customer.sender, body };
    const input = isBulk ? { recipients, ...shared } : { to: recipients[0], reference, ...shared };
    const request = {
      ...({ method: "POST", apiKey: customer.apiKey, body: JSON.stringify(input), idempotencyKey: key } as const),
    };
    const path = isBulk ? "/api/v1/messages/bulk" : "/api/v1/messages/send";
    const firstAbort = operation === "impatient" ? between(chance, 1, 60) : null;
    const startedAt = performance.now();
    for (let wait = AGAIN_FIRST_MS; ; wait = Math.min(wait * 2, AGAIN_LONGEST_MS)) {
      const abortAfterMs = made.tries === 0 ? firstAbort : null;
      const answer = await exchange({ ...request, url: `${urlAt(turn + made.tries)}${path}`, abortAfterMs });
      made.tries += 1;
      if (made.tries === 1 && abortAfterMs === null && answer.status !== null) made.firstMs = answer.ms;
      if (abortAfterMs === null || answer.status !== null) note(isBulk ? "bulk" : "send", answer);
      if (answer.status === 201) {
        // A bulk responds in the order of its recipients.
        made.messages = idsIn(answer.body).map((id, at) => ({ to: recipients[at] ?? "", id }));
        made.acceptedMs = performance.now() - startedAt;
        for (const { id } of made.messages) reader.know(customer, id);
        return;
      }
      made.refused = answer.status !== null && answer.status >= 400 && answer.status < 500 && answer.status !== 429;
      const isLost = answer.status === null || answer.status >= 500 || answer.status === 429;
      if (key === null || !isLost || performance.now() - startedAt > GIVE_UP_MS) return;
      await pause(answer.retryAfterS === null ? wait * (0.5 + Math.random()) : answer.retryAfterS * 1_000);
    }
  }

  function begin(): void {
    const turn = between(chance, 0, urls.length - 1);
    const customer = customers[between(chance, 0, customers.length - 1)];
    const operation = weighed(chance, OPERATIONS);
    if (!customer) return;
    if (inFlight.size >= IN_FLIGHT_MAX) {
      skipped += 1;
      return;
    }
    const isRead = operation === "message" || operation === "list" || operation === "balance";
    const work = isRead
      ? reader.read(operation, customer, urlAt(turn), chance).then((answer) => {
          if (answer) note(`read ${operation}`, answer);
        })
      : send(customer, operation, turn);
    watch(work);
  }

  function watch(work: Promise<void>): void {
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
    answers,
    readings: reader.readings,
    skipped: () => skipped,
    crowd: async (count) => {
      const [customer] = customers;
      if (!customer) return;
      const bulks = [LARGE_BULK, count - LARGE_BULK].map((size, turn) => send(customer, "bulk", turn, size));
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
    },
    inFlight: () => inFlight.size,
  };
}

/** The ids in the response to a send, in the order of its recipients. */
function idsIn(body: Record<string, unknown> | null): string[] {
  const data = body?.data as { id?: string; messages?: { id: string }[] } | undefined;
  return data?.messages?.map(({ id }) => id) ?? (data?.id ? [data.id] : []);
}
