import type { ApiKey } from "@/server/api-keys/schema";
import type { BulkResult } from "@/server/messages/schema";
import type { OwnAccount } from "../support/accounts";
import type { Ask, CheckedApi, CheckedResponse } from "../support/checked-api";
import type { Contract } from "../support/contract";
import { expect, test } from "../support/contract-test";
import { balanceOf } from "../support/follow";

const SILENT = "+15550100008";
const ACCOUNT = { method: "GET", path: "/account" };
const HERE = "127.0.0.1";
const ELSEWHERE = "203.0.113.7";

const send = ({ sender }: OwnAccount): Ask => ({
  method: "POST",
  path: "/messages/send",
  body: { to: SILENT, from: sender, body: "Hello" },
});
const bulk = ({ sender }: OwnAccount, recipients: string[]): Ask => ({
  method: "POST",
  path: "/messages/bulk",
  body: { recipients, from: sender, body: "Hello" },
});
const rateOf = ({ headers }: CheckedResponse) =>
  ["limit", "remaining", "reset"].map((name) => Number(headers.get(`ratelimit-${name}`)));

/** Seconds left in the current UTC day or month. */
function secondsLeft(limit: string): number {
  const at = new Date();
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const end = limit === "daily_limit" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
  return (end - at.getTime()) / 1_000;
}

/** Returns when the current minute has some seconds left, so that the following requests are counted together. */
const earlyInMinute = (rest: CheckedApi) =>
  expect.poll(async () => rateOf(await rest.ask(ACCOUNT))[2]).toBeGreaterThan(10);

/** Every operation of the document, with an id that does not exist. */
const everyOperation = ({ document }: Contract): Ask[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace("{id}", "x_1") })),
  );

test.describe("requests per minute", () => {
  test("every response says how many are left, and the first refusal when to try again", async ({ rest, keyed }) => {
    await earlyInMinute(rest);
    const limited = await keyed({ rate_limit: 3 });
    const requests = [
      ACCOUNT,
      { method: "GET", path: "/nowhere" },
      { method: "POST", path: "/messages/send", text: "{" },
    ];
    for (const [at, request] of requests.entries()) {
      const [limit, remaining] = rateOf(await limited.ask(request));
      expect([limit, remaining]).toEqual([3, 2 - at]);
    }
    const refused = await limited.ask(ACCOUNT);
    const [limit, remaining, resetS] = rateOf(refused);
    expect([refused.status, limit, remaining]).toEqual([429, 3, 0]);
    expect(refused.headers.get("retry-after")).toBe(String(resetS));
    expect(refused.body.error?.details).toEqual({ reason: "rate_limit", limit: 3, retry_after: resetS });
  });

  test("every operation counts", async ({ keyed, contract }) => {
    const limited = await keyed({ rate_limit: 1 });
    for (const request of everyOperation(contract)) {
      // A minute may end in between; it does not end twice.
      await expect.poll(async () => (await limited.ask(request)).status, { intervals: [0] }).toBe(429);
    }
  });

  test("nothing is carried out beyond the limit", async ({ rest, keyed, account }) => {
    await earlyInMinute(rest);
    const limited = await keyed({ rate_limit: 1 });
    await limited.ask(ACCOUNT);
    await limited.refusal(429, send(account));
    expect((await rest.page("/messages")).items).toEqual([]);
  });

  test("of many simultaneous requests exactly as many pass as the limit allows", async ({ rest, keyed }) => {
    await earlyInMinute(rest);
    const limited = await keyed({ rate_limit: 20 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => limited.ask(ACCOUNT)));
    const passed = answers.filter((answer) => answer.status === 200);
    expect(passed).toHaveLength(20);
    expect(new Set(passed.map((answer) => rateOf(answer)[1])).size).toBe(20);
  });

  test("every key has its own count", async ({ rest, keyed }) => {
    await earlyInMinute(rest);
    const [one, other] = [await keyed({ rate_limit: 1 }), await keyed({ rate_limit: 1 })];
    expect((await one.ask(ACCOUNT)).status).toBe(200);
    await one.refusal(429, ACCOUNT);
    expect((await other.ask(ACCOUNT)).status).toBe(200);
  });
});

