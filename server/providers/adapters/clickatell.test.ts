import { describe, expect, it } from "vitest";
import type { SendRequest } from "../port";
import { clickatell } from "./clickatell";

const settings = clickatell.settings.parse({ apiKey: "key==" });

const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: {
    id: "msg_1",
    to: "+27999123456",
    from: "+27999000111",
    body: "Hello",
    encoding: "GSM-7",
    segments: 1,
    ...message,
  },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.test/api/receipts/clickatell/token?ref=msg_1-1",
});

const sent = (given: SendRequest) => JSON.parse(clickatell.buildRequest(given, settings).body ?? "").messages;

const read = (status: number, body: unknown) =>
  clickatell.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });

const ID = "77fb29998253415fa5d66971d519d362";
const taken = { apiMessageId: ID, accepted: true, to: "27999123456", error: null };
const denied = (code: number, description = "why") => ({
  messages: [{ apiMessageId: "", accepted: false, to: "27999123456", error: { code, description } }],
  error: null,
});

describe("the request", () => {
  it("carries the bare key, digits only, and our reference", () => {
    const { method, url, headers } = clickatell.buildRequest(sendRequest(), settings);
    expect([method, url]).toEqual(["POST", "https://platform.clickatell.com/v1/message"]);
    expect(headers.authorization).toBe("key==");
    expect(headers["content-type"]).toBe("application/json");
    expect(sent(sendRequest())).toEqual([
      { channel: "sms", to: "27999123456", from: "27999000111", content: "Hello", clientMessageId: "msg_1-1" },
    ]);
  });

  it("carries any text and any sender unchanged", () => {
    const body = "“quoted” é € 😀\n\\ çok güzel";
    expect(sent(sendRequest({ body, from: "SHOP 24", encoding: "UCS-2" }))).toMatchObject([
      { content: body, from: "SHOP 24" },
    ]);
  });
});

describe("the response", () => {
  it.each([200, 202, 207, 400])("%d with an accepted message is accepted", (status) => {
    expect(read(status, { messages: [taken], error: null })).toEqual({ kind: "accepted", providerMessageIds: [ID] });
  });

  it.each([401, 500, 503])("%d with an accepted message is unreadable: nobody knows whether it was taken", (status) => {
    expect(() => read(status, { messages: [taken], error: null })).toThrow("accepted message");
  });

  it.each([
    [1, "account"],
    [2, "account"],
    [3, "account"],
    [7, "account"],
    [18, "provider"],
    [19, "provider"],
    [20, "account"],
    [24, "message"],
    [28, "message"],
    [38, "account"],
    [39, "account"],
    [43, "throttled"],
    [44, "message"],
    [45, "message"],
    [46, "message"],
    [100, "message"],
    [101, "message"],
    [110, "message"],
    [111, "message"],
  ])("with the error %d sent nothing, with the fault: %s", (code, fault) => {
    const expected = {
      kind: "retryable",
      code: `${code}`,
      fault,
      detail: expect.not.stringContaining("Why"),
      providerDetail: "Why.",
    };
    expect(read(400, denied(code))).toEqual(expected);
    expect(read(207, denied(code))).toEqual(expected);
    expect(read(401, { messages: [], error: { code, description: "why" } })).toEqual(expected);
  });

  it.each([21, 22, 23, 25, 26, 27, 30, 40])("with the error %d is refused for good", (code) => {
    expect(read(400, denied(code))).toMatchObject({ kind: "refused", code: `${code}` });
    expect(read(202, denied(code))).toMatchObject({ kind: "refused", code: `${code}` });
  });

  it("may have an error as text, with any status", () => {
    expect(read(200, { messages: [], error: "Key unknown" })).toEqual({
      kind: "retryable",
      code: "not_accepted",
      detail: "The provider failed.",
      providerDetail: "Key unknown.",
      fault: "provider",
    });
    const message = { apiMessageId: null, accepted: false, to: "1", error: "No such number" };
    expect(read(202, { messages: [message], error: null })).toMatchObject({ kind: "retryable", fault: "message" });
    expect(read(401, { messages: [], error: "Key unknown" })).toMatchObject({ kind: "retryable", fault: "account" });
  });

  it("keeps an unknown code", () => {
    expect(read(400, denied(999))).toMatchObject({
      kind: "retryable",
      code: "999",
      providerDetail: "Why.",
      fault: "message",
    });
    expect(read(500, denied(999))).toMatchObject({ kind: "retryable", fault: "provider" });
  });

  it.each([
    [401, "account"],
    [429, "throttled"],
    [400, "message"],
    [500, "provider"],
    [503, "provider"],
  ])("an unreadable HTTP %d sent nothing, with the fault: %s", (status, fault) => {
    expect(read(status, "<html>")).toEqual({
      kind: "retryable",
      code: `http_${status}`,
      detail: `The provider responded with HTTP ${status}.`,
      fault,
    });
    expect(read(status, "")).toMatchObject({ fault });
  });

  it.each([
    ["no JSON", "Accepted"],
    ["no message and no error", { messages: [], error: null }],
    ["an accepted message without an id", { messages: [{ ...taken, apiMessageId: "" }], error: null }],
  ])("202 with %s is an unknown outcome", (_, body) => {
    expect(() => read(202, body)).toThrow();
  });
});
