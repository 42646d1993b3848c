/** The customers' sends: requests that are repeated until they have a response, and their results as the callers know them. */
import { between, type Chance, weighed } from "../faults/chance";
import type { Customer } from "../world/customers";
import { type Exchange, exchange, reasonOf } from "../world/exchange";

/** A send as its caller knows it, with all tries. */
export type Send = {
  accountId: string;
  key: string | null;
  reference: string | null;
  /** The sender ID. */
  from: string;
  atMs: number;
  /** Index, in `urls`, of the web process that got the first try. */
  web: number;
  /** Response time of the first try, whatever its status; null: no response. */
  firstMs: number | null;
  /** Time until the 201, including all repetitions. */
  acceptedMs: number | null;
  tries: number;
  /** The time named in `send_at`; null: to be sent at once. */
  dueMs: number | null;
  /** `validity_period`; null: none. */
  validityS: number | null;
  /** The messages of the 201, each with its recipient and its cost; null: none arrived. */
  messages: { to: string; id: string; costMicros: number }[] | null;
  /** The last response was a refusal (4xx). */
  refused: boolean;
  /** The reason of the refusal; null: none was named, or it was not refused. */
  refusedFor: string | null;
  /** Responses that refused it for lack of money or of quota; absent: there were none. */
  shortages?: Shortage[];
};

/** A refusal because the balance does not cover the cost, or the spending cap or the quota of the key is used up. `details`: those of the error. */
export type Shortage = {
  atMs: number;
  /** When its response arrived. */
  knownMs: number;
  kind: "balance" | "cap" | "quota";
  details: Record<string, unknown>;
};

/**
 * Kinds of send. single: without an idempotency key, so never repeated. impatient: the caller hangs up on the first try. hasty:
 * canceled as soon as it is accepted. scheduled: due in some seconds, and often canceled before. paced: from a sender ID with a
 * throughput limit. brief: with the shortest validity period.
 */
export type SendKind = "single" | "keyed" | "impatient" | "bulk" | "hasty" | "scheduled" | "paced" | "brief";

/** Responses by kind of request, status and code. `fault`: the problem with their shape. */
export type Tally = Map<
  string,
  { request: string; status: number | null; code: string | null; fault: string | null; count: number }
>;

/** A customer's program that is about to make a request. `urlAt`: the web process of each try; `turn`: where it begins. */
export type Caller = { customer: Customer; urlAt: (turn: number) => string; turn: number; answers: Tally };

/** Adds a response to the tally. */
export function note(answers: Tally, request: string, { status, code, fault }: Exchange): void {
  const name = `${request} ${status} ${code} ${fault}`;
  const entry = answers.get(name) ?? { request, status, code, fault, count: 0 };
  entry.count += 1;
  answers.set(name, entry);
}

const BULK = { least: 20, most: 40 };
/** Time until a scheduled message is due. */
const DUE_IN_MS = { least: 2_000, most: 12_000 };
/** The shortest validity period that the API accepts. */
const BRIEF_S = 60;
const AGAIN_FIRST_MS = 100;
const AGAIN_LONGEST_MS = 3_000;
const GIVE_UP_MS = 180_000;
const INSIST_AFTER_MS = 1_500;
const TEXTS = [
  "Your parcel is on its way.",
  "Your code is 483 920.",
  "Доставим завтра.",
  "Your parcel is on its way. ".repeat(8).trim(),
  "x".repeat(400),
];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The details of an error response. */
export const detailsOf = ({ body }: Exchange): Record<string, unknown> =>
  ((body?.error as { details?: Record<string, unknown> } | undefined)?.details ?? {}) as Record<string, unknown>;

/** The kind of a refusal for lack of money or of quota; null: it is none. */
function shortageOf(answer: Exchange): Shortage["kind"] | null {
  if (answer.status === 402) return "balance";
  if (answer.status !== 429) return null;
  const { reason } = detailsOf(answer);
  if (reason === "daily_limit") return "quota";
  return reason === "daily_spend_cap" ? "cap" : null;
}

/** Whether the caller cannot know what became of the request, or is asked to repeat it soon. */
const isLost = (answer: Exchange): boolean =>
  answer.status === null || answer.status >= 500 || (answer.status === 429 && shortageOf(answer) === null);

/**
 * Repeats a request until a response tells its outcome, for {@link GIVE_UP_MS} at most.
 * @param attempt makes the try with this number, from 0. @returns the last response.
 */
export async function untilAnswered(attempt: (turn: number) => Promise<Exchange>): Promise<Exchange> {
  const startedAt = performance.now();
  let wait = AGAIN_FIRST_MS;
  for (let turn = 0; ; turn += 1) {
    const answer = await attempt(turn);
    if (!isLost(answer) || performance.now() - startedAt > GIVE_UP_MS) return answer;
    await pause(answer.retryAfterS === null ? wait * (0.5 + Math.random()) : answer.retryAfterS * 1_000);
    wait = Math.min(wait * 2, AGAIN_LONGEST_MS);
  }
}

