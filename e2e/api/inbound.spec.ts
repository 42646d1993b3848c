import { randomInt } from "node:crypto";
import type { InboundMessage } from "@/server/inbound/schema";
import type { Sender } from "@/server/senders/schema";
import type { AnyEvent, CreatedWebhookEndpoint } from "@/server/webhooks/schema";
import { requiresKey, requiresPermission } from "../support/access";
import { replyFromHandset } from "../support/behind-the-api";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { ISO } from "../support/follow";
import type { Operator } from "../support/operator";
import { openWebhook } from "../support/signature";

const UNKNOWN = "/inbound/inb_01k9x7t4m2e8v5q3r6w1y0z8ab";
const HANDSET = "+14155550123";

async function newLine(rest: CheckedApi, operator: Operator): Promise<string> {
  const line = `+1646${randomInt(1_000_000, 9_999_999)}`;
  const { id } = await rest.post<Sender>("/senders/create", { sender_id: line });
  await operator.approveSender(id);
  return line;
}

const listOf = async (rest: CheckedApi, query = "") => (await rest.page<InboundMessage>(`/inbound${query}`)).items;

test("a reply is listed, read, and posted to the endpoint that names the event", async ({
  rest,
  operator,
  receiver,
}) => {
  const line = await newLine(rest, operator);
  const endpoint = await rest.post<CreatedWebhookEndpoint>("/webhooks/create", {
    url: receiver.url,
    events: ["message.received"],
  });
  expect(endpoint.events).toEqual(["message.received"]);
  await replyFromHandset(HANDSET.slice(1), line.slice(1), "Is the table free?");
  await expect.poll(() => receiver.received.length).toBe(1);
  const message = {
    id: expect.stringMatching(/^inb_[0-9a-z]{26}$/),
    object: "inbound_message",
    from: HANDSET,
    to: line,
    body: "Is the table free?",
    action: null,
    provider: "sandbox",
    provider_message_id: expect.any(String),
    received_at: ISO,
    created_at: ISO,
  };
  const [listed] = await listOf(rest);
  expect(listed).toEqual(message);
  expect(await rest.get(`/inbound/${listed?.id}`)).toEqual(listed);
  const [request] = receiver.received;
  const posted = request && openWebhook(request, endpoint.signing_secret);
  expect(posted).toMatchObject({ type: "message.received", data: listed });
  const { items } = await rest.page<AnyEvent>("/events?type=message.received");
  expect(items).toEqual([posted]);
  expect((await rest.page("/events")).items, "which callers of the contract read").toEqual([]);
});

test("STOP and START are listed with their effects", async ({ rest, operator }) => {
  const line = await newLine(rest, operator);
  const actions = async () => (await listOf(rest, `?to=${encodeURIComponent(line)}`)).map(({ action }) => action);
  await replyFromHandset(HANDSET, line, "STOP");
  await expect.poll(actions).toEqual(["opt_out"]);
  await replyFromHandset(HANDSET, line, "START");
  await expect.poll(actions).toEqual(["opt_in", "opt_out"]);
});

test("the list is filtered, and paged", async ({ rest, operator }) => {
  const line = await newLine(rest, operator);
  for (const [place, from] of [HANDSET, "+442071838750", HANDSET].entries()) {
    await replyFromHandset(from, line, `text ${place}`);
    await expect.poll(async () => (await listOf(rest)).length).toBe(place + 1);
  }
  const textsOf = async (query: string) => (await listOf(rest, query)).map(({ body }) => body);
  expect(await textsOf(`?from=${encodeURIComponent(HANDSET)}`)).toEqual(["text 2", "text 0"]);
  expect(await textsOf(`?from=${HANDSET}`), "its plus arrives as a space").toEqual(["text 2", "text 0"]);
  expect(await textsOf(`?to=${line.slice(1)}`)).toHaveLength(3);
  expect(await textsOf("?created_before=2026-01-01T00:00:00Z")).toEqual([]);
  expect((await rest.page("/inbound?limit=2&page=2")).pagination).toEqual({
    page: 2,
    limit: 2,
    total: 3,
    pages: 2,
    has_more: false,
  });
});

test("another account sees none of it", async ({ rest, operator, stranger }) => {
  const line = await newLine(rest, operator);
  await replyFromHandset(HANDSET, line, "Hello");
  await expect.poll(async () => (await listOf(rest)).length).toBe(1);
  const [message] = await listOf(rest);
  expect(await listOf(stranger.rest)).toEqual([]);
  await stranger.rest.refusal(404, { method: "GET", path: `/inbound/${message?.id}` });
});

test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
  await rest.refusal(404, { method: "GET", path: UNKNOWN });
  expect(await rest.refusal(400, { method: "GET", path: "/inbound/%00" })).toMatchObject({ param: "id" });
});

test("an invalid filter is a 400 that names it", async ({ rest }) => {
  const error = await rest.refusal(400, { method: "GET", path: "/inbound?created_after=yesterday" });
  expect(error.param).toBe("created_after");
});

test.describe("GET /inbound", () => {
  requiresPermission("sms:read", () => ({ method: "GET", path: "/inbound" }));

  requiresKey("GET", "/inbound");
});

test.describe("GET /inbound/{id}", () => {
  requiresPermission("sms:read", async (rest, account) => {
    await replyFromHandset(HANDSET, account.sender, "Hello");
    await expect.poll(async () => (await listOf(rest)).length).toBe(1);
    return { method: "GET", path: `/inbound/${(await listOf(rest))[0]?.id}` };
  });

  requiresKey("GET", UNKNOWN);
});
