/** Customers make API keys, use them through every web process, and rotate, revoke or let them expire while they are in use. */
import { between, type Chance, oneOf, weighed } from "../faults/chance";
import { exchange } from "../world/exchange";
import { type Change, type ChangeRequest, change } from "./changes";
import { type Caller, note } from "./sends";

/** A request with the key. `url`: the web process. `status` null: no response. */
export type Use = { askedMs: number; answeredMs: number; url: string; status: number | null };

/** A key as its owner knows it. `ended`: its revocation, or the change of its expiry; null: it lives on. */
export type KeyLife = {
  created: Change;
  /** Keys in the responses to repeated requests for the same one: one, if all is well. */
  keys: string[];
  ended: Change | null;
  /** When it expires; null: it was revoked, or lives on. */
  expiresMs: number | null;
  uses: Use[];
};

/** `number`: unique among all keys. `urls`: of all web processes. `cookie`: of a session of the account's owner. */
export type KeyOrder = Caller & { number: string; chance: Chance; urls: readonly string[]; cookie: string };

/** Times between the uses of a key before its end, and after it. */
const BEFORE_MS = [0, 100, 300] as const;
const AFTER_MS = [0, 200, 500, 400, 600] as const;
const EXPIRES_IN_MS = { least: 1_000, most: 2_500 };
/** A rotation ends the former key at once, or after its hours, which the run does not see. */
const GRACE_HOURS = [0, 1] as const;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Makes a key by a request that is repeated once more. @returns the key, its id, and its life so far; null: none was made. */
export async function makeKey(order: Caller, request: ChangeRequest) {
  const { made: created, data } = await change(order, request);
  const { plain_key: apiKey, id } = data;
  if (!created.isDone || typeof apiKey !== "string") return null;
  const again = await change({ ...order, turn: order.turn + 1 }, request);
  const keys = [apiKey, ...(again.made.isDone ? [String(again.data.plain_key)] : [])];
  const life: KeyLife = { created, keys, ended: null, expiresMs: null, uses: [] };
  return { apiKey, id: String(id), life };
}

/** Tries a key in all web processes after each of these pauses. */
async function tryAll({ urls, answers }: KeyOrder, apiKey: string, uses: Use[], pauses: readonly number[]) {
  const tryAt = async (url: string) => {
    const askedMs = Date.now();
    const answer = await exchange({ method: "GET", url: `${url}/api/v1/account`, apiKey });
    note(answers, "use key", answer);
    uses.push({ askedMs, answeredMs: Date.now(), url, status: answer.status });
  };
  const running: Promise<unknown>[] = [];
  for (const ms of pauses) {
    await pause(ms);
    running.push(...urls.map(tryAt));
  }
  await Promise.all(running);
}

/** Creates a key, uses it, and ends it in one of three ways. @returns it, and the key that replaced it. */
export async function livesOfKey(order: KeyOrder): Promise<KeyLife[]> {
  const { chance, number, cookie } = order;
  const made = await makeKey(order, {
    ...{ what: "create key", method: "POST", path: "/api-keys/create" },
    ...{ body: { name: `Temporary ${number}` }, idempotencyKey: `create-key-${number}` },
  });
  if (!made) return [];
  const { apiKey, id, life } = made;
  const tryLater = (pauses: readonly number[]) => tryAll(order, apiKey, life.uses, pauses);
  await tryLater(BEFORE_MS);
  const end = weighed(chance, [
    [3, "revoke"],
    [2, "expire"],
    [3, "rotate"],
  ] as const);
  const path = `/api-keys/${id}`;
  if (end === "revoke") {
    life.ended = (await change(order, { what: "revoke key", method: "DELETE", path })).made;
    await tryLater(AFTER_MS);
    return [life];
  }
  if (end === "expire") {
    life.expiresMs = Date.now() + between(chance, EXPIRES_IN_MS.least, EXPIRES_IN_MS.most);
    const body = { expires_at: new Date(life.expiresMs).toISOString() };
    life.ended = (await change(order, { what: "end key", method: "PATCH", path, body })).made;
    await tryLater(AFTER_MS);
    await pause(Math.max(0, life.expiresMs - Date.now()));
    await tryLater(AFTER_MS);
    return [life];
  }
  const graceHours = oneOf(chance, GRACE_HOURS);
  const next = await makeKey(order, {
    ...{ what: "rotate key", method: "POST", path: "/apiKeys.rotate", cookie },
    ...{ body: { id, grace_hours: graceHours }, idempotencyKey: `rotate-key-${number}` },
  });
  if (!next) return [{ ...life, uses: [] }];
  if (graceHours === 0) life.ended = next.life.created;
  await Promise.all([tryLater(AFTER_MS), tryAll(order, next.apiKey, next.life.uses, AFTER_MS)]);
  return [life, next.life];
}
