/** Customers make an API key with a daily quota, perhaps let it create or be followed by another, and send more with them than it allows. */
import { between, type Chance, oneOf, weighed } from "../faults/chance";
import type { SendOnce } from "./bans";
import { makeKey } from "./keys";
import type { Caller, Send, SendKind } from "./sends";

/**
 * A quota as those know it who sent with its keys. `keyId`: the key whose count it is. `numbers`: the recipients of all sends that
 * count against it, whatever became of them.
 */
export type Quota = { keyId: string; limit: number; numbers: string[]; sends: Send[] };

/** The quotas of one experiment, which all its sends count against or only some of them. */
export type QuotaLife = { beganMs: number; endedMs: number; quotas: Quota[] };

/** `number`: unique among all keys. `cookie`: of a session of the account's owner. */
type QuotaOrder = Caller & { number: string; chance: Chance; newNumber: () => string; send: SendOnce; cookie: string };

/** A key to send with, and the quotas that its messages count against. */
type Sender = { apiKey: string; quotas: Quota[] };

const LIMIT = { least: 8, most: 30 };
/** The limit of the created key is lower, so that a refusal tells whose quota was used up. */
const LOWER_BY = { least: 1, most: 6 };
const BULK = { least: 2, most: 8 };
/** The sends go beyond the limit by this factor, or less where their responses are lost. */
const DEMAND = 2;
const KINDS: readonly (readonly [number, SendKind])[] = [
  [3, "single"],
  [5, "keyed"],
  [3, "impatient"],
  [4, "bulk"],
  [1, "scheduled"],
];
/** Sends that are under way at the same time, with one web process or the other. */
const AT_ONCE = 6;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The key of the experiment, and those that share its quota. @returns none if no key was made. */
async function makeSenders(order: QuotaOrder): Promise<Sender[]> {
  const { chance, number, customer, cookie } = order;
  const limit = between(chance, LIMIT.least, LIMIT.most);
  const create = (name: string, daily: number) => ({
    ...({ what: "create key", method: "POST", path: "/api-keys/create" } as const),
    ...{ body: { name, daily_limit: daily }, idempotencyKey: `create-${name}-${number}` },
  });
  const first = await makeKey(order, create("limited", limit));
  if (!first) return [];
  const shared: Quota = { keyId: first.id, limit, numbers: [], sends: [] };
  const senders: Sender[] = [{ apiKey: first.apiKey, quotas: [shared] }];
  const company = oneOf(chance, ["alone", "created", "rotated", "both"] as const);
  if (company === "created" || company === "both") {
    const lower = limit - between(chance, LOWER_BY.least, LOWER_BY.most);
    const creator = { ...order, customer: { ...customer, apiKey: first.apiKey } };
    const created = await makeKey(creator, create("created", lower));
    const own: Quota | null = created && { keyId: created.id, limit: lower, numbers: [], sends: [] };
    if (created && own) senders.push({ apiKey: created.apiKey, quotas: [shared, own] });
  }
  if (company === "rotated" || company === "both") {
    const next = await makeKey(order, {
      ...({ what: "rotate key", method: "POST", path: "/apiKeys.rotate", cookie } as const),
      ...{ body: { id: first.id, grace_hours: 1 }, idempotencyKey: `rotate-limited-${number}` },
    });
    if (next) senders.push({ apiKey: next.apiKey, quotas: [shared] });
  }
  return senders;
}

/** Sends with keys that share a quota, through all web processes at once, until about twice as many messages were asked for as it allows. */
export async function exhaustQuota(order: QuotaOrder): Promise<QuotaLife> {
  const { chance, customer, newNumber, send, turn } = order;
  const beganMs = Date.now();
  const senders = await makeSenders(order);
  const quotas = [...new Set(senders.flatMap((sender) => sender.quotas))];
  let left = DEMAND * (quotas[0]?.limit ?? 0);
  let at = turn;
  const sendMore = async (): Promise<void> => {
    while (left > 0) {
      const { apiKey, quotas: own } = oneOf(chance, senders);
      const kind = weighed(chance, KINDS);
      const size = kind === "bulk" ? between(chance, BULK.least, BULK.most) : 1;
      left -= size;
      at += 1;
      const noted = (): string => {
        const made = newNumber();
        for (const { numbers } of own) numbers.push(made);
        return made;
      };
      const made = await send({ ...customer, apiKey }, kind, at, { size, newNumber: noted });
      for (const { sends } of own) sends.push(made);
      await pause(between(chance, 0, 200));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendMore));
  return { beganMs, endedMs: Date.now(), quotas };
}
