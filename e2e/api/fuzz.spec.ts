import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import fc from "fast-check";
import { Pool } from "undici";
import type { OwnAccount } from "../support/accounts";
import type { Api } from "../support/api";
import { replyFromHandset } from "../support/behind-the-api";
import { databaseUrlOf, openDatabase } from "../support/books";
import { readContract, withoutNeedlessEncoding } from "../support/contract";
import { expect, test } from "../support/contract-test";
import { type Caller, type FuzzRequest, fuzzRequest, knownOf } from "../support/fuzz/arbitrary-requests";
import { type FuzzResponse, judge } from "../support/fuzz/fuzz-judge";
import { operationsOf } from "../support/fuzz/openapi";

const SEED = Number(process.env.FUZZ_SEED || randomInt(2 ** 31 - 1));
const RUNS = Number(process.env.FUZZ_RUNS || 2_400);
/** Number of simultaneous requests; the books are compared after each batch. */
const BATCH = 40;
const CONNECTIONS = 12;
const KEYS = 3;
const IDS_KEPT = 40;
const ODD_AUTHORIZATIONS = ["", "Bearer", "Basic dTpw", "Bearer a b", "Bearer é", "bearer ds_live_", "ds_live_x"];

/** Makes the keys of the different callers. */
async function makeCallers(api: Api, poorKey: string): Promise<(caller: Caller, pick: number) => string | null> {
  const make = async (name: string, more: object) =>
    String((await api.post("/api-keys/create", { name, rate_limit: 6_000, ...more })).body.data.plain_key);
  const full = await Promise.all(Array.from({ length: KEYS }, (_, at) => make(`full ${at}`, {})));
  const keys: Partial<Record<Caller, string>> = {
    reader: await make("reader", { permissions: ["sms:read"] }),
    foreign: await make("foreign", { allowed_ips: ["203.0.113.7"] }),
    throttled: await make("throttled", { rate_limit: 1 }),
    capped: await make("capped", { daily_limit: 3 }),
    poor: poorKey,
    wrong: "ds_live_00000000000000000000000000000000",
  };
  return (caller, pick) => {
    if (caller === "nobody") return null;
    if (caller === "odd") return ODD_AUTHORIZATIONS[pick % ODD_AUTHORIZATIONS.length] ?? "";
    return `Bearer ${caller === "full" ? full[pick % KEYS] : keys[caller]}`;
  };
}

type Item = { id?: unknown; sender_id?: unknown; scheduled_at?: unknown; status?: unknown };

/** The kind of ids that scheduled messages have here. */
const WAITING = "waiting";
const WAITING_MADE = 5;
/** Scheduled messages that are only rescheduled: the others are canceled sooner or later. */
const RESCHEDULED = "rescheduled";
const RESCHEDULED_MADE = 3;

/**
 * Ids from responses, by the first part of the path. The id of `sender` is left out: deleting a sender makes messages that wait
 * for a provider fail, which refunds them.
 */
function makeIds(sender: string) {
  const ids = new Map<string, string[]>();
  const kindOf = (path: string) => path.split(/[/?]/)[1] ?? "";
  return {
    learn: (path: string, data: unknown) => {
      // Objects below an object have ids of another kind.
      if (path.split("/").length > 3) return;
      const items = (Array.isArray(data) ? data : [data]) as (Item | undefined)[];
      const found = items.flatMap((item) => (item?.sender_id === sender ? [] : [item?.id]));
      const keep = (kind: string, more: readonly unknown[]) => {
        const kept = new Set([...(ids.get(kind) ?? []), ...more.filter((id) => typeof id === "string")]);
        ids.set(kind, [...kept].slice(-IDS_KEPT));
      };
      keep(kindOf(path), found);
      keep(
        WAITING,
        items.flatMap((item) => (item?.scheduled_at && item.status === "pending" ? [item.id] : [])),
      );
    },
    drop: (path: string) => {
      const kept = (ids.get(kindOf(path)) ?? []).filter((id) => !path.includes(id));
      ids.set(kindOf(path), kept);
    },
    reserve: (id: string) => ids.set(RESCHEDULED, [...(ids.get(RESCHEDULED) ?? []), id]),
    pick: (path: string, pick: number) => {
      // Only scheduled messages can be canceled or rescheduled, and there are many more others.
      const scheduled = path.includes("/reschedule") ? RESCHEDULED : path.includes("/cancel") ? WAITING : null;
      const known = ids.get(scheduled !== null && pick % 2 === 0 ? scheduled : kindOf(path)) ?? [];
      return known[pick % Math.max(1, known.length)] ?? "unknown";
    },
  };
}

