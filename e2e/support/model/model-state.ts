/**
 * The reference model: what a customer knows of accounts from the documentation and from earlier responses. Plain data, so that a
 * state can be copied and two orders of simultaneous requests be compared. Money in micro-units.
 */
import type { Message } from "@/server/messages/schema";

export type Status = Message["status"];

/** The accounts of a sequence: an account, its test mode, and a stranger's account. */
export const SIDES = ["live", "test", "stranger"] as const;
export type SideName = (typeof SIDES)[number];

export type Key = {
  id: string;
  plain: string;
  name: string;
  permissions: string[];
  rateLimit: number;
  /** False once it was revoked. */
  isActive: boolean;
  createdBy: string | null;
  /** Messages per UTC day and month. */
  dailyLimit: number | null;
  monthlyLimit: number | null;
  /** Null: any address. */
  allowedIps: string[] | null;
  expiresAt: string | null;
};

type Sender = { id: string; senderId: string; status: "pending" | "approved" };

/** `id` is null until a list has shown it, as neither an import nor a STOP shows it. */
type Suppression = {
  id: string | null;
  number: string;
  senderId: string | null;
  note: string | null;
  reason: "manual" | "stop";
};

/** A message that a person sent to a sender ID of the account, and the step in which it came. */
export type Inbound = {
  id: string | null;
  reply: { from: string; to: string; body: string; providerId: string };
  action: "opt_out" | "opt_in" | null;
  step: number;
};

/** Types of events that an endpoint has from a step on, until another step. */
type Subscription = { events: string[]; from: number; to: number | null };

export type Endpoint = {
  id: string;
  url: string;
  description: string | null;
  isPaused: boolean;
  pausedBy: string | null;
  subscriptions: Subscription[];
  /** Whether it was ever paused. */
  wasPaused: boolean;
  /** Whether deliveries stay parked although it is active: a pause was ended with `enable`, and nothing was recovered since. */
  leavesHeld: boolean;
  /** Whether a recovery may have left some out, whose texts were deleted. */
  leavesForgotten: boolean;
  /** Its signing secrets, oldest first, and the time by which the last rotation was over. */
  secrets: string[];
  rotatedBy: number;
};

/** A possible course of a message: its statuses in order, and the codes of the error at its end. */
export type Way = { statuses: Status[]; codes: string[] | null; isRefunded: boolean };

/** The steps between which a message got a status: it was seen without it at `after`, and with it at `before`. */
type Passage = { after: number; before: number | null };

export type ModelMessage = {
  id: string;
  input: {
    to: string;
    from: string;
    body: string;
    reference: string | null;
    metadata: Record<string, string> | null;
    validity: number | null;
  };
  keyId: string;
  /** The keys whose limits per day and per month it counts for. */
  countsFor: Record<"day" | "month", string[]>;
  costMicros: number;
  scheduledAt: string | null;
  /** Whether it is to be sent now, or within the sequence. */
  isDue: boolean;
  failedAtOnce: boolean;
  isRedacted: boolean;
  ways: Way[];
  /** As the last response showed it. */
  seen: Message;
  passages: Partial<Record<"sent" | "end", Passage>>;
};

/** A response stored for an Idempotency-Key. `text`: its request. */
type Stored = { text: string; keyId: string; showsSecret: boolean; data: unknown };

export type Side = {
  name: SideName;
  accountId: string;
  isLive: boolean;
  /** The balance, had no message ever been sent. */
  creditMicros: number;
  keys: Key[];
  senders: Sender[];
  suppressions: Suppression[];
  endpoints: Endpoint[];
  /** URLs of all endpoints that were created. */
  urls: string[];
  messages: ModelMessage[];
  inbound: Inbound[];
  stored: Record<string, Stored>;
  /** A list of messages that is being read page by page: the cursor of its next page, and the ids that are left. */
  walk: { cursor: string; left: string[]; total: number } | null;
};

/** A price of a segment for numbers that begin with `prefix`, by a route that requests can name. */
export type Route = { id: number; prefix: string; priceMicros: number };

/** `during`: the time from before the requests of the step to after their responses, in milliseconds of the clock. */
export type State = {
  step: number;
  sides: Record<SideName, Side>;
  route: Route;
  /** Test events that were posted. */
  tests: number;
  during: { from: number; to: number };
};

/** A difference between the model and the service. */
export class Disagreement extends Error {}

const UNIT = 1_000_000;
/** Price of a segment on the installation's own route. */
export const PRICE_MICROS = 10_000;
/** @param units of a currency. */
export const micros = (units: number): number => Math.round(units * UNIT);
/** @param amount in micro-units. */
export const units = (amount: number): number => amount / UNIT;

/** Order of the statuses: a message never gets a lower rank. */
export const RANKS: Record<Status, number> = { pending: 0, sent: 1, delivered: 2, failed: 2, undelivered: 2 };

const SCENARIO = /^\+1555010000(\d)$/;
/** The recipient whose messages stay `sent`. */
export const NEVER_ENDS = "+15550100008";

