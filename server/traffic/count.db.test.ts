import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { freePort } from "@/scripts/free-port";
import { type Program, startProgram } from "@/test/commands";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { ensureTestAccount } from "../accounts/test-mode";
import { MINUTE_MS } from "../core/clock";
import { pool } from "../core/db";
import { testAccountOf } from "../core/ids";
import { addCounts, countTraffic, openTrafficCounts } from "./count";
import { deleteOldTraffic } from "./store";

/** Generous: a slow machine is no failure. */
const WITHIN_MS = 60_000;
const webs: Program[] = [];

beforeAll(async () => {
  await makeRoute({ priceMicros: 10_000 });
  openTrafficCounts(60 * MINUTE_MS);
});
afterAll(async () => {
  for (const web of webs) web.signal("SIGKILL");
  await Promise.all(webs.map(({ ended }) => ended));
});

/** Starts a web process. @returns its address, and the stop, which gives its exit code. */
async function startWeb(): Promise<{ url: string; stop: () => Promise<number | null> }> {
  const port = String(await freePort());
  const web = startProgram([inject("programs").web], {
    cwd: ".",
    env: {
      ...{
        SECRET_KEY: "0123456789abcdef0123456789abcdef",
        HOST: "127.0.0.1",
        PORT: port,
        CONSOLE: "false",
        SANDBOX: "true",
      },
      ...{ DATABASE_URL: process.env.DATABASE_URL ?? "", LOG_LEVEL: "info" },
    },
  });
  webs.push(web);
  await expect.poll(web.output, { timeout: WITHIN_MS }).toContain("web.ready");
  const stop = () => {
    web.signal("SIGTERM");
    return web.ended;
  };
  return { url: `http://127.0.0.1:${port}/api/v1`, stop };
}

async function post(url: string, { plainKey }: TestAccount, body: object): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${plainKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Messages of an account by country. */
async function trafficOf(accountId: string): Promise<Record<string, number>> {
  const { rows } = await pool().query<{ country: string; messages: number }>(
    `SELECT country, sum(messages)::int4 AS messages FROM traffic_hours WHERE account_id = $1 GROUP BY 1 ORDER BY 1`,
    [accountId],
  );
  return Object.fromEntries(rows.map(({ country, messages }) => [country, messages]));
}

const numbers = (start: string, count: number) => Array.from({ length: count }, (_, at) => `${start}${100 + at}`);

test("what two web processes accept is counted exactly, bulk and scheduled sends too, and a stop loses none", {
  timeout: 3 * WITHIN_MS,
}, async () => {
  const account = await makeAccount();
  const from = account.senderId;
  const [one, other] = await Promise.all([startWeb(), startWeb()]);
  const singles = numbers("+4915112345", 30).map((to, at) =>
    post(`${at % 2 === 0 ? one.url : other.url}/messages/send`, account, { to, from, body: "Hello" }),
  );
  const tomorrow = new Date(Date.now() + 24 * 60 * MINUTE_MS).toISOString();
  const scheduled = numbers("+1415555", 3).map((start) =>
    post(`${one.url}/messages/send`, account, { to: `${start}1`, from, body: "Later", send_at: tomorrow }),
  );
  const bulks = [one, other].map(({ url }) =>
    post(`${url}/messages/bulk`, account, {
      recipients: [...numbers("+23480312345", 300), ...numbers("+447400123", 7)],
      from,
      body: "Hello to all",
    }),
  );
  const statuses = await Promise.all([...singles, ...scheduled, ...bulks]);
  expect(new Set(statuses)).toEqual(new Set([201]));
  expect(await Promise.all([one.stop(), other.stop()])).toEqual([0, 0]);
  expect(await trafficOf(account.accountId)).toEqual({ DE: 30, GB: 14, NG: 600, US: 3 });
});

test("messages that failed at once and those of test mode are not counted", async () => {
  const { accountId } = await makeAccount();
  await ensureTestAccount(accountId);
  countTraffic([
    { accountId, toNumber: "+4915112345678", status: "failed" },
    { accountId: testAccountOf(accountId), toNumber: "+4915112345678", status: "pending" },
    { accountId, toNumber: "+88216001234", status: "pending" },
  ]);
  await addCounts();
  expect(await trafficOf(accountId)).toEqual({ "": 1 });
  expect(await trafficOf(testAccountOf(accountId))).toEqual({});
});

test("counts that could not be added are added later, together with those since", async () => {
  const { accountId } = await makeAccount();
  const message = { accountId, toNumber: "+4915112345678", status: "pending" };
  countTraffic([message]);
  await pool().query("ALTER TABLE traffic_hours RENAME TO traffic_elsewhere");
  await addCounts();
  await pool().query("ALTER TABLE traffic_elsewhere RENAME TO traffic_hours");
  expect(await trafficOf(accountId)).toEqual({});
  countTraffic([message, message]);
  await addCounts();
  expect(await trafficOf(accountId)).toEqual({ DE: 3 });
});

test("the counts in memory are bounded", async () => {
  const { accountId } = await makeAccount();
  // More beginnings of numbers than there are.
  const messages = Array.from({ length: 50_002 }, (_, at) => ({
    ...{ accountId, toNumber: `+49${at.toString(36).padStart(5, "0")}`, status: "pending" },
  }));
  countTraffic(messages);
  await addCounts();
  expect(await trafficOf(accountId)).toEqual({ DE: 50_000 });
});

test("counts of nine days ago are forgotten, except an account's oldest hour", async () => {
  const [old, young] = [(await makeAccount()).accountId, (await makeAccount()).accountId];
  await pool().query(
    `INSERT INTO traffic_hours (account_id, hour, country, messages)
     SELECT $1, date_trunc('hour', now(), 'UTC') - days * interval '1 day', 'DE', days FROM unnest('{40, 20, 10, 8, 0}'::int[]) days
     UNION ALL SELECT $2, date_trunc('hour', now(), 'UTC') - interval '12 days', 'FR', 1`,
    [old, young],
  );
  const left = async () =>
    (await pool().query("SELECT messages FROM traffic_hours WHERE account_id = ANY($1) ORDER BY hour", [[old, young]]))
      .rows;
  expect(await deleteOldTraffic()).toBe(2);
  expect((await left()).map(({ messages }) => messages)).toEqual([40, 1, 8, 0]);
  expect(await deleteOldTraffic()).toBe(0);
});
