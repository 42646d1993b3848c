import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { infobip } from "./infobip";

const settings = infobip.settings.parse({ apiKey: "key1", baseUrl: "https://xyz.api.infobip.com" });

const plain = { encoding: "GSM-7", segments: 1 } as const;
const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: { id: "msg_1", to: "+41793026727", from: "+447491163443", body: "Hello", ...plain, ...message },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.test/api/receipts/infobip/token?ref=msg_1-1",
});

const sent = (given: SendRequest) => JSON.parse(infobip.buildRequest(given, settings).body ?? "").messages[0];
const textOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));
const answer = (status: number, body: unknown) => ({ status, headers: {}, body: textOf(body) });
const read = (status: number, body: unknown) => infobip.readResponse(answer(status, body));
const lookUp = (status: number, body: unknown) => infobip.readLookUp?.(answer(status, body), sendRequest());
const message = (groupId: number, id: number) => ({
  messageId: "msg_1-1",
  status: { groupId, groupName: "GROUP", id, name: "NAME", description: "as given" },
  destination: "41793026727",
});
const about = (groupId: number, id: number) => ({ bulkId: "2034", messages: [message(groupId, id)] });

const callback = (body: unknown): Callback => ({
  method: "POST",
  url: "https://sms.example.test/api/receipts/infobip/token?ref=msg_7-1",
  headers: { "content-type": "application/json" },
  body: Buffer.from(textOf(body)),
});

const result = (groupId: number, id: number, more: Record<string, unknown> = {}) => ({
  ...message(groupId, id),
  to: "41793026727",
  sentAt: "2019-11-09T16:00:00.000+0000",
  doneAt: "2019-11-09T16:00:05.000+0000",
  error: { groupId: 0, groupName: "OK", id: 0, name: "NO_ERROR", permanent: false },
  callbackData: "msg_1-1",
  ...more,
});

const contentOf = (...results: unknown[]) => infobip.readCallback(callback({ results }));
const report = (...given: Parameters<typeof result>) => contentOf(result(...given)).reports[0];

describe("the request", () => {
  it("makes our reference the message id, and asks for receipts at our URL", () => {
    const { method, url, headers } = infobip.buildRequest(sendRequest(), settings);
    expect([method, url]).toEqual(["POST", "https://xyz.api.infobip.com/sms/3/messages"]);
    expect(headers).toMatchObject({ authorization: "App key1", accept: "application/json" });
    expect(sent(sendRequest())).toEqual({
      sender: "447491163443",
      destinations: [{ to: "41793026727", messageId: "msg_1-1" }],
      content: { text: "Hello" },
      webhooks: {
        delivery: {
          url: "https://sms.example.test/api/receipts/infobip/token?ref=msg_1-1",
          intermediateReport: true,
        },
        contentType: "application/json",
        callbackData: "msg_1-1",
      },
    });
  });

  it("writes senders in the provider's form", () => {
    const written = (...senders: string[]) => senders.map((from) => sent(sendRequest({ from })).sender);
    expect(written("+447491163443", "447491163443", "55444", "InfoSMS")).toEqual([
      "447491163443",
      "447491163443",
      "55444",
      "InfoSMS",
    ]);
  });

  it("carries any text unchanged", () => {
    const body = "“quoted” é € 😀\n\\ çok güzel";
    expect(sent(sendRequest({ body, encoding: "UCS-2" })).content).toEqual({ text: body });
  });

  it("goes to the shared address by default", () => {
    expect(infobip.settings.parse({ apiKey: "key1" }).baseUrl).toBe("https://api.infobip.com");
  });
});

