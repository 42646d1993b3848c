import { describe, expect, it } from "vitest";
import type { Callback } from "../port";
import { clickatell } from "./clickatell";

const settings = clickatell.settings.parse({ apiKey: "key==" });
const ID = "77fb29998253415fa5d66971d519d362";

const callback = (body: unknown, query = ""): Callback => ({
  method: "POST",
  url: `https://sms.example.test/api/receipts/clickatell/token${query}`,
  headers: { "content-type": "application/json" },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

const report = (fields: Record<string, unknown>) => ({
  integrationName: "shop",
  messageId: ID,
  requestId: "r1",
  clientMessageId: "msg_1-1",
  to: "27999123456",
  from: "27999000111",
  timestamp: 1_769_860_800_000,
  ...fields,
});

const event = (content: unknown): Callback =>
  callback({ integrationId: "fa80", integrationName: "My integration", event: content });

const update = (fields: Record<string, unknown>) => ({
  channel: "sms",
  messageId: ID,
  clientMessageId: "msg_1-1",
  timestamp: 1_769_860_800_000,
  ...fields,
});

const reply = {
  channel: "sms",
  messageId: "m1",
  from: "27999123456",
  to: "27999000111",
  timestamp: 1_769_860_800_000,
  charset: "UTF-8",
};

describe("a callback of the One API", () => {
  const read = (...updates: unknown[]) => clickatell.readCallback(event({ messageStatusUpdate: updates })).reports;

  it.each([
    [2, "QUEUED", "sent"],
    [3, "SCHEDULED", "sent"],
    [4, "SENT_TO_SUPPLIER", "sent"],
    [5, "DEVICE_ACK", "delivered"],
    [6, "READ", "delivered"],
  ])("with the status %d %s reports: %s", (statusCode, status, ours) => {
    const expected = {
      providerMessageId: ID,
      reference: "msg_1-1",
      status: ours,
      code: null,
      detail: null,
      occurredAt: "2026-01-31T12:00:00.000Z",
    };
    expect(read(update({ statusCode, status }))).toEqual([expected]);
    expect(read(update({ statusCode }))).toEqual([expected]);
  });

  it.each([
    [20, "EXPIRED", "undelivered"],
    [21, "STOPPED_BY_USER", "failed"],
    [22, "STOPPED_BY_ADMIN", "failed"],
    [23, "DELIVERY_FAILURE", "undelivered"],
    [25, "INSUFFICIENT_ACCOUNT_BALANCE", "failed"],
    [26, "VOLUME_LIMIT", "failed"],
    [27, "VOLUME_LIMIT_DAILY", "failed"],
    [28, "VOLUME_LIMIT_MONTHLY", "failed"],
    [29, "RECIPIENT_DOES_NOT_EXIST", "failed"],
    [100, "ROUTING_ERROR", "failed"],
  ])("with the status %d %s reports %s with a reason", (statusCode, status, ours) => {
    const expected = [{ status: ours, code: status, detail: expect.any(String) }];
    expect(read(update({ statusCode, status }))).toMatchObject(expected);
    expect(read(update({ statusCode }))).toMatchObject(expected);
  });

  it("trusts the name of a status rather than its number", () => {
    expect(read(update({ statusCode: 5, status: "SENT_TO_SUPPLIER" }))).toMatchObject([{ status: "sent" }]);
    expect(read(update({ statusCode: 999, status: "constructor" }))).toEqual([]);
  });

  it("may have several events", () => {
    const both = {
      messageStatusUpdate: [update({ status: "DEVICE_ACK" }), update({ messageId: "m2", status: "EXPIRED" })],
      moText: [{ ...reply, content: "STOP" }],
    };
    expect(clickatell.readCallback(event(both))).toMatchObject({
      reports: [{ providerMessageId: ID }, { providerMessageId: "m2" }],
      inbound: [{ providerMessageId: "m1" }],
    });
  });

  it("with moText has messages from handsets", () => {
    const occurredAt = "2026-01-31T12:00:00.000Z";
    const expected = { providerMessageId: "m1", from: "27999123456", to: "27999000111", occurredAt };
    const readText = (fields: Record<string, unknown>) =>
      clickatell.readCallback(event({ moText: [{ ...reply, ...fields }] }));
    expect(readText({ content: "STOP" })).toEqual({ reports: [], inbound: [{ ...expected, text: "STOP" }] });
    // As in the vendor's own example.
    expect(readText({ channel: "SMS ", content: null }).inbound).toEqual([{ ...expected, text: "" }]);
  });

  it("about another channel or another kind of event is ignored", () => {
    const nothing = { reports: [], inbound: [] };
    const whatsapp = { channel: "whatsapp" };
    expect(clickatell.readCallback(event({ messageStatusUpdate: [whatsapp], moText: [whatsapp] }))).toEqual(nothing);
    expect(clickatell.readCallback(event({ moLocation: [{ channel: "sms" }] }))).toEqual(nothing);
    expect(clickatell.readCallback(event({}))).toEqual(nothing);
  });

  it("without an id is unreadable", () => {
    expect(() => read({ channel: "sms", status: "DEVICE_ACK" })).toThrow();
    expect(() => clickatell.readCallback(event(null))).toThrow();
  });
});

describe("a callback", () => {
  const fromHandset = { messageId: "m1", fromNumber: "27999123456", toNumber: "27999000111" };

  it("is verified by the secret path alone", () => {
    const at = new Date("2026-01-31T12:00:00Z");
    expect(clickatell.authenticate(callback({}), settings, at)).toEqual({ kind: "genuine", nonces: [] });
  });

  it.each([
    [2, "sent"],
    [3, "sent"],
    [4, "delivered"],
    [8, "sent"],
    [11, "sent"],
  ])("with the code %d reports: %s", (statusCode, status) => {
    expect(clickatell.readCallback(callback(report({ statusCode, status: "WHATEVER" })))).toEqual({
      reports: [
        {
          providerMessageId: ID,
          reference: "msg_1-1",
          status,
          code: null,
          detail: null,
          occurredAt: "2026-01-31T12:00:00.000Z",
        },
      ],
      inbound: [],
    });
  });

  it.each([
    [1, "failed"],
    [5, "failed"],
    [6, "failed"],
    [7, "undelivered"],
    [9, "failed"],
    [10, "undelivered"],
    [12, "failed"],
    [14, "failed"],
  ])("with the code %d reports %s with a reason", (statusCode, status) => {
    const { reports } = clickatell.readCallback(callback(report({ statusCode })));
    expect(reports).toMatchObject([{ status, code: `${statusCode}`, detail: expect.any(String) }]);
  });

  it("is read by the name of its status without a known code", () => {
    const read = (fields: Record<string, unknown>) => clickatell.readCallback(callback(report(fields))).reports;
    expect(read({ status: "DEVICE_ACK" })).toMatchObject([{ status: "delivered", code: null }]);
    expect(read({ statusCode: 77, status: "EXPIRED" })).toMatchObject([{ status: "undelivered", code: "EXPIRED" }]);
    expect(read({ statusCode: 77, status: "constructor" })).toEqual([]);
  });

  it("without a reference has the one in its URL, or none; without a time it has none", () => {
    const body = report({ statusCode: 4, clientMessageId: null, timestamp: null });
    expect(clickatell.readCallback(callback(body, "?ref=msg_1-2")).reports).toMatchObject([
      { reference: "msg_1-2", occurredAt: null },
    ]);
    expect(clickatell.readCallback(callback(body)).reports).toMatchObject([{ reference: null }]);
    expect(clickatell.readCallback(callback({ ...body, timestamp: "soon" })).reports).toMatchObject([
      { occurredAt: null },
    ]);
  });

  it("with fromNumber is a message from a handset", () => {
    const body = { ...fromHandset, text: "STOP", timestamp: 1_769_860_800_000 };
    const inbound = { providerMessageId: "m1", from: "27999123456", to: "27999000111", text: "STOP" };
    const occurredAt = "2026-01-31T12:00:00.000Z";
    expect(clickatell.readCallback(callback(body))).toEqual({ reports: [], inbound: [{ ...inbound, occurredAt }] });
    expect(clickatell.readCallback(callback({ ...body, timestamp: "soon" })).inbound).toEqual([inbound]);
  });

  it.each([
    ["STOP", "UTF-16BE", "%00S%00T%00O%00P"],
    ["STOP", "UTF-16BE", "STOP"],
    ["Ждать нельзя", "UTF-16BE", "%04%16%044%040%04B%04L%00+%04%3D%045%04%3B%04L%047%04O"],
    ["¡Hola! 1+1", "ISO-8859-1", "%A1Hola%21+1%2B1"],
    ["50% off + more", "ISO-8859-1", "50% off + more"],
    ["%00S", "UTF-8", "%00S"],
    ["%00S", undefined, "%00S"],
    ["%00S", "constructor", "%00S"],
  ])("of a handset that wrote %j in %s has that text", (written, charset, text) => {
    const { inbound } = clickatell.readCallback(callback({ ...fromHandset, text, charset }));
    expect(inbound).toMatchObject([{ text: written }]);
  });

  it("without valid JSON or without an id is unreadable", () => {
    expect(() => clickatell.readCallback(callback("{"))).toThrow();
    expect(() => clickatell.readCallback(callback({ statusCode: 4 }))).toThrow();
  });
});
