/** Callers that hang up before their request is carried out, as after a time-out while this process stood still. */
import net from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { lockAdmission } from "@/server/accounts/store";
import { pool } from "@/server/core/db";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { restServerOfFile } from "@/test/database/rest-server";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";

beforeAll(() => makeRoute());
const restUrl = restServerOfFile();

type Call = { path: string; body: object; key: string | null };

const headersOf = ({ plainKey }: TestAccount, { key }: Call): Record<string, string> => ({
  authorization: `Bearer ${plainKey}`,
  "content-type": "application/json",
  ...(key === null ? {} : { "idempotency-key": key }),
});

const sendOf = ({ senderId }: TestAccount, key: string | null): Call => ({
  path: "/messages/send",
  body: { to: "+14155550123", from: senderId, body: "Hello" },
  key,
});

/** Makes a call while the account is locked, and hangs up before the account is free again. */
async function hangUpDuring(account: TestAccount, call: Call): Promise<void> {
  const lock = await openTransaction((tx) => lockAdmission(tx, [account.accountId]));
  const { hostname, port, pathname } = new URL(`${restUrl()}${call.path}`);
  const body = JSON.stringify(call.body);
  const fields = { host: hostname, "content-length": String(body.length), ...headersOf(account, call) };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = net.connect(Number(port), hostname);
  socket.write(`POST ${pathname} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
  await untilWaiting();
  socket.destroy();
  // A response on another connection: by then the server has read the end of the first one.
  for (let turn = 0; turn < 3; turn += 1) await fetch(`${restUrl()}/balance`, { headers: headersOf(account, call) });
  await lock.commit();
}

async function repeat(account: TestAccount, call: Call) {
  const response = await fetch(`${restUrl()}${call.path}`, {
    method: "POST",
    headers: headersOf(account, call),
    body: JSON.stringify(call.body),
  });
  return { status: response.status, isReplayed: response.headers.get("idempotency-replayed") === "true" };
}

const statusesInLog = async ({ accountId }: TestAccount, path: string) => {
  const { rows } = await pool().query<{ status: number }>(
    "SELECT status FROM request_log WHERE account_id = $1 AND path = $2 ORDER BY id",
    [accountId, path],
  );
  return rows.map(({ status }) => status);
};

describe("a request with an Idempotency-Key whose caller has hung up", () => {
  test("sends nothing; its repetition is carried out", async () => {
    const account = await makeAccount();
    const call = sendOf(account, "hung-up");
    await hangUpDuring(account, call);
    await expect.poll(() => statusesInLog(account, call.path)).toEqual([400]);
    expect(await repeat(account, call)).toEqual({ status: 201, isReplayed: false });
    const { rows } = await pool().query("SELECT 1 FROM messages WHERE account_id = $1", [account.accountId]);
    expect(rows).toHaveLength(1);
  });

  test("creates nothing; its repetition is carried out", async () => {
    const account = await makeAccount();
    const call = { path: "/senders/create", body: { sender_id: "HUNGUP" }, key: "hung-up" };
    await hangUpDuring(account, call);
    await expect.poll(() => statusesInLog(account, call.path)).toEqual([400]);
    expect(await repeat(account, call)).toEqual({ status: 201, isReplayed: false });
  });
});

test("a send without a key is carried out although its caller has hung up: nobody would repeat it", async () => {
  const account = await makeAccount();
  const call = sendOf(account, null);
  await hangUpDuring(account, call);
  await expect.poll(() => statusesInLog(account, call.path)).toEqual([201]);
});