describe("the response", () => {
  const accepted = { kind: "accepted", providerMessageIds: ["msg_1-1"] };

  it.each([
    [1, 26],
    [1, 7],
    [3, 2],
    [3, 5],
  ])("200 with status group %i, id %i is accepted", (groupId, id) => {
    expect(read(200, about(groupId, id))).toEqual(accepted);
  });

  it("a duplicate message id was accepted the first time", () => {
    expect(read(200, about(5, 23))).toEqual(accepted);
  });

  it.each([8, 10, 14, 20, 24, 51, 52])("200 with a rejection of id %i is refused for good", (id) => {
    expect(read(200, about(5, id))).toMatchObject({ kind: "refused", code: String(id) });
  });

  it.each([
    ["account", 5, [12, 17]],
    ["message", 5, [6, 11, 13, 18, 19, 25, 87]],
    ["message", 2, [4]],
    ["message", 4, [15]],
    ["provider", 5, [21, 100]],
  ])("fault %s: 200 with status group %i and any of %j is retryable", (fault, groupId, ids) => {
    for (const id of ids) {
      expect(read(200, about(groupId, id))).toMatchObject({ kind: "retryable", code: String(id), fault });
    }
  });

  it("an unknown rejection is retryable, with Infobip's text for operators", () => {
    const detail = "The provider did not take the message.";
    const outcome = { kind: "retryable", code: "999", detail, providerDetail: "As given.", fault: "message" };
    expect(read(200, about(5, 999))).toEqual(outcome);
  });

  it("reads the names of version 2 as well", () => {
    const { destination: to, ...rest } = message(1, 26);
    expect(read(200, { messages: [{ ...rest, to, smsCount: 1 }] })).toEqual(accepted);
  });

  it("200 without a message, its id or its status is an unknown outcome", () => {
    const { messageId, status } = message(1, 26);
    for (const broken of ["OK", { messages: [] }, { messages: [{ status }] }, { messages: [{ messageId }] }]) {
      expect(() => read(200, broken)).toThrow();
    }
  });

  const gateway = (messageId: string) => ({ requestError: { serviceException: { messageId, text: "a text" } } });

  it.each([
    [401, gateway("UNAUTHORIZED"), "UNAUTHORIZED", "account"],
    [403, gateway("FORBIDDEN"), "FORBIDDEN", "account"],
    [404, gateway("NOT_FOUND"), "NOT_FOUND", "account"],
    [429, gateway("TOO_MANY_REQUESTS"), "TOO_MANY_REQUESTS", "throttled"],
    [500, gateway("GENERAL_ERROR"), "GENERAL_ERROR", "provider"],
    [400, { errorCode: "E400", description: "a text", violations: [] }, "E400", "message"],
    [401, { errorCode: "E401", description: "a text" }, "E401", "account"],
  ])("HTTP %i with %j is retryable: code %s, fault %s", (status, body, code, fault) => {
    expect(read(status, body)).toMatchObject({ kind: "retryable", code, providerDetail: "A text.", fault });
  });

  it("an unreadable HTTP 5xx has the fault provider", () => {
    const expected = { kind: "retryable", code: "http_503", fault: "provider" };
    for (const body of ["", "<html>", "null", "[]"]) expect(read(503, body)).toMatchObject(expected);
  });
});

describe("the look-up", () => {
  it("asks the log for our reference", () => {
    expect(infobip.buildLookUp?.(sendRequest(), settings)).toEqual({
      method: "GET",
      url: "https://xyz.api.infobip.com/sms/3/logs?messageId=msg_1-1",
      headers: { authorization: "App key1", accept: "application/json" },
      body: null,
    });
  });

  it.each([1, 2, 3, 4])("a message of status group %i was taken, whatever happened to it later", (groupId) => {
    const expected = { kind: "accepted", providerMessageIds: ["msg_1-1"] };
    expect(lookUp(200, { results: [message(groupId, 4)] })).toEqual(expected);
  });

  it("a rejected message was not taken, as in the response to a send", () => {
    expect(lookUp(200, { results: [message(5, 52)] })).toMatchObject({ kind: "refused", code: "52" });
    expect(lookUp(200, { results: [message(5, 12)] })).toMatchObject({ kind: "retryable", fault: "account" });
  });

  it.each([
    [200, { results: [] }],
    [200, { results: [{ ...message(1, 26), messageId: "msg_2-1" }] }],
    [200, "<html>"],
    [401, { requestError: {} }],
    [429, ""],
  ])("HTTP %i with %j proves nothing", (status, body) => {
    expect(lookUp(status, body)).toBeNull();
  });
});