/** The course of a message that a provider is given, by its recipient (docs/scenario-numbers.md). */
function waysBy(to: string): Way[] {
  const one = (statuses: Status[], codes: string[] | null = null, isRefunded = false) => [
    { statuses, codes, isRefunded },
  ];
  const scenario = SCENARIO.exec(to)?.[1] ?? "";
  if (scenario === "3") return one(["pending", "failed"], ["invalid_recipient"], true);
  if (scenario === "4") return one(["pending", "failed"], ["no_provider_available"], true);
  if (scenario === "8") return one(["pending", "sent"]);
  if (scenario === "9") return one(["pending", "sent", "undelivered"], ["absent_subscriber"]);
  return one(["pending", "sent", "delivered"]);
}

const failing = (code: string): Way => ({ statuses: ["pending", "failed"], codes: [code], isRefunded: true });

/** A number is the same sender with its plus and without. */
export const bare = (senderId: string): string => senderId.replace(/^\+/, "");

/** Whether a suppression covers the number, for this sender or for all. */
export const isSuppressed = (side: Side, number: string, senderId: string): boolean =>
  side.suppressions.some(
    (entry) => entry.number === number && (entry.senderId === null || bare(entry.senderId) === bare(senderId)),
  );

/** The courses of a pending message that is due, as things stand. */
export function waysNow(side: Side, { to, from }: ModelMessage["input"]): Way[] {
  const sender = side.senders.find(({ senderId }) => senderId === from);
  const isSuppressedNow = isSuppressed(side, to, from);
  if (!isSuppressedNow && sender?.status === "approved") return waysBy(to);
  return [
    ...(isSuppressedNow ? [failing("blocklisted")] : []),
    ...(sender?.status === "approved" ? [] : [failing("sender_not_approved")]),
    ...(!isSuppressedNow && sender ? waysBy(to) : []),
  ];
}

/** The course of a message that was canceled. */
export const CANCELED: Way = failing("canceled");

/** Adds the courses that have become possible to all messages that no provider has taken. */
export function widenWays(side: Side): void {
  for (const message of side.messages) {
    if (!message.isDue || RANKS[message.seen.status] > 0) continue;
    const known = new Set(message.ways.map((way) => JSON.stringify(way)));
    message.ways.push(...waysNow(side, message.input).filter((way) => !known.has(JSON.stringify(way))));
  }
}

/** Whether the message will not change any more by itself. */
export function isAtRest({ ways, seen, isDue }: ModelMessage): boolean {
  return !isDue || ways.every(({ statuses }) => statuses.at(-1) === seen.status);
}

/** The least and the most that the messages may have cost. */
export function spent(side: Side): { least: number; most: number } {
  let [least, most] = [0, 0];
  for (const { ways, seen, costMicros } of side.messages) {
    const isOver = RANKS[seen.status] === 2;
    const ends = ways.filter((way) => !isOver || way.statuses.at(-1) === seen.status);
    // A refund that is still to come may have come since the message was last seen.
    if (ends.every((way) => !way.isRefunded)) least += costMicros;
    if (!isOver || ends.some((way) => !way.isRefunded)) most += costMicros;
  }
  return { least, most };
}

/** The key, and its account. @throws Disagreement */
export const keyOf = (state: State, keyId: string): { side: Side; key: Key } => {
  for (const side of Object.values(state.sides)) {
    const key = side.keys.find(({ id }) => id === keyId);
    if (key) return { side, key };
  }
  throw new Disagreement(`The model has no key ${keyId}.`);
};

/** The key and its ancestors, whose limits it shares. */
export function lineageOf(side: Side, key: Key): Key[] {
  const parent = side.keys.find(({ id }) => id === key.createdBy);
  return parent ? [key, ...lineageOf(side, parent)] : [key];
}

const KEPT = { day: "dailyLimit", month: "monthlyLimit" } as const;
/** Length of the beginning of a time that names its day or month. */
const NAMED = { day: 10, month: 7 } as const;
type Period = keyof typeof KEPT;
export const PERIODS = Object.keys(KEPT) as Period[];

/** The keys for which a message of this key counts: itself and its ancestors, as far as they have a limit of the period. */
export const limitedBy = (side: Side, key: Key, period: Period): Key[] =>
  lineageOf(side, key).filter((each) => each[KEPT[period]] !== null);

/** Messages that the key may still send in the UTC day or month; null: any number. */
export function leftOf(side: Side, key: Key, period: Period): number | null {
  const now = new Date().toISOString().slice(0, NAMED[period]);
  const left = limitedBy(side, key, period).map((each) => {
    const counted = side.messages.filter(
      ({ countsFor, seen }) => countsFor[period].includes(each.id) && seen.created_at.startsWith(now),
    );
    return (each[KEPT[period]] ?? 0) - counted.length;
  });
  return left.length === 0 ? null : Math.min(...left);
}

/** Time in which every process learns that a key has expired. */
const LEARNED_MS = 1_000;

/** Whether the key worked during the step, had expired, or either. */
export function expiryOf({ expiresAt }: Key, { during }: State): "works" | "expires" | "expired" {
  const endsAt = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  if (during.to < endsAt) return "works";
  return during.from > endsAt + LEARNED_MS ? "expired" : "expires";
}