for (const limit of ["daily_limit", "monthly_limit"]) {
  test.describe(limit, () => {
    test("a request that would exceed it is refused as a whole: nothing is sent or billed", async ({
      rest,
      keyed,
      account,
    }) => {
      const limited = await keyed({ [limit]: 3 });
      expect((await limited.ask(send(account))).status).toBe(201);
      const leftBefore = secondsLeft(limit);
      const three = await limited.ask(bulk(account, [SILENT, SILENT, SILENT]));
      expect(three.status).toBe(429);
      expect(three.body.error).toMatchObject({
        param: null,
        details: { reason: limit, limit: 3, used: 1, requested: 3 },
      });
      const waitS = Number(three.headers.get("retry-after"));
      expect(waitS).toBeGreaterThanOrEqual(Math.floor(secondsLeft(limit)));
      expect(waitS).toBeLessThanOrEqual(Math.ceil(leftBefore));
      expect((await limited.ask(bulk(account, [SILENT, SILENT]))).status).toBe(201);
      expect((await limited.refusal(429, send(account))).details).toMatchObject({ reason: limit, used: 3 });
      expect((await rest.page("/messages")).pagination.total).toBe(3);
      expect(await balanceOf(rest)).toBe(99.97);
      // Reads still work, and so do the account's other keys.
      expect((await limited.ask(ACCOUNT)).status).toBe(200);
      expect((await rest.ask(send(account))).status).toBe(201);
    });

    test("counts messages that went out, not those that failed at once", async ({ keyed, account }) => {
      const limited = await keyed({ [limit]: 2 });
      const first = await limited.post<BulkResult>("/messages/bulk", bulk(account, ["nobody", SILENT, "nobody"]).body);
      expect(first).toMatchObject({ sent: 1, failed: 2 });
      expect((await limited.ask(send(account))).status).toBe(201);
      await limited.refusal(429, send(account));
    });

    test("is never exceeded, however many sends come at once", async ({ rest, keyed, account }) => {
      const limited = await keyed({ [limit]: 5 });
      const answers = await Promise.all(Array.from({ length: 20 }, () => limited.ask(send(account))));
      expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(5).fill(201), ...Array(15).fill(429)]);
      expect((await rest.page("/messages")).pagination.total).toBe(5);
    });
  });
}

test.describe("allowed_ips", () => {
  test("a key does not work from another address, whatever the headers say", async ({ keyed, contract }) => {
    const elsewhere = await keyed({ allowed_ips: [ELSEWHERE] });
    const spoofs: Record<string, string>[] = [
      {},
      { "x-forwarded-for": ELSEWHERE },
      { "x-forwarded-for": `${ELSEWHERE}, ${HERE}` },
      { "x-forwarded-for": `${HERE}, ${ELSEWHERE}` },
      { forwarded: `for=${ELSEWHERE}` },
      { "x-real-ip": ELSEWHERE, "client-ip": ELSEWHERE, "cf-connecting-ip": ELSEWHERE, "true-client-ip": ELSEWHERE },
    ];
    for (const headers of spoofs) {
      const error = await elsewhere.refusal(403, { ...ACCOUNT, headers });
      expect(error).toMatchObject({ param: null, details: { reason: "ip_not_allowed", address: HERE } });
    }
    for (const request of everyOperation(contract)) {
      expect((await elsewhere.refusal(403, request)).details.reason).toBe("ip_not_allowed");
    }
  });

  test("a key works from each address and network of its list, whatever the headers say", async ({ keyed }) => {
    for (const allowed_ips of [[HERE], [ELSEWHERE, HERE], ["127.0.0.0/8"], ["0.0.0.0/0"], [`${HERE}/32`], [], null]) {
      const key = await keyed({ allowed_ips });
      expect((await key.ask(ACCOUNT)).status, JSON.stringify(allowed_ips)).toBe(200);
      const spoofed = await key.ask({ ...ACCOUNT, headers: { "x-forwarded-for": ELSEWHERE } });
      expect(spoofed.status, JSON.stringify(allowed_ips)).toBe(200);
    }
    await (await keyed({ allowed_ips: ["127.0.0.2", "127.0.1.0/24", "126.0.0.0/8"] })).refusal(403, ACCOUNT);
  });
});

test("a key works until its expires_at and not longer, and is inactive then", async ({ rest, keyed }) => {
  const expires_at = new Date(Date.now() + 10_000).toISOString();
  const key = await keyed({ expires_at });
  expect((await key.ask(ACCOUNT)).status).toBe(200);
  await expect.poll(async () => (await key.ask(ACCOUNT)).status).toBe(401);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));
  expect((await key.refusal(401, ACCOUNT)).details.reason).toBe("key_expired");
  const [listed] = (await rest.get<{ data: ApiKey[] }>("/api-keys")).data;
  expect(listed).toMatchObject({ is_active: false, expires_at });
});
