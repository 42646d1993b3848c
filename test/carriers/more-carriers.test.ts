import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Receiver, startReceiver, status } from "../network/receiver";
import { startAfricastalking } from "./africastalking";
import { startBandwidth } from "./bandwidth";
import type { TakenMessage } from "./carrier";
import { startClickatell } from "./clickatell";
import { basicAuth, type HttpCarrier } from "./http-carrier";
import { startInfobip } from "./infobip";
import { signSinchCallback, startSinch } from "./sinch";

type Own = Record<string, string>;
type Order = { to: string; text: string; receiptUrl: string };
type Wire = { url: string; headers: Record<string, string>; body: string };

const TOKEN = "Zk3_secret-in-the-path-9x";
const REFERENCE = "msg_1-1";
const TO = "+254711000001";

const json = (url: string, authorization: string, value: unknown): Wire => ({
  url,
  headers: { "content-type": "application/json", accept: "application/json", authorization },
  body: JSON.stringify(value),
});
const sinchUrl = (own: Own) => `${own.SINCH_BASE_URL}/xms/v1/${own.SINCH_SERVICE_PLAN_ID}/batches`;
const rejected = (id: number) => ({ messages: [{ status: { groupId: 5, id } }] });
const recipient = (fields: object) => ({ SMSMessageData: { Recipients: [fields] } });

const carriers = [
  {
    name: "sinch",
    start: startSinch,
    wire: (own: Own, { to, text, receiptUrl }: Order) =>
      json(sinchUrl(own), `Bearer ${own.SINCH_API_TOKEN}`, {
        to: [to.slice(1)],
        from: "15005550006",
        body: text,
        delivery_report: "per_recipient",
        callback_url: receiptUrl,
        client_reference: REFERENCE,
      }),
    accepted: [201, { id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/), to: [TO.slice(1)], canceled: false }],
    refuse: [400, { code: "syntax_invalid_parameter_format" }],
    failures: [503, 429, 401],
    report: { type: "recipient_delivery_report_sms", code: 0, status: "Delivered", client_reference: REFERENCE },
    idIn: (report: Record<string, unknown>) => report.batch_id,
  },
  {
    name: "infobip",
    start: startInfobip,
    wire: (own: Own, { to, text, receiptUrl }: Order) =>
      json(`${own.INFOBIP_BASE_URL}/sms/3/messages`, `App ${own.INFOBIP_API_KEY}`, {
        messages: [
          {
            sender: "InfoSMS",
            destinations: [{ to: to.slice(1), messageId: REFERENCE }],
            content: { text },
            webhooks: { delivery: { url: receiptUrl, intermediateReport: true }, callbackData: REFERENCE },
            options: { includeSmsCountInResponse: true },
          },
        ],
      }),
    accepted: [
      200,
      { messages: [{ messageId: REFERENCE, status: { groupId: 1, id: 26 }, details: { messageCount: 2 } }] },
    ],
    refuse: [200, rejected(14)],
    failures: [200, 429, 200],
    report: { results: [{ status: { groupId: 3, id: 5 }, to: TO.slice(1), messageCount: 2, callbackData: REFERENCE }] },
    idIn: (report: Record<string, unknown>) => Object(Object(report.results)[0]).messageId,
  },
  {
    name: "africastalking",
    start: startAfricastalking,
    wire: (own: Own, { to, text }: Order): Wire => ({
      url: `${own.AFRICASTALKING_BASE_URL}/version1/messaging`,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
        apikey: own.AFRICASTALKING_API_KEY ?? "",
      },
      body: new URLSearchParams({ username: own.AFRICASTALKING_USERNAME ?? "", to, message: text }).toString(),
    }),
    accepted: [
      201,
      recipient({ statusCode: 101, number: TO, messageId: expect.stringMatching(/^ATXid_[0-9a-f]{32}$/) }),
    ],
    refuse: [201, recipient({ statusCode: 403, messageId: "None", cost: "0" })],
    failures: [201, 429, 201],
    report: { status: "Success", phoneNumber: TO },
    idIn: (report: Record<string, unknown>) => report.id,
  },
  {
    name: "clickatell",
    start: startClickatell,
    wire: (own: Own, { to, text }: Order) =>
      json(`${own.CLICKATELL_BASE_URL}/v1/message`, own.CLICKATELL_API_KEY ?? "", {
        messages: [{ channel: "sms", to: to.slice(1), content: text, clientMessageId: REFERENCE }],
      }),
    accepted: [
      202,
      { messages: [{ apiMessageId: expect.stringMatching(/^[0-9a-f]{32}$/), accepted: true }], error: null },
    ],
    refuse: [400, { messages: [{ accepted: false, error: { code: 26 } }] }],
    failures: [207, 429, 401],
    report: { event: { messageStatusUpdate: [{ statusCode: 5, status: "DEVICE_ACK", clientMessageId: REFERENCE }] } },
    idIn: (report: Record<string, unknown>) => Object(report.event).messageStatusUpdate[0].messageId,
  },
  {
    name: "bandwidth",
    start: startBandwidth,
    wire: async (own: Own, { to, text }: Order) => {
      const granted = await fetch(own.BANDWIDTH_TOKEN_URL ?? "", {
        method: "POST",
        headers: { authorization: basicAuth(own.BANDWIDTH_CLIENT_ID ?? "", own.BANDWIDTH_CLIENT_SECRET ?? "") },
        body: new URLSearchParams({ grant_type: "client_credentials" }),
      });
      const { access_token: token } = (await granted.json()) as { access_token: string };
      return json(`${own.BANDWIDTH_BASE_URL}/users/${own.BANDWIDTH_ACCOUNT_ID}/messages`, `Bearer ${token}`, {
        applicationId: own.BANDWIDTH_APPLICATION_ID,
        to: [to],
        from: "+15005550006",
        text,
        tag: REFERENCE,
      });
    },
    accepted: [202, { id: expect.stringMatching(/^[0-9a-z]{29}$/), segmentCount: 2, direction: "out", tag: REFERENCE }],
    refuse: [400, { type: "request-validation", fieldErrors: [{ fieldName: "to" }] }],
    failures: [503, 429, 403],
    report: { type: "message-delivered", message: { text: "", tag: REFERENCE } },
    idIn: (report: Record<string, unknown>) => Object(report.message).id,
  },
] as const;

