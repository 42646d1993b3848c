import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { expect, test } from "vitest";
import { listed, type Responder, refusal, type Seen, startStub, success } from "../../stub-service";
import { MessagingClient } from "../client";
import { SCENARIO_NUMBERS } from "./scenarios";
import { makeMcpServer } from "./server";

const READING = [
  "estimate_message",
  "get_balance",
  "get_message",
  "list_messages",
  "list_scenario_numbers",
  "list_senders",
];

/** An assistant's end of a server whose service gives these responses. */
async function assistant(answerTo: Parameters<typeof startStub>[0], mode = { isLive: false, maySendLive: false }) {
  const { baseUrl, seen } = await startStub(answerTo);
  const client = new MessagingClient({ baseUrl, apiKey: "ds_test_x" });
  const [one, other] = InMemoryTransport.createLinkedPair();
  const connected = new Client({ name: "test", version: "1" });
  await makeMcpServer({ client, baseUrl, version: "1.2.3", ...mode }).connect(one);
  await connected.connect(other);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false } = await connected.callTool({ name, arguments: args });
    const [{ text }] = content as [{ text: string }];
    return { isError, text };
  };
  return { connected, seen, call };
}

const linesOf = (seen: Seen[]) => seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
const SEND = { to: "+14155550123", from: "TEST", body: "Hello" };

test.each([
  ["a test key sends", { isLive: false, maySendLive: false }, true, "reach nobody"],
  ["a live key reads alone", { isLive: true, maySendLive: false }, false, "nothing can be sent"],
  ["a live key sends where that was asked for", { isLive: true, maySendLive: true }, true, "Ask the person"],
])("%s", async (_, mode, maySend, words) => {
  const { connected, call, seen } = await assistant(() => success({ id: "msg_1" }, 201), mode);
  const { tools } = await connected.listTools();
  const names = tools.map(({ name }) => name).sort();
  expect(names).toEqual(maySend ? [...READING, "send_message"] : READING);
  expect(connected.getInstructions()).toContain(words);
  const { isError } = await call("send_message", SEND);
  expect([isError, seen.length]).toEqual(maySend ? [false, 1] : [true, 0]);
  expect(tools.find(({ name }) => name === "send_message")?.annotations?.destructiveHint).toBe(
    maySend ? mode.isLive : undefined,
  );
});

test("tools call the operations of the API, and give their data as JSON", async () => {
  const { call, seen } = await assistant(({ url }) =>
    url.includes("/messages?") || url.includes("/senders?")
      ? listed([{ id: "one" }], "next")
      : success({ path: url.replace("/api/v1", "") }),
  );
  const textOf = async (name: string, args?: Record<string, unknown>) => JSON.parse((await call(name, args)).text);
  expect(await textOf("send_message", { ...SEND, idempotency_key: "order-1" })).toEqual({ path: "/messages/send" });
  expect(await textOf("estimate_message", SEND)).toEqual({ path: "/messages/estimate" });
  expect(await textOf("get_message", { id: "msg_1" })).toEqual({
    message: { path: "/messages/msg_1" },
    timeline: { path: "/messages/msg_1/timeline" },
  });
  expect(await textOf("list_messages", { status: "failed" })).toEqual({
    messages: [{ id: "one" }],
    total: 1,
    next_cursor: "next",
  });
  expect(await textOf("list_senders")).toEqual([{ id: "one" }]);
  expect(await textOf("get_balance")).toEqual({ path: "/balance" });
  expect(seen[0]?.headers["idempotency-key"]).toBe("order-1");
  expect(linesOf(seen).sort()).toEqual([
    "GET /api/v1/balance",
    "GET /api/v1/messages/msg_1",
    "GET /api/v1/messages/msg_1/timeline",
    "GET /api/v1/messages?status=failed&limit=20&page=1",
    "GET /api/v1/senders?limit=100&page=1",
    `POST /api/v1/messages/estimate ${JSON.stringify(SEND)}`,
    `POST /api/v1/messages/send ${JSON.stringify(SEND)}`,
  ]);
});

test("a refusal is told to the assistant with its reason, and so is input of another form", async () => {
  const { call, seen } = await assistant(() => refusal(400, { reason: "sender_not_approved" }));
  expect(await call("send_message", SEND)).toEqual({
    isError: true,
    text: "400 No. (sender_not_approved, param to, req_1)",
  });
  const wrong = await call("list_messages", { status: "queued" });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining("status") });
  expect(seen).toHaveLength(1);
});

test("a send that may have been carried out is told with the key that sends it once", async () => {
  let answer: () => Responder = () => refusal(500);
  const { call, seen } = await assistant(() => answer());
  const { isError, text } = await call("send_message", SEND);
  expect([isError, text]).toEqual([true, expect.stringContaining("500 No.")]);
  const [, key = ""] = /idempotency_key (\S+),/.exec(text) ?? [];
  expect(key).toBe(seen[0]?.headers["idempotency-key"]);
  const given = await call("send_message", { ...SEND, idempotency_key: "order-1" });
  expect(given.text).toContain("idempotency_key order-1,");
  answer = () => refusal(400);
  expect((await call("send_message", SEND)).text).not.toContain("idempotency_key");
  answer = () => success({ id: "msg_1" }, 201);
  expect(await call("send_message", { ...SEND, idempotency_key: key })).toMatchObject({ isError: false });
  expect(seen.at(-1)?.headers["idempotency-key"]).toBe(key);
});

test("the scenario numbers are those of the guide", async () => {
  const rows = readFileSync("docs/scenario-numbers.md", "utf8").matchAll(
    /^\| (`\+\d+`|any other) \| (.*) \| (.*) \|$/gm,
  );
  const guide = [...rows].map(([, number, provider, ends]) => ({ number, provider, ends }));
  expect(JSON.parse(JSON.stringify(guide).replaceAll("`", ""))).toEqual(SCENARIO_NUMBERS);
  const { call } = await assistant(() => success({}));
  expect(JSON.parse((await call("list_scenario_numbers")).text)).toEqual(SCENARIO_NUMBERS);
});
