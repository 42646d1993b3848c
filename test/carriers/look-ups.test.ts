import { createHmac } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../network/receiver";
import { startInfobip } from "./infobip";
import { startSinch } from "./sinch";

const REFERENCE = "msg_1-1";
const TO = "+254711000001";

let product: Receiver;

beforeEach(async () => {
  product = await startReceiver();
});
afterEach(() => product.close());

const post = (url: string, authorization: string, value: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify(value),
  });
const get = async (url: string, authorization: string) => (await fetch(url, { headers: { authorization } })).json();

test("sinch signs the bytes that it sends, and lists the messages that it took", async () => {
  const carrier = await startSinch();
  const { SINCH_API_TOKEN, SINCH_WEBHOOK_SECRET = "", SINCH_BASE_URL, SINCH_SERVICE_PLAN_ID } = carrier.environment;
  const url = `${SINCH_BASE_URL}/xms/v1/${SINCH_SERVICE_PLAN_ID}/batches`;
  const authorization = `Bearer ${SINCH_API_TOKEN}`;
  await post(url, authorization, { to: [TO], body: "Hi", client_reference: REFERENCE });
  await carrier.inbound({ from: TO, to: "+15005550006", text: "Hi" }, product.url);
  const [callback] = product.received;
  const header = (name: string) => callback?.headers[`x-sinch-webhook-signature${name}`];
  const signed = `${callback?.body}.${header("-nonce")}.${header("-timestamp")}`;
  expect(header("")).toBe(createHmac("sha256", SINCH_WEBHOOK_SECRET).update(signed).digest("base64"));

  const list = (reference: string) => get(`${url}?client_reference=${reference}`, authorization);
  expect(await list(REFERENCE)).toMatchObject({ count: 1, batches: [{ id: carrier.taken[0]?.ids[0] }] });
  expect(await list("msg_2-1")).toMatchObject({ count: 0, batches: [] });
  expect(carrier.problems).toEqual([]);
  // The message asked for no reports.
  const [message] = carrier.taken;
  expect(message && (await carrier.report(message, "delivered", product.url))).toEqual([]);
  await carrier.close();
});

test("infobip finds taken messages by id, and accepts an id only once", async () => {
  const carrier = await startInfobip();
  const { INFOBIP_API_KEY, INFOBIP_BASE_URL } = carrier.environment;
  const authorization = `App ${INFOBIP_API_KEY}`;
  const destinations = [{ to: TO.slice(1), messageId: REFERENCE }];
  const order = { messages: [{ sender: "InfoSMS", destinations, content: { text: "Hi" } }] };
  const send = () => post(`${INFOBIP_BASE_URL}/sms/3/messages`, authorization, order);
  const logs = (id: string) => get(`${INFOBIP_BASE_URL}/sms/3/logs?messageId=${id}`, authorization);

  carrier.plan(TO, { kind: "reset-unread" }, { kind: "refuse" }, { kind: "reset" });
  await expect(send()).rejects.toThrow();
  expect(await (await send()).json()).toMatchObject({ messages: [{ status: { groupId: 5, id: 14 } }] });
  expect(await logs(REFERENCE)).toEqual({ results: [] });
  await expect(send()).rejects.toThrow();
  expect(await logs(REFERENCE)).toMatchObject({ results: [{ messageId: REFERENCE, status: { groupId: 1, id: 26 } }] });
  expect(await logs("msg_2-1")).toEqual({ results: [] });
  expect(await (await send()).json()).toMatchObject({ messages: [{ status: { groupId: 5, id: 23 } }] });
  expect(carrier.taken).toHaveLength(1);
  expect(carrier.problems).toEqual([]);
  await carrier.close();
});