const headersOf = (given: IncomingHttpHeaders): Headers =>
  new Headers(Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]));

const micros = (units: unknown): number => Math.round(Number(units) * 1_000_000);

type Priced = { id: string; cost: number };
type Spent = { micros: number; charges: number; refunds: number; messages: number };

const NOTHING_SPENT: Spent = { micros: 0, charges: 0, refunds: 0, messages: 0 };

/** Sums the costs of sends and the refunds of cancellations, by their responses. */
function makeTill() {
  const costs = new Map<string, number>();
  return {
    spentBy: (path: string, answer: FuzzResponse, data: unknown): Spent => {
      const [, operation, id = ""] = /^\/messages\/(send|bulk|([^/?]+)\/cancel)\/?(?:\?|$)/.exec(path) ?? [];
      if (operation === undefined || answer.headers.has("idempotency-replayed")) return NOTHING_SPENT;
      if (id !== "" && answer.status === 200) {
        // A message that was already canceled is not refunded again.
        const given = costs.get(id);
        costs.delete(id);
        return given === undefined ? NOTHING_SPENT : { micros: -given, charges: 0, refunds: 1, messages: 0 };
      }
      if (answer.status !== 201) return NOTHING_SPENT;
      const messages = operation === "bulk" ? (data as { messages: Priced[] }).messages : [data as Priced];
      const charged = messages.filter((message) => message.cost > 0);
      for (const { id, cost } of charged) costs.set(id, micros(cost));
      return {
        micros: charged.reduce((sum, message) => sum + micros(message.cost), 0),
        charges: charged.length,
        refunds: 0,
        messages: messages.length,
      };
    },
  };
}