/** The random properties of a send. */
function plan(kind: SendKind, customer: Customer, chance: Chance) {
  const body = weighed(
    chance,
    TEXTS.map((text, at) => [at < 3 ? 30 : 4, text] as const),
  );
  return {
    length: kind === "bulk" ? between(chance, BULK.least, BULK.most) : 1,
    body,
    from: kind === "paced" ? customer.pacedSender : customer.sender,
    dueMs: kind === "scheduled" ? Date.now() + between(chance, DUE_IN_MS.least, DUE_IN_MS.most) : null,
    validityS: kind === "brief" ? BRIEF_S : null,
    abortAfterMs: kind === "impatient" ? between(chance, 1, 60) : null,
  };
}

export type Order = {
  kind: SendKind;
  customer: Customer;
  /** Unique among all sends. */
  number: string;
  newNumber: () => string;
  /** Number of messages; undefined: random. */
  size?: number;
  /** The recipient; undefined: new recipients. */
  to?: string;
  /** Time until its messages are due; undefined: as its kind says. */
  dueInMs?: number;
  /** How often it is repeated with its key after the balance did not cover it; undefined: never. */
  insists?: number;
  chance: Chance;
  urlAt: (turn: number) => string;
  web: number;
  turn: number;
  answers: Tally;
};

/**
 * Sends once, and repeats the request with its key until it has a response.
 * @returns the send, which is in the caller's book before its first try.
 */
export async function makeSend(order: Order, book: (made: Send) => void): Promise<Send> {
  const {
    kind,
    customer,
    number,
    newNumber,
    size,
    to,
    dueInMs,
    insists = 0,
    chance,
    urlAt,
    web,
    turn,
    answers,
  } = order;
  const isBulk = kind === "bulk";
  const { length, body, from, validityS, abortAfterMs: firstAbort, ...planned } = plan(kind, customer, chance);
  const dueMs = dueInMs === undefined ? planned.dueMs : Date.now() + dueInMs;
  const recipients = to === undefined ? Array.from({ length: size ?? length }, newNumber) : [to];
  const made: Send = {
    accountId: customer.accountId,
    key: kind === "single" ? null : `key-${number}`,
    reference: isBulk ? null : `order-${number}`,
    from,
    atMs: Date.now(),
    web,
    tries: 0,
    firstMs: null,
    acceptedMs: null,
    dueMs,
    validityS,
    messages: null,
    refused: false,
    refusedFor: null,
  };
  book(made);
  const shared = {
    from,
    body,
    ...(dueMs !== null && { send_at: new Date(dueMs).toISOString() }),
    ...(validityS !== null && { validity_period: validityS }),
  };
  const input = isBulk ? { recipients, ...shared } : { to: recipients[0], reference: made.reference, ...shared };
  const request = {
    ...({ method: "POST", apiKey: customer.apiKey, body: JSON.stringify(input), idempotencyKey: made.key } as const),
  };
  const path = isBulk ? "/api/v1/messages/bulk" : "/api/v1/messages/send";
  const startedAt = performance.now();
  const attempt = async (at: number): Promise<Exchange> => {
    const abortAfterMs = at === 0 ? firstAbort : null;
    const askedMs = Date.now();
    const answer = await exchange({ ...request, url: `${urlAt(turn + at)}${path}`, abortAfterMs });
    made.tries += 1;
    const lacking = shortageOf(answer);
    if (lacking) {
      const shortage = { atMs: askedMs, knownMs: Date.now(), kind: lacking, details: detailsOf(answer) };
      made.shortages = [...(made.shortages ?? []), shortage];
    }
    if (at === 0 && abortAfterMs === null && answer.status !== null) made.firstMs = answer.ms;
    if (abortAfterMs === null || answer.status !== null) note(answers, isBulk ? "bulk" : "send", answer);
    return answer;
  };
  let answer = await (made.key === null ? attempt(0) : untilAnswered(attempt));
  for (let left = made.key === null ? 0 : insists; left > 0 && answer.status === 402; left -= 1) {
    // A refusal does not use up the key, and the balance may have grown.
    await pause(INSIST_AFTER_MS);
    answer = await untilAnswered((at) => attempt(at + 1));
  }
  const { status, body: answered } = answer;
  if (status === 201) {
    // A bulk responds in the order of its recipients.
    made.messages = messagesIn(answered).map((message, at) => ({ to: recipients[at] ?? "", ...message }));
    made.acceptedMs = performance.now() - startedAt;
  }
  made.refused = status !== null && status >= 400 && !isLost(answer);
  made.refusedFor = made.refused ? reasonOf(answer) : null;
  return made;
}

const MICROS = 1_000_000;

/** The messages in the response to a send, in the order of its recipients. */
function messagesIn(body: Record<string, unknown> | null): { id: string; costMicros: number }[] {
  type Told = { id: string; cost: number };
  const data = body?.data as (Partial<Told> & { messages?: Told[] }) | undefined;
  const told = data?.messages ?? (data?.id === undefined ? [] : [{ id: data.id, cost: data.cost ?? Number.NaN }]);
  return told.map(({ id, cost }) => ({ id, costMicros: Math.round(cost * MICROS) }));
}
