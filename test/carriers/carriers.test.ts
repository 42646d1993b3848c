import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Receiver, startReceiver } from "../network/receiver";
import { basicAuth, type HttpCarrier } from "./http-carrier";
import { startMessageBird } from "./messagebird";
import { startPlivo } from "./plivo";
import { startTelnyx } from "./telnyx";
import { startTwilio } from "./twilio";
import { startVonage } from "./vonage";

type Order = { to: string; text: string; receiptUrl: string };
type Settings = Record<string, string>;
type Wire = { url: string; headers: Record<string, string>; body: string };

const FORM = "application/x-www-form-urlencoded";
const json = (url: string, authorization: string, value: unknown): Wire => ({
  url,
  headers: { "content-type": "application/json", authorization },
  body: JSON.stringify(value),
});
const form = (url: string, authorization: string, fields: Record<string, string>): Wire => ({
  url,
  headers: { "content-type": FORM, ...(authorization && { authorization }) },
  body: new URLSearchParams(fields).toString(),
});

const carriers = [
  {
    name: "twilio",
    start: startTwilio,
    wire: (own: Settings, { to, text, receiptUrl }: Order) =>
      form(
        `${own.TWILIO_BASE_URL}/2010-04-01/Accounts/${own.TWILIO_ACCOUNT_SID}/Messages.json`,
        basicAuth(own.TWILIO_ACCOUNT_SID ?? "", own.TWILIO_AUTH_TOKEN ?? ""),
        { To: to, From: "+15005550006", Body: text, StatusCallback: receiptUrl },
      ),
    accepted: { status: 201, body: { sid: expect.stringMatching(/^SM[0-9a-f]{32}$/), num_segments: "2" } },
    refused: { status: 400, body: { code: 21610 } },
  },
  {
    name: "vonage",
    start: startVonage,
    wire: (own: Settings, { to, text, receiptUrl }: Order) =>
      form(`${own.VONAGE_BASE_URL}/sms/json`, "", {
        api_key: own.VONAGE_API_KEY ?? "",
        api_secret: own.VONAGE_API_SECRET ?? "",
        to: to.slice(1),
        from: "15005550006",
        text,
        callback: receiptUrl,
        "client-ref": "msg_1-1",
      }),
    accepted: { status: 200, body: { "message-count": "2", messages: [{ status: "0" }, { status: "0" }] } },
    refused: { status: 200, body: { messages: [{ status: "7" }] } },
  },
  {
    name: "messagebird",
    start: startMessageBird,
    wire: (own: Settings, { to, text, receiptUrl }: Order) =>
      json(`${own.MESSAGEBIRD_BASE_URL}/messages`, `AccessKey ${own.MESSAGEBIRD_ACCESS_KEY}`, {
        originator: "Bird",
        recipients: [Number(to.slice(1))],
        body: text,
        datacoding: "auto",
        reference: "msg_1-1",
        reportUrl: receiptUrl,
      }),
    accepted: { status: 201, body: { id: expect.stringMatching(/^[0-9a-f]{32}$/), recipients: { totalCount: 1 } } },
    refused: { status: 422, body: { errors: [{ code: 9 }] } },
  },
  {
    name: "plivo",
    start: startPlivo,
    wire: (own: Settings, { to, text, receiptUrl }: Order) =>
      json(
        `${own.PLIVO_BASE_URL}/v1/Account/${own.PLIVO_AUTH_ID}/Message/`,
        basicAuth(own.PLIVO_AUTH_ID ?? "", own.PLIVO_AUTH_TOKEN ?? ""),
        { src: "15005550006", dst: to, text, url: receiptUrl },
      ),
    accepted: { status: 202, body: { message_uuid: [expect.stringMatching(/^[0-9a-f-]{36}$/)] } },
    refused: { status: 400, body: { error: expect.any(String) } },
  },
  {
    name: "telnyx",
    start: startTelnyx,
    wire: (own: Settings, { to, text, receiptUrl }: Order) =>
      json(`${own.TELNYX_BASE_URL}/messages`, `Bearer ${own.TELNYX_API_KEY}`, {
        to,
        from: "+15005550006",
        text,
        webhook_url: receiptUrl,
      }),
    accepted: { status: 200, body: { data: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), parts: 2 } } },
    refused: { status: 400, body: { errors: [{ code: "40300" }] } },
  },
] as const;

