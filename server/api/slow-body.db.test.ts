/** Requests whose body takes long: who sends them may lose their permission meanwhile. */

import { createServer, type IncomingHttpHeaders, type Server, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { encode } from "next-auth/jwt";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { moveClockAhead } from "@/test/clock";
import { makePerson } from "@/test/database/people";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { revokeSessionsOf } from "../auth/sessions/sessions";
import { pool } from "../core/db";
import { env } from "../core/env";
import { handleExport } from "./door/exports";
import { handleRestNode } from "./node-door";

const servers: Server[] = [];

async function serve(handle: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

let ports = { api: 0, exports: 0 };

beforeAll(async () => {
  await makeRoute();
  ports = {
    api: await serve((request, response) => void handleRestNode(request, response)),
    exports: await serve((request, response) => void handleExport(request, response)),
  };
});
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});
afterEach(() => {
  vi.restoreAllMocks();
});

type Sending = { port: number; path: string; headers: Record<string, string>; body: unknown };

type Outcome = { status: number | undefined; text: string; headers: IncomingHttpHeaders };

/** Posts half of a body. @returns a function that sends the rest, and returns the response. */
function begin({ port, path, headers, body }: Sending): () => Promise<Outcome> {
  const bytes = Buffer.from(JSON.stringify(body));
  const half = Math.floor(bytes.length / 2);
  const fields = { "content-type": "application/json", "content-length": bytes.length, ...headers };
  const posted = send({ host: "127.0.0.1", port, path, method: "POST", headers: fields });
  const responded = new Promise<Outcome>((resolve, reject) => {
    posted.on("response", (response) => {
      const { statusCode: status, headers: fieldsGiven } = response;
      text(response).then((all) => resolve({ status, text: all, headers: fieldsGiven }), reject);
    });
    posted.on("error", reject);
  });
  posted.write(bytes.subarray(0, half));
  return () => {
    posted.end(bytes.subarray(half));
    return responded;
  };
}

/** Lets the time pass in which a look at a key counts. */
const letTimePass = (): void => moveClockAhead(1_000);

/** Waits until the request of a caller has been counted, after which its body is read. */
const untilAdmitted = (caller: string) =>
  expect
    .poll(async () => (await pool().query("SELECT 1 FROM api_key_minutes WHERE key_id = $1", [caller])).rowCount)
    .toBe(1);

const sendingOf = ({ plainKey, senderId }: { plainKey: string; senderId: string }): Sending => ({
  port: ports.api,
  path: "/api/v1/messages/send",
  headers: { authorization: `Bearer ${plainKey}` },
  body: { to: "+14155550123", from: senderId, body: "Hello" },
});

test.each([
  ["revoked", "revoked_at = now()", 401, "key_invalid"],
  ["bound to other addresses", "allowed_ips = '{192.0.2.1}'", 403, "ip_not_allowed"],
  ["allowed no more messages", "daily_limit = 0", 429, "daily_limit"],
])("a message is not sent by a key that another process has %s meanwhile", async (_, change, status, reason) => {
  const account = await makeAccount();
  const finish = begin(sendingOf(account));
  await untilAdmitted(account.keyId);
  await pool().query(`UPDATE api_keys SET ${change} WHERE id = $1`, [account.keyId]);
  letTimePass();
  const response = await finish();
  expect([response.status, JSON.parse(response.text).error.details.reason]).toEqual([status, reason]);
  // A caller that is refused as unknown is told no rate.
  expect("ratelimit-limit" in response.headers).toBe(status === 429);
  expect("ratelimit" in response.headers).toBe(status === 429);
  expect((await pool().query("SELECT 1 FROM messages WHERE account_id = $1", [account.accountId])).rowCount).toBe(0);
});

test("a message is sent by a key that is still the same", async () => {
  const account = await makeAccount();
  const finish = begin(sendingOf(account));
  await untilAdmitted(account.keyId);
  letTimePass();
  expect((await finish()).status).toBe(201);
});

test("a list is not exported in a session that was ended meanwhile", async () => {
  const person = await makePerson();
  const token = await encode({ token: { sessionId: person.sessionId }, secret: env().SECRET_KEY });
  const headers = { cookie: `next-auth.session-token=${token}` };
  const finish = begin({ port: ports.exports, path: "/", headers, body: { list: "messages" } });
  await untilAdmitted(person.userId);
  await revokeSessionsOf(pool(), person.userId);
  const response = await finish();
  expect([response.status, response.text]).toEqual([401, expect.stringContaining("no_session")]);
});
