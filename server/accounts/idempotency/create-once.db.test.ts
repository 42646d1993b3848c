import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { makeAccount, makeKey } from "@/test/database/seed";
import { createApiKey } from "../../api-keys/service";
import type { AccountActor } from "../../core/actor";
import { pool } from "../../core/db";
import { env } from "../../core/env";
import { invalidRequest } from "../../core/errors";
import { createSender } from "../../senders/service";
import { createSuppression } from "../../suppressions/service";
import { createEndpoint, rotateSecret } from "../../webhooks/service";
import { lockAdmission } from "../store";
import { createOnce } from "./create-once";
import type { IdempotentRequest } from "./request";

const request = (
  key: string,
  requestHash = "hash",
): IdempotentRequest & { responseHeaders: Record<string, string> } => ({
  idempotency: () => ({ key, requestHash }),
  responseHeaders: {},
});

afterEach(() => {
  vi.useRealTimers();
});

function signal() {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

const keyInput = { name: "once", rate_limit: 600 };

test("20 concurrent creations with one Idempotency-Key make one key, and all get its plain text", async () => {
  const { actor, accountId } = await makeAccount();
  const requests = Array.from({ length: 20 }, () => request("k"));
  const created = await Promise.all(requests.map((one) => createApiKey(actor, keyInput, one)));
  expect(new Set(created.map((key) => key.plain_key)).size).toBe(1);
  expect(requests.filter((one) => one.responseHeaders["Idempotency-Replayed"] === "true")).toHaveLength(19);
  const { rows } = await pool().query(
    "SELECT count(*)::int AS n FROM api_keys WHERE account_id = $1 AND name = 'once'",
    [accountId],
  );
  expect(rows).toEqual([{ n: 1 }]);
});

test("a stored response reveals no secret", async () => {
  const { actor, accountId } = await makeAccount();
  const { plain_key } = await createApiKey(actor, keyInput, request("k"));
  const { rows } = await pool().query<{ response: string }>(
    "SELECT response FROM idempotency_keys WHERE account_id = $1",
    [accountId],
  );
  expect(rows[0]?.response).not.toContain(plain_key.slice(8));
});

test("senders and endpoints are created once too, and another request under the same key is refused", async () => {
  const { actor } = await makeAccount();
  const first = await createSender(actor, { sender_id: "ONCE" }, request("s"));
  expect(await createSender(actor, { sender_id: "ONCE" }, request("s"))).toEqual(first);
  const endpoint = await createEndpoint(actor, { url: "http://127.0.0.1:9/" }, request("e"));
  expect(await createEndpoint(actor, { url: "http://127.0.0.1:9/" }, request("e"))).toEqual(endpoint);
  await expect(createApiKey(actor, keyInput, request("s", "another"))).rejects.toMatchObject({
    status: 400,
    wire: { details: { reason: "idempotency_key_reused" } },
  });
});

test("a refused creation does not use up its key", async () => {
  const { actor } = await makeAccount();
  await createSender(actor, { sender_id: "TAKEN" });
  await expect(createSender(actor, { sender_id: "TAKEN" }, request("r"))).rejects.toMatchObject({ status: 400 });
  expect((await createSender(actor, { sender_id: "FREE" }, request("r", "other"))).sender_id).toBe("FREE");
});

test("a response with a secret is repeated only to its own caller", async () => {
  const { actor, accountId } = await makeAccount();
  const other = await makeKey(accountId);
  const owner: AccountActor = { kind: "session", accountId, userId: "usr_owner", isOperator: false };
  const url = "http://127.0.0.1:9/";
  const endpoint = await createEndpoint(actor, { url }, request("endpoint"));
  const operations = {
    key: (as: AccountActor) => createApiKey(as, keyInput, request("key")),
    endpoint: (as: AccountActor) => createEndpoint(as, { url }, request("endpoint")),
    rotation: (as: AccountActor) => rotateSecret(as, endpoint.id, request("rotation")),
  };
  for (const [name, operation] of Object.entries(operations)) {
    const first = await operation(actor);
    for (const stranger of [other, owner]) {
      await expect(operation(stranger), name).rejects.toMatchObject({
        status: 400,
        wire: { details: { reason: "idempotency_key_reused" } },
      });
    }
    expect(await operation(actor), name).toEqual(first);
  }
});

test("a response without a secret is repeated to every key of the account", async () => {
  const { actor, accountId } = await makeAccount();
  const rotated = await makeKey(accountId);
  const first = await createSender(actor, { sender_id: "SHARED" }, request("s"));
  expect(await createSender(rotated, { sender_id: "SHARED" }, request("s"))).toEqual(first);
});

test("a completed request gets its response again even if it would be refused now", async () => {
  const { actor } = await makeAccount();
  let isRefused = false;
  let checks = 0;
  const check = async () => {
    checks += 1;
    if (isRefused) throw invalidRequest("No longer.", { reason: "url_not_allowed" });
  };
  const once = (key: string) => createOnce(actor, request(key), { check, carryOut: async () => "done" });
  expect(await once("k")).toBe("done");
  isRefused = true;
  expect(await once("k")).toBe("done");
  expect(checks).toBe(1);
  await expect(once("new")).rejects.toMatchObject({ status: 400 });
  isRefused = false;
  expect(await once("new")).toBe("done");
});

test("nothing is carried out for a caller who has hung up, unless it was before", async () => {
  const { actor } = await makeAccount();
  let count = 0;
  const once = (isAbandoned: boolean) =>
    createOnce(actor, { ...request("k"), isAbandoned: () => isAbandoned }, { carryOut: async () => (count += 1) });
  await expect(once(true)).rejects.toMatchObject({ wire: { details: { reason: "client_closed_request" } } });
  expect(await once(false)).toBe(1);
  expect(await once(true)).toBe(1);
});

test("of two concurrent requests the refused one gets the response of the other", async () => {
  const { actor } = await makeAccount();
  const [checking, carriedOut] = [signal(), signal()];
  const refused = createOnce(actor, request("k"), {
    check: async () => {
      checking.give();
      await carriedOut.given;
      throw invalidRequest("No longer.", { reason: "url_not_allowed" });
    },
    carryOut: async () => "never",
  });
  // The first request has looked for a response and found none.
  await checking.given;
  expect(await createOnce(actor, request("k"), { carryOut: async () => "done" })).toBe("done");
  carriedOut.give();
  expect(await refused).toBe("done");
});

test("a repeated creation returns its API key even after that key has expired", async () => {
  const { actor } = await makeAccount();
  const soon = Date.now() + 60_000;
  const expiring = { ...keyInput, expires_at: new Date(soon).toISOString() };
  const first = await createApiKey(actor, expiring, request("k"));
  vi.useFakeTimers({ toFake: ["Date"], now: soon + 1 });
  expect(await createApiKey(actor, expiring, request("k"))).toEqual(first);
  await expect(createApiKey(actor, expiring, request("other"))).rejects.toMatchObject({ status: 400 });
});

test("however many requests wait for one account, another account's are carried out", async () => {
  const [busy, other] = await Promise.all([makeAccount(), makeAccount()]);
  // Not a connection of the pool: those are cut off when they idle in a transaction.
  const holder = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await holder.connect();
  await holder.query("BEGIN");
  await lockAdmission(holder, [busy.accountId]);
  const waiting = Promise.allSettled(
    Array.from({ length: env().DATABASE_POOL_SIZE + 5 }, (_, at) =>
      createSender(busy.actor, { sender_id: `W${at}` }, request(`w${at}`)),
    ),
  );
  expect((await createSender(other.actor, { sender_id: "FREE" })).sender_id).toBe("FREE");
  // It did not have to wait until the row was free.
  const { rows } = await pool().query("SELECT 1 FROM senders WHERE account_id = $1 AND sender_id LIKE 'W%'", [
    busy.accountId,
  ]);
  expect(rows).toEqual([]);
  await holder.end();
  expect((await waiting).filter((end) => end.status === "rejected")).toEqual([]);
});

test("a suspended account makes nothing new, gets its earlier answers, and may still protect itself", async () => {
  const { actor, accountId } = await makeAccount();
  const sender = await createSender(actor, { sender_id: "BEFORE" }, request("before"));
  const endpoint = await createEndpoint(actor, { url: "http://127.0.0.1:9/" });
  await pool().query("UPDATE accounts SET status = 'suspended' WHERE id = $1", [accountId]);
  const operations = {
    key: (one?: IdempotentRequest) => createApiKey(actor, keyInput, one),
    endpoint: (one?: IdempotentRequest) => createEndpoint(actor, { url: "http://127.0.0.1:9/" }, one),
    sender: (one?: IdempotentRequest) => createSender(actor, { sender_id: "AFTER" }, one),
  };
  for (const [name, operation] of Object.entries(operations)) {
    for (const one of [undefined, request(name)]) {
      await expect(operation(one), name).rejects.toMatchObject({
        status: 403,
        wire: { details: { reason: "account_not_active" } },
      });
    }
  }
  expect(await createSender(actor, { sender_id: "BEFORE" }, request("before"))).toEqual(sender);
  expect((await rotateSecret(actor, endpoint.id)).id).toBe(endpoint.id);
  expect((await createSuppression(actor, { number: "+14155550123" })).number).toBe("+14155550123");
});
