import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { type DatabaseProxy, startDatabaseProxy } from "@/test/network/database-proxy";
import { createBatcher } from "../core/batcher";
import { pool, prisma } from "../core/db";
import { newId } from "../core/ids";
import { receiptUrlOf } from "../providers/receipt-url";
import { invalidateProviders } from "../providers/registry";
import { openApiDocument } from "./document/openapi";
import { checkHealth } from "./health";
import { handleRestNode } from "./node-door";
import { tableOf } from "./operations";
import { serveReceipt } from "./receipts";
import { serveRest } from "./rest";
import { appRouter } from "./router";

let proxy: DatabaseProxy;
let account: TestAccount;

beforeAll(async () => {
  proxy = await startDatabaseProxy(process.env.DATABASE_URL ?? "");
  process.env.DATABASE_URL = proxy.url;
  await makeRoute();
  account = await makeAccount();
});

afterEach(() => vi.restoreAllMocks());
afterAll(() => proxy.close());

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const all: Record<string, string> = {
    authorization: `Bearer ${account.plainKey}`,
    "content-type": "application/json",
    ...headers,
  };
  const { response } = await serveRest({
    method,
    path,
    query: "",
    header: (name) => all[name],
    peer: "127.0.0.1",
    readBody: async () => Buffer.from(JSON.stringify(body ?? {})),
  });
  return { ...response, wire: JSON.parse(response.body) as { error: { message: string; details: object } } };
}

const send = (headers?: Record<string, string>) =>
  call("POST", "/messages/send", { to: "+14155550123", from: account.senderId, body: "Hello" }, headers);

const messages = () => prisma().message.count({ where: { accountId: account.accountId } });

/** Counts the pool's connection attempts, including retries. */
const countTries = () => vi.spyOn(pg.Pool.prototype, "connect");

let ajv: Ajv2020 | null = null;

/** Violations of the API document by a response; null: none. */
function faultsOf(method: string, path: string, status: number, body: unknown): unknown {
  if (!ajv) {
    // Each validator runs once: optimizing its code takes longer than it saves.
    ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
    addFormats.default(ajv);
    ajv.addSchema(JSON.parse(JSON.stringify(openApiDocument())), "document");
  }
  const methods = openApiDocument().paths?.[path] as Record<string, { responses: Record<string, { $ref?: string }> }>;
  const ref = methods[method.toLowerCase()]?.responses[status]?.$ref;
  if (!ref) return `${status} is not documented`;
  const validate = ajv.compile({ $ref: `document${ref}/content/application~1json/schema` });
  return validate(body) ? null : validate.errors;
}