const TO = "+31612345678";
const TWO_PARTS = "a".repeat(161);

describe.each(carriers)("the emulated $name", ({ start, wire, accepted, refused }) => {
  let carrier: HttpCarrier;
  let receiver: Receiver;
  const send = (text = TWO_PARTS, signal: AbortSignal | null = null) => {
    const { url, ...init } = wire(carrier.environment, { to: TO, text, receiptUrl: `${receiver.url}?ref=msg_1-1` });
    return fetch(url, { method: "POST", signal, ...init });
  };
  beforeEach(async () => {
    [carrier, receiver] = await Promise.all([start(), startReceiver()]);
  });
  afterEach(() => Promise.all([carrier.close(), receiver.close()]));

  test("takes a message and records it under the ids in its response", async () => {
    const response = await send();
    const text = await response.text();
    expect(response.status).toBe(accepted.status);
    expect(JSON.parse(text)).toMatchObject(accepted.body);
    expect(carrier.problems).toEqual([]);
    expect(carrier.taken).toMatchObject([{ to: TO, text: TWO_PARTS, parts: 2, reference: "msg_1-1" }]);
    const [taken] = carrier.taken;
    expect(taken?.ids.length).toBeGreaterThan(0);
    for (const id of taken?.ids ?? []) expect(text).toContain(id);
  });

  test("handles the requests for a number as planned, in order, and then takes them", async () => {
    carrier.plan(TO, { kind: "refuse" }, { kind: "reset" }, { kind: "reset-unread" });
    carrier.plan(TO, { kind: "malformed" }, { kind: "slow", ms: 20 });
    const response = await send();
    expect(response.status).toBe(refused.status);
    expect(await response.json()).toMatchObject(refused.body);
    await expect(send()).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(carrier.taken).toHaveLength(1);
    await expect(send()).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(carrier.taken).toHaveLength(1);
    await expect((await send()).json()).rejects.toThrow(SyntaxError);
    await (await send()).json();
    await (await send()).json();
    expect(carrier.taken).toHaveLength(4);
    expect(carrier.requestsFor(TO)).toBe(6);
    expect(carrier.requestsFor("+31600000000")).toBe(0);
  });

  test.each(["hang", "hang-unread"] as const)("leaves a request without a response: %s", async (kind) => {
    carrier.plan(TO, { kind });
    const gone = new AbortController();
    const answered = send(TWO_PARTS, gone.signal);
    answered.catch(() => undefined);
    await vi.waitUntil(() => carrier.requestsFor(TO) === 1);
    gone.abort();
    await expect(answered).rejects.toMatchObject({ name: "AbortError" });
    expect(carrier.taken).toHaveLength(kind === "hang" ? 1 : 0);
  });

  test("sends a receipt about each id, and the same bytes again when it is replayed", async () => {
    await send();
    const [message] = carrier.taken;
    if (!message) throw new Error("Nothing was taken.");
    const all = message.ids.map(() => 200);
    expect(await carrier.report(message, "delivered", receiver.url)).toEqual(all);
    expect(await carrier.report(message, "delivered", receiver.url, { fault: "replayed" })).toEqual(all);
    expect(receiver.received.slice(all.length)).toEqual(receiver.received.slice(0, all.length));
    for (const [index, id] of message.ids.entries()) {
      const { path = "", body } = receiver.received[index] ?? {};
      expect(path).toMatch(/^\/hook\?ref=msg_1-1/);
      expect(path + body).toContain(id);
      expect(path + body).toContain("delivered");
    }
    expect(await carrier.report(message, "failed", receiver.url, { part: 0, fault: "forged" })).toEqual([200]);
    expect(await carrier.inbound({ from: TO, to: "+15005550006", text: "STOP" }, receiver.url)).toBe(200);
    expect(String(receiver.received.at(-1)?.body)).toContain("STOP");
  });

  test("records the problem of an invalid request, and responds without using up the plan", async () => {
    carrier.plan(TO, { kind: "refuse" });
    const { url, headers, body } = wire(carrier.environment, { to: TO, text: "x", receiptUrl: receiver.url });
    await fetch(`${url}?a=b`, { method: "POST", headers, body });
    await fetch(url, { method: "POST", headers: { ...headers, authorization: "Basic eDp5" }, body });
    await send("");
    expect(carrier.problems).toHaveLength(3);
    expect((await send()).status).toBe(refused.status);
    expect(carrier.taken).toEqual([]);
  });
});