test("whatever is sent, the response is a documented one, and refused requests cost nothing", async ({
  service,
  account,
  api,
  receiver,
  operator,
}, { outputDir }) => {
  test.setTimeout(60_000 + RUNS * 60);
  console.info(`FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS}`);
  // Responses that occur by chance must not count as tested.
  mkdirSync(outputDir, { recursive: true });
  const contract = await readContract({ ...service, dataDir: outputDir });
  const operations = operationsOf(contract);
  const ids = makeIds(account.sender);
  const till = makeTill();
  await operator.credit(account, 100_000);
  const flags = { email: `poor-${account.email}`, sender: account.sender };
  const poor = (await operator.command("account create", flags)) as OwnAccount;
  const authorizationOf = await makeCallers(api, poor.apiKey);
  const database = await openDatabase(databaseUrlOf(service));
  const pool = new Pool(service.url, { connections: CONNECTIONS });
  const seen = new Map(operations.map(({ name }) => [name, { done: 0, refused: 0 }]));
  const statuses = new Map<number, number>();
  let requests = 0;

  const send = async (request: FuzzRequest): Promise<Spent> => {
    const sentPath = request.path.replace("{id}", () => ids.pick(request.path, request.pick));
    const path = withoutNeedlessEncoding(sentPath);
    const authorization = authorizationOf(request.caller, request.pick);
    try {
      const { statusCode, headers, body } = await pool.request({
        method: request.method,
        path: `/api/v1${sentPath}`,
        headers: { ...request.headers, ...(authorization === null ? {} : { authorization }) },
        body: request.body,
      });
      const answer = { status: statusCode, headers: headersOf(headers), text: await body.text() };
      const judged = judge(contract, { ...request, path }, answer);
      if (request.caller === "nobody" || request.caller === "wrong") expect(answer.status).toBe(401);
      if (request.caller === "foreign") expect(answer.status).toBe(403);
      requests += 1;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const count = seen.get(request.operation);
      if (count && answer.status < 400) count.done += 1;
      if (count && answer.status >= 400) count.refused += 1;
      if (!judged?.success || request.caller === "poor") return NOTHING_SPENT;
      if (request.method === "DELETE") ids.drop(path);
      else ids.learn(path, judged.data);
      return till.spentBy(path, answer, judged.data);
    } catch (thrown) {
      const body = typeof request.body === "string" ? request.body.slice(0, 2_000) : request.body?.toString("hex");
      const failed = { ...request, path: sentPath, body };
      throw new Error(`${thrown instanceof Error ? thrown.message : thrown}\n${JSON.stringify(failed, null, 1)}`);
    }
  };

  await replyFromHandset("+14155550123", account.sender, "Hello");
  await expect
    .poll(async () => {
      const { data } = (await api.get<{ id: string }[]>("/inbound")).body;
      ids.learn("/inbound", data);
      return data.length;
    })
    .toBe(1);
  // Soon most numbers are suppressed, and messages to them fail at once; these messages keep waiting in any case.
  const in20Days = new Date(Date.now() + 20 * 86_400_000).toISOString();
  for (let made = 0; made < WAITING_MADE + RESCHEDULED_MADE; made += 1) {
    const waiting = { to: "+14155550199", from: account.sender, body: "Hello", send_at: in20Days };
    const { status, body } = await api.post("/messages/send", waiting);
    if (made < WAITING_MADE) ids.learn("/messages/send", body.data);
    else ids.reserve(String(body.data.id));
    till.spentBy("/messages/send", { status, headers: new Headers(), text: "" }, body.data);
  }
  let before = await database.booksOf(account.accountId);
  const { charges: chargedBefore } = before;
  const batch = async (fuzzed: FuzzRequest[]): Promise<void> => {
    const settled = await Promise.allSettled(fuzzed.map(send));
    const failed = settled.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    const spent = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const sum = (read: (one: Spent) => number) => spent.reduce((total, one) => total + read(one), 0);
    const after = await database.booksOf(account.accountId);
    expect(after).toMatchObject({
      balance: before.balance - sum((one) => one.micros),
      ledger: after.balance,
      charges: before.charges + sum((one) => one.charges),
      refunds: before.refunds + sum((one) => one.refunds),
      messages: before.messages + sum((one) => one.messages),
    });
    before = after;
  };

  const batches = fc.array(fuzzRequest(operations, knownOf(account.sender, receiver.url)), {
    minLength: BATCH,
    maxLength: BATCH,
  });
  const startedAt = performance.now();
  const result = await fc.check(fc.asyncProperty(batches, batch), {
    seed: SEED,
    numRuns: Math.ceil(RUNS / BATCH),
    endOnFailure: true,
  });
  await pool.close();
  if (result.failed) throw new Error(`With FUZZ_SEED=${SEED}: ${result.errorInstance}`);

  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const counts = [...statuses].sort().map(([status, count]) => `${status} × ${count}`);
  console.info(`${requests} requests in ${seconds} s (${counts.join(", ")}); ${before.messages} messages accepted`);
  expect(requests).toBeGreaterThanOrEqual(RUNS);
  expect(micros((await api.get("/balance")).body.data.balance)).toBe(before.balance);
  expect(await database.booksOf(poor.accountId)).toMatchObject({ balance: 0, ledger: 0, charges: 0 });
  await database.close();
  // A shorter run may miss one by chance; in a full run every operation has both succeeded and refused.
  if (RUNS < 2_000) return;
  const missed = [...seen].filter(([, count]) => count.done === 0 || count.refused === 0);
  expect(missed).toEqual([]);
  expect(before.charges).toBeGreaterThan(chargedBefore);
});
