import { makeOwnAccount } from "../support/accounts";
import { apiWith } from "../support/api";
import { startSecondWeb } from "../support/second-web";
import type { Service } from "../support/service";
import { test as base, expect } from "../test";

/** One installation, two web processes. */
const test = base.extend<object, { both: [Service, Service] }>({
  both: [
    async ({ service }, use) => {
      const second = await startSecondWeb(service);
      await use([service, second.service]);
      await second.stop();
    },
    { scope: "worker" },
  ],
});

/** A minute's count must not be cut by the minute's end: waits until enough of the present one is left. */
async function untilMinuteHas(secondsLeft: number): Promise<void> {
  await expect.poll(() => 60 - ((Date.now() / 1_000) % 60), { timeout: 60_000 }).toBeGreaterThan(secondsLeft);
}

test("a key revoked through one process is refused there at once and by the other within a second", async ({
  both,
  account,
}) => {
  const [first, second] = both;
  const owner = apiWith(first, account.apiKey);
  const created = await owner.post("/api-keys/create", { name: "short-lived" });
  const key = String(created.body.data.plain_key);
  const [here, there] = [apiWith(first, key), apiWith(second, key)];
  expect((await here.get("/account")).status).toBe(200);
  expect((await there.get("/account")).status).toBe(200);

  expect((await owner.delete(`/api-keys/${created.body.data.id}`)).status).toBe(200);
  const revokedAt = performance.now();
  expect((await here.get("/account")).status).toBe(401);
  let lastAcceptedAt = 0;
  for (let status = 200; status !== 401; ) {
    const askedAt = performance.now();
    status = (await there.get("/account")).status;
    if (status === 200) lastAcceptedAt = askedAt;
    expect(askedAt - revokedAt).toBeLessThan(10_000);
  }
  // Asked later than a second after the revocation, the other process never said yes.
  expect(lastAcceptedAt - revokedAt).toBeLessThan(1_000);
});

test("a rate limit of 60 lets exactly 60 requests pass over both processes", async ({ both, api }) => {
  await untilMinuteHas(20);
  const created = await api.post("/api-keys/create", { name: "limited", rate_limit: 60 });
  const doors = both.map((service) => apiWith(service, String(created.body.data.plain_key)));
  const answers = await Promise.all(
    Array.from({ length: 150 }, async (_, at) => (await doors[at % 2]?.get("/account"))?.status),
  );
  expect(answers.filter((status) => status === 200)).toHaveLength(60);
  expect(answers.filter((status) => status === 429)).toHaveLength(90);
});

test("200 sends at once over both processes on a balance for 120: 120 accepted, 80 refused, nothing left", async ({
  both,
}) => {
  const account = await makeOwnAccount(both[0], 1.2);
  const doors = both.map((service) => apiWith(service, account.apiKey));
  const body = { to: "+15550100008", from: account.sender, body: "x" };
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => (await doors[at % 2]?.post("/messages/send", body))?.status),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(120);
  expect(statuses.filter((status) => status === 402)).toHaveLength(80);
  expect((await apiWith(both[1], account.apiKey).get("/balance")).body.data.balance).toBe(0);
});

test("one Idempotency-Key sent to both processes at once makes one message", async ({ both, account }) => {
  const doors = both.map((service) => apiWith(service, account.apiKey));
  const body = { to: "+14155550123", from: account.sender, body: "once" };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => doors[at % 2]?.post("/messages/send", body, { "idempotency-key": "both" })),
  );
  expect(new Set(answers.map((answer) => answer?.body.data.id)).size).toBe(1);
  expect(answers.every((answer) => answer?.status === 201)).toBe(true);
  expect((await doors[0]?.get("/messages"))?.body.pagination?.total).toBe(1);
});

test("a daily limit is exact over both processes", async ({ both, account, api }) => {
  const created = await api.post("/api-keys/create", { name: "daily", daily_limit: 15 });
  const doors = both.map((service) => apiWith(service, String(created.body.data.plain_key)));
  const body = { to: "+15550100008", from: account.sender, body: "x" };
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => (await doors[at % 2]?.post("/messages/send", body))?.status),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(15);
  expect(statuses.filter((status) => status === 429)).toHaveLength(25);
});