/** Sends with other fields than usual. @returns the messages that the carrier then has. */
async function sendWith(carrier: HttpCarrier, name: (typeof carriers)[number]["name"], text: string, fields: Settings) {
  const { wire } = carriers.find((one) => one.name === name) ?? carriers[0];
  const usual = wire(carrier.environment, { to: TO, text, receiptUrl: "http://127.0.0.1:9/hook" });
  const isForm = usual.headers["content-type"] === FORM;
  const body = isForm
    ? new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(usual.body)), ...fields }).toString()
    : JSON.stringify({ ...JSON.parse(usual.body), ...fields });
  await fetch(usual.url, { method: "POST", headers: usual.headers, body });
  await carrier.close();
  return { taken: carrier.taken.at(-1), problems: carrier.problems };
}

test.each([
  ["vonage", {}, "5€ für ?i"],
  ["vonage", { type: "unicode" }, "5€ für ŝi"],
  ["messagebird", { datacoding: "plain" }, "5€ für ?i"],
  ["messagebird", { datacoding: "unicode" }, "5€ für ŝi"],
] as const)("characters that GSM-7 lacks may be lost with %s and %o: %s", async (name, fields, arrives) => {
  const carrier = name === "vonage" ? await startVonage() : await startMessageBird();
  expect((await sendWith(carrier, name, "5€ für ŝi", fields)).taken?.text).toBe(arrives);
});

test.each([
  [startTwilio, "OptOutType=STOP"],
  [startTelnyx, '"autoresponse_type":"STOP"'],
] as const)("a carrier reports a keyword of its own list as a STOP: %#", async (start, field) => {
  const [carrier, receiver] = await Promise.all([start(), startReceiver()]);
  for (const text of ["ARRET", "Bonjour"]) await carrier.inbound({ from: TO, to: "+15005550006", text }, receiver.url);
  const [recognized, other] = receiver.received.map(({ body }) => String(body));
  expect(recognized).toContain(field);
  expect(other).not.toContain(field);
  await Promise.all([carrier.close(), receiver.close()]);
});

test("messagebird sends no receipt about a message without a reference", async () => {
  const carrier = await startMessageBird();
  const { url, headers, body } = carriers[2].wire(carrier.environment, {
    to: TO,
    text: "x",
    receiptUrl: "http://127.0.0.1:9/",
  });
  const { reference: _, ...rest } = JSON.parse(body);
  await fetch(url, { method: "POST", headers, body: JSON.stringify(rest) });
  const [message] = carrier.taken;
  expect(message && (await carrier.report(message, "delivered", "http://127.0.0.1:9/"))).toEqual([]);
  await carrier.close();
});

test.each([
  ["twilio", startTwilio, { To: "31612345678" }],
  ["twilio", startTwilio, { From: "+" }],
  ["vonage", startVonage, { to: TO }],
  ["vonage", startVonage, { ttl: "3600" }],
  ["messagebird", startMessageBird, { datacoding: "gsm" }],
  ["plivo", startPlivo, { message_expiry: "3600" }],
  ["telnyx", startTelnyx, { to: "31612345678" }],
  ["telnyx", startTelnyx, { from: "Bird" }],
] as const)("%s does not take a request with a field of the wrong form: %#", async (name, start, fields) => {
  const { taken, problems } = await sendWith(await start(), name, "x", fields);
  expect(taken).toBeUndefined();
  expect(problems).toHaveLength(1);
});