describe("the callback", () => {
  it("reports the message by its id, with a valid time", () => {
    expect(report(3, 5)).toEqual({
      providerMessageId: "msg_1-1",
      reference: "msg_1-1",
      status: "delivered",
      code: null,
      detail: null,
      occurredAt: "2019-11-09T16:00:05.000+00:00",
    });
    expect(report(3, 5, { doneAt: "2019-11-09T18:00:05.000-0230" })?.occurredAt).toBe("2019-11-09T18:00:05.000-02:30");
    expect(report(3, 5, { doneAt: "soon" })?.occurredAt).toBe("2019-11-09T16:00:00.000+00:00");
  });

  it("reports the status in our terms", () => {
    const ours = (groupId: number, ...ids: number[]) => ids.map((id) => report(groupId, id)?.status);
    expect(ours(1, 3, 7, 26)).toEqual(["sent", "sent", "sent"]);
    expect(ours(3, 2, 5)).toEqual(["sent", "delivered"]);
    expect(ours(2, 4, 9, 31)).toEqual(["undelivered", "undelivered", "undelivered"]);
    expect(ours(4, 15, 29)).toEqual(["undelivered", "sent"]);
    expect(ours(5, 6, 12)).toEqual(["failed", "failed"]);
    expect(ours(9, 1)).toEqual([undefined]);
  });

  it("a failure has the code of the network, or else of the status", () => {
    const error = { groupId: 1, id: 27, name: "EC_ABSENT_SUBSCRIBER", description: "as given", permanent: false };
    expect(report(2, 9, { error })).toMatchObject({ code: "27", detail: "The handset was not reachable." });
    expect(report(2, 9, { error: { ...error, id: 31 } })).toMatchObject({
      code: "31",
      detail: "The message could not be delivered. The reason is not known.",
      providerDetail: "As given.",
    });
    expect(report(5, 12)).toMatchObject({ code: "12", detail: "The account's credit does not suffice." });
    expect(report(5, 12, { error: null })).toMatchObject({ code: "12" });
  });

  it("reads every result, even next to an unreadable one", () => {
    const other = { ...result(5, 52), messageId: "theirs", callbackData: undefined };
    const { reports } = contentOf(result(3, 5, { messageId: "2034" }), { status: "?" }, other);
    expect(reports.map(({ reference, status }) => [reference, status])).toEqual([
      ["msg_1-1", "delivered"],
      ["theirs", "failed"],
    ]);
  });

  it("contains messages from handsets", () => {
    const received = { messageId: "817790313235066447", from: "41793026727", to: "447491163443" };
    const ends = { providerMessageId: received.messageId, from: received.from, to: received.to };
    const receivedAt = "2019-11-09T16:00:00.000+0000";
    const full = { ...received, text: "INFO STOP", cleanText: "STOP", keyword: "INFO", receivedAt };
    expect(contentOf(full, { ...received, cleanText: "STOP" })).toEqual({
      reports: [],
      inbound: [
        { ...ends, text: "INFO STOP", occurredAt: expect.stringMatching(/^2019-11-09T16:00:00.000/) },
        { ...ends, text: "STOP" },
      ],
    });
  });

  it("throws when all of it is unreadable", () => {
    for (const body of ["", "<reportResponse/>", "{}", { results: [{ status: {} }] }]) {
      expect(() => infobip.readCallback(callback(body))).toThrow();
    }
    expect(contentOf()).toEqual({ reports: [], inbound: [] });
  });

  it("is authenticated by its secret URL alone", () => {
    expect(infobip.authenticate(callback("{}"), settings, new Date())).toEqual({ kind: "genuine", nonces: [] });
  });
});
