/** Customers make an API key with a small limit of requests per minute, and make more requests with it than it allows. */
import { between, type Chance } from "../faults/chance";
import { exchange, type Rate } from "../world/exchange";
import { makeKey } from "./keys";
import { type Caller, note } from "./sends";

/** A request with the key. `status` null: no response; `rate` null: a response that says nothing of the limit. */
export type RateUse = { askedMs: number; answeredMs: number; status: number | null; rate: Rate | null };

/** The requests of a key that allows `limit` of them per minute. */
export type RateLife = { keyId: string; limit: number; uses: RateUse[] };

/** `number`: unique among all keys. */
type RateOrder = Caller & { number: string; chance: Chance; urls: readonly string[] };

const LIMIT = { least: 5, most: 25 };
/** The requests go beyond the limit by this factor. */
const DEMAND = 2;
/** Requests that are under way at the same time, in all web processes. */
const AT_ONCE = 6;
const PAUSE_MS = { least: 0, most: 150 };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Makes requests with a key through all web processes at once, until twice as many were made as it allows. @returns null: no key was made. */
export async function exhaustRate(order: RateOrder): Promise<RateLife | null> {
  const { chance, number, urls, answers } = order;
  const limit = between(chance, LIMIT.least, LIMIT.most);
  const made = await makeKey(order, {
    ...{ what: "create key", method: "POST", path: "/api-keys/create" },
    ...{ body: { name: `Slow ${number}`, rate_limit: limit }, idempotencyKey: `create-slow-${number}` },
  });
  if (!made) return null;
  const uses: RateUse[] = [];
  let left = DEMAND * limit;
  const askMore = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const askedMs = Date.now();
      const answer = await exchange({
        method: "GET",
        url: `${urls[left % urls.length]}/api/v1/account`,
        apiKey: made.apiKey,
      });
      note(answers, "use slow key", answer);
      uses.push({ askedMs, answeredMs: Date.now(), status: answer.status, rate: answer.rate });
      await pause(between(chance, PAUSE_MS.least, PAUSE_MS.most));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askMore));
  return { keyId: made.id, limit, uses };
}