let product: Receiver;
let receiptUrl: string;

beforeEach(async () => {
  product = await startReceiver();
  receiptUrl = `${new URL(product.url).origin}/api/receipts/it/${TOKEN}?ref=${REFERENCE}`;
});
afterEach(() => product.close());

async function call({ url, headers, body }: Wire): Promise<[number, unknown]> {
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  return [response.status, text.startsWith("{") ? JSON.parse(text) : text];
}

/** The last callback, whatever its format; if it is a list, its only element. */
function lastReport(): Record<string, unknown> {
  const { headers, body } = product.received.at(-1) ?? { headers: {}, body: Buffer.alloc(0) };
  if (headers["content-type"]?.includes("urlencoded")) return Object.fromEntries(new URLSearchParams(String(body)));
  const value: unknown = JSON.parse(String(body));
  return Object(Array.isArray(value) ? value[0] : value);
}

describe.each(carriers)("$name", ({ name, start, wire, accepted, refuse, failures, report, idIn }) => {
  let carrier: HttpCarrier;
  const text = "a".repeat(161);
  const send = async () => call(await wire(carrier.environment, { to: TO, text, receiptUrl }));
  const firstTaken = (): TakenMessage => {
    const [message] = carrier.taken;
    if (!message) throw new Error("Nothing was taken.");
    return message;
  };

  beforeEach(async () => {
    carrier = await start();
  });
  afterEach(() => carrier.close());

  test("takes a message and reports on it", async () => {
    expect(await send()).toMatchObject(accepted);
    expect(carrier.problems).toEqual([]);
    expect(carrier.taken).toMatchObject([{ to: TO, text, parts: 2, ids: [expect.any(String)] }]);
    expect(carrier.requestsFor(TO)).toBe(1);

    expect(await carrier.report(firstTaken(), "delivered", receiptUrl)).toEqual([200]);
    expect(lastReport()).toMatchObject(report);
    expect(idIn(lastReport())).toBe(firstTaken().ids[0]);
    for (const other of ["sent", "undelivered", "failed"] as const) {
      expect(await carrier.report(firstTaken(), other, receiptUrl)).toEqual([200]);
    }
  });

  test("responds like the real one, and takes no message that it is planned to refuse", async () => {
    carrier.plan(TO, { kind: "refuse" }, { kind: "unavailable" }, { kind: "throttle" }, { kind: "account" });
    const [code, body] = await send();
    expect([code, body]).toMatchObject(refuse);
    for (const expected of failures) expect((await send())[0]).toBe(expected);
    expect(carrier.taken).toHaveLength(0);
    expect(await send()).toMatchObject(accepted);
    expect(carrier.requestsFor(TO)).toBe(5);
  });

  test("takes nothing with wrong credentials or unknown fields", async () => {
    const good = await wire(carrier.environment, { to: TO, text, receiptUrl });
    const wrong = Object.entries(good.headers).map(([name, value]) => [
      name,
      name === "authorization" || name === "apikey" ? `${value}0` : value,
    ]);
    expect((await call({ ...good, headers: Object.fromEntries(wrong) }))[0]).toBe(401);
    const [code] = await call({ ...good, url: `${good.url}/` });
    expect(code).toBeGreaterThanOrEqual(400);
    const more = good.body.startsWith("{")
      ? good.body.replace(/}\]}$|}$/, (end) => `,"nope":1${end}`)
      : `${good.body}&nope=1`;
    expect((await call({ ...good, body: more }))[0]).toBe(400);
    expect(carrier.taken).toHaveLength(0);
    expect(carrier.problems).toHaveLength(3);
  });

  test("can send a forged receipt, and one twice", async () => {
    await send();
    product.respondWith((response, { path, headers }) => {
      const isAsked = name === "bandwidth" && !headers.authorization;
      if (isAsked) response.setHeader("www-authenticate", 'Basic realm="receipts"');
      status(isAsked ? 401 : path.includes(TOKEN) ? 204 : 404)(response, Object());
    });
    await carrier.report(firstTaken(), "delivered", receiptUrl);
    const genuine = product.received.at(-1);
    expect(await carrier.report(firstTaken(), "delivered", receiptUrl, { fault: "replayed" })).toEqual([204]);
    expect(product.received.at(-1)?.body).toEqual(genuine?.body);
    await carrier.report(firstTaken(), "delivered", receiptUrl, { fault: "forged" });
    const forged = product.received.at(-1);
    const own = ({ path, headers }: { path: string; headers: object }) => ({ path, headers });
    expect(forged && own(forged)).not.toEqual(genuine && own(genuine));
    expect(forged?.path).toHaveLength(genuine?.path.length ?? 0);
  });

  test("sends messages from handsets", async () => {
    expect(await carrier.inbound({ from: TO, to: "+15005550006", text: "STOP" }, receiptUrl)).toBe(200);
    expect(String(product.received.at(-1)?.body)).toContain("STOP");
  });
});

test("africastalking reports an opt-out from a name without a text", async () => {
  const [carrier, receiver] = await Promise.all([startAfricastalking(), startReceiver()]);
  await carrier.inbound({ from: TO, to: "SHOP", text: "" }, receiver.url);
  expect(Object.fromEntries(new URLSearchParams(String(receiver.received[0]?.body)))).toEqual({
    senderId: "SHOP",
    phoneNumber: TO,
  });
  await Promise.all([carrier.close(), receiver.close()]);
});

test("the sinch signer gives the value that its SDK gives", () => {
  const body =
    '{"at":"2025-01-13T09:22:40.914Z","batch_id":"01JHFFHQ0P99JPPNQPJDV7JTBP","client_reference":"a client reference",' +
    '"code":0,"operator_status_at":"2025-01-13T09:22:00Z","recipient":"33662162466","status":"Delivered",' +
    '"type":"recipient_delivery_report_sms"}';
  const signature = signSinchCallback("SMSWebhooksSecret", body, "01JHFFHWYY7HSS4FWTMDTQEK8V", "1736760161");
  expect(signature).toBe("ZoHei66PPN/kZjw7hFVfGhJOnml3iGNCMWoyQVcE5o0=");
});