describe("while the database is unavailable", () => {
  test("a send waits until the database is back, and is carried out once", async () => {
    const before = await messages();
    expect((await send()).status).toBe(201);
    await proxy.goAway();
    const tries = countTries();
    const waiting = Array.from({ length: 20 }, (_, at) =>
      send(at % 2 === 0 ? {} : { "idempotency-key": `away-${at}` }),
    );
    await expect.poll(() => tries.mock.calls.length).toBeGreaterThan(3);
    await proxy.comeBack();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 201));
    expect(await messages()).toBe(before + 21);
  });

  test("the health check reports it at once, without retrying", async () => {
    await proxy.goAway();
    // Counts only tries of the check: meanwhile the process may write what it has gathered from earlier requests.
    const check = new AsyncLocalStorage<true>();
    const { connect } = pg.Client.prototype;
    let newConnections = 0;
    vi.spyOn(pg.Client.prototype, "connect").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
      if (check.getStore()) newConnections += 1;
      return Reflect.apply(connect, this, args);
    });
    try {
      const health = await check.run(true, checkHealth);
      expect(health).toEqual({ ok: false, database: { ok: false, latencyMs: null }, queue: null });
      expect(newConnections).toBe(1);
    } finally {
      await proxy.comeBack();
    }
    expect((await checkHealth()).ok).toBe(true);
  });

  test("the health check does not report connections that died while idle", async () => {
    const clients = await Promise.all([pool().connect(), pool().connect()]);
    for (const client of clients) client.release();
    expect(pool().idleCount).toBeGreaterThan(1);
    proxy.hangUp();
    // Before the pool can notice.
    expect(await checkHealth()).toMatchObject({ ok: true });
  });

  test("and for longer than a request waits, every operation responds 503 as documented, and nothing is carried out", async () => {
    const before = await messages();
    const { exact, withParams } = tableOf(appRouter);
    const operations = [...exact.values(), ...withParams];
    await proxy.goAway();
    try {
      const responses = await Promise.all([
        ...operations.map(({ method, segments }) => call(method, segments.join("/").replace("{id}", newId("message")))),
        send({ "idempotency-key": "away" }),
      ]);
      for (const [at, { status, headers, body, wire }] of responses.entries()) {
        expect(status).toBe(503);
        expect(headers["retry-after"]).toBe("2");
        expect(wire).toMatchObject({
          success: false,
          error: {
            type: "api_error",
            code: "service_unavailable",
            message: expect.stringContaining("Nothing was carried out"),
            param: null,
            details: { reason: "database_unavailable", carried_out: false, retry_after: 2 },
          },
        });
        const { segments, method } = operations[at] ?? { segments: ["", "messages", "send"], method: "POST" };
        expect(faultsOf(method, segments.join("/"), status, JSON.parse(body))).toBeNull();
      }
    } finally {
      await proxy.comeBack();
    }
    expect(await messages()).toBe(before);
    const again = await send({ "idempotency-key": "away" });
    expect([again.status, again.headers["Idempotency-Replayed"]]).toEqual([201, undefined]);
  });

  test("requests whose callers leave meanwhile do not count as overload", async () => {
    const server = createServer((request, response) => void handleRestNode(request, response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/messages/estimate`;
    const estimate = (signal?: AbortSignal) =>
      fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${account.plainKey}`, "content-type": "application/json" },
        body: JSON.stringify({ to: "+14155550123", from: account.senderId, body: "Hello" }),
        signal: signal ?? null,
      });
    try {
      expect((await estimate()).status).toBe(200);
      await proxy.goAway();
      try {
        const leaving = new AbortController();
        let arrived = 0;
        server.on("request", () => (arrived += 1));
        // More than the lowest limit of concurrent requests.
        const left = Array.from({ length: 120 }, () => estimate(leaving.signal).catch((thrown: Error) => thrown.name));
        await expect.poll(() => arrived).toBe(120);
        leaving.abort();
        expect(new Set(await Promise.all(left))).toEqual(new Set(["AbortError"]));
      } finally {
        await proxy.comeBack();
      }
      // Longer than a request may wait before the limit begins to fall, and longer than the limit takes to fall to its lowest value.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      for (let asked = 0; asked < 30; asked += 1) {
        expect((await estimate()).status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test("a provider's callback gets 503, also when the provider's settings cannot be read", async () => {
    const { pathname } = new URL(receiptUrlOf("twilio", 0));
    await proxy.goAway();
    try {
      invalidateProviders();
      const response = await serveReceipt({
        method: "POST",
        url: pathname,
        headers: {},
        peer: "127.0.0.1",
        readBody: async () => Buffer.from(""),
      });
      expect(response).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    } finally {
      await proxy.comeBack();
    }
  });

  test("the console gets the same error", async () => {
    await proxy.goAway();
    try {
      const response = await fetchRequestHandler({
        endpoint: "/api/trpc",
        req: new Request("http://localhost/api/trpc/apiKeys.list"),
        router: appRouter,
        createContext: () => ({
          actor: { kind: "session" as const, accountId: account.accountId, userId: "usr_1", isOperator: false },
          requestId: newId("request"),
          address: "127.0.0.1",
          idempotency: () => null,
          responseHeaders: {},
          admit: async () => undefined,
        }),
      });
      expect(await response.json()).toMatchObject({
        error: {
          message: expect.stringContaining("database cannot be used"),
          data: { httpStatus: 503, code: "service_unavailable", details: { reason: "database_unavailable" } },
        },
      });
    } finally {
      await proxy.comeBack();
    }
  });
});

test("a send that finds the queue full gets 503 at once, with the statement that nothing was carried out", async () => {
  const made = (globalThis as Record<symbol, unknown>)[Symbol.for("messaging-service.process")] as Map<string, unknown>;
  const queue = made.get("messages.accept");
  let release = () => {};
  const blocked = new Promise<void>((resolve) => (release = resolve));
  made.set(
    "messages.accept",
    createBatcher<unknown, never>(
      async (items) => {
        await blocked;
        return items.map(() => ({ ok: false as const, error: new Error("released") }));
      },
      { maxWeight: 1, maxWaiting: 1 },
    ),
  );
  try {
    const statuses: number[] = [];
    const sends = Array.from({ length: 5 }, async () => {
      const response = await send();
      statuses.push(response.status);
      return response;
    });
    await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(3);
    expect(new Set(statuses)).toEqual(new Set([503]));
    release();
    const refused = (await Promise.all(sends)).find(({ status }) => status === 503);
    expect(refused?.headers["retry-after"]).toBe("1");
    expect(refused?.headers["ratelimit-remaining"]).toEqual(expect.any(String));
    expect(refused?.wire.error).toMatchObject({
      type: "api_error",
      code: "service_unavailable",
      message: expect.stringContaining("Nothing was carried out"),
      details: { reason: "overloaded", carried_out: false, retry_after: 1 },
    });
  } finally {
    release();
    made.set("messages.accept", queue);
  }
});
