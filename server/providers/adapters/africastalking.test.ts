import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { africastalking } from "./africastalking";

const settings = africastalking.settings.parse({ username: "shop", apiKey: "atsk_1" });

const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: {
    id: "msg_1",
    to: "+254711000111",
    from: "SHOP",
    body: "Hello",
    encoding: "GSM-7",
    segments: 1,
    ...message,
  },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.test/api/receipts/africastalking/token?ref=msg_1-1",
});

const formOf = (given: SendRequest) => new URLSearchParams(africastalking.buildRequest(given, settings).body ?? "");

const read = (status: number, body: unknown) =>
  africastalking.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });

const answer = (recipients: unknown[], text = "Sent to 1/1 Total Cost: KES 0.8000") => ({
  SMSMessageData: { Message: text, Recipients: recipients },
});

const recipient = (statusCode: number, messageId: string, status = "") => ({
  statusCode,
  number: "+254711000111",
  status,
  cost: messageId === "None" ? "0" : "KES 0.8000",
  messageId,
});

const callback = (fields: Record<string, string>, query = ""): Callback => ({
  method: "POST",
  url: `https://sms.example.test/api/receipts/africastalking/token${query}`,
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: Buffer.from(new URLSearchParams(fields).toString()),
});

describe("the request", () => {
  it("is a form that asks for JSON, with the key in its own header", () => {
    const { method, url, headers } = africastalking.buildRequest(sendRequest(), settings);
    expect([method, url]).toEqual(["POST", "https://api.africastalking.com/version1/messaging"]);
    expect(headers).toMatchObject({ apikey: "atsk_1", accept: "application/json" });
    expect(headers["content-type"]).toMatch(/^application\/x-www-form-urlencoded/);
    expect(Object.fromEntries(formOf(sendRequest()))).toEqual({
      username: "shop",
      to: "+254711000111",
      from: "SHOP",
      message: "Hello",
      bulkSMSMode: "1",
    });
  });

  it("carries any text unchanged", () => {
    const body = "a+b & c=d % é € 😀\nçok güzel";
    expect(formOf(sendRequest({ body, encoding: "UCS-2" })).get("message")).toBe(body);
  });

  it.each([
    ["254711000222", "+254711000222"],
    ["+254711000222", "+254711000222"],
    ["20880", "20880"],
    ["SHOP 24", "SHOP 24"],
  ])("writes the sender %s as %s", (from, written) => {
    expect(formOf(sendRequest({ from })).get("from")).toBe(written);
  });

  it("can go to another address, without a doubled slash", () => {
    const own = africastalking.settings.parse({ username: "sandbox", apiKey: "k", baseUrl: "http://127.0.0.1:1/" });
    expect(africastalking.buildRequest(sendRequest(), own).url).toBe("http://127.0.0.1:1/version1/messaging");
  });
});

describe("the response", () => {
  it.each([100, 101, 102])("%d with an id is accepted, with 201 or 200", (code) => {
    const accepted = { kind: "accepted", providerMessageIds: ["ATXid_1"] };
    expect(read(201, answer([recipient(code, "ATXid_1", "Success")]))).toEqual(accepted);
    expect(read(200, answer([recipient(code, "ATXid_1", "Success")]))).toEqual(accepted);
  });

  it.each([
    [401, "message"],
    [402, "message"],
    [405, "account"],
    [407, "message"],
    [500, "provider"],
    [501, "provider"],
    [502, "message"],
  ])("201 with the code %d sent nothing, with the fault: %s", (code, fault) => {
    expect(read(201, answer([recipient(code, "None")]))).toMatchObject({ kind: "retryable", code: `${code}`, fault });
  });

  it.each([403, 404, 406, 409])("201 with the code %d is refused for good", (code) => {
    expect(read(201, answer([recipient(code, "None")]))).toMatchObject({ kind: "refused", code: `${code}` });
  });

  it("with an error status is read by the recipient's code too", () => {
    expect(read(409, answer([recipient(409, "None", "DoNotDisturbRejection")]))).toMatchObject({ kind: "refused" });
    expect(read(500, answer([recipient(405, "None")]))).toMatchObject({ kind: "retryable", fault: "account" });
  });

  it("with an unknown code and no id sent nothing", () => {
    expect(read(201, answer([recipient(408, "None", "Odd")]))).toEqual({
      kind: "retryable",
      code: "408",
      detail: "The provider failed.",
      providerDetail: "Odd.",
      fault: "provider",
    });
  });

  it("without recipients means that nothing was sent, for the reason in its text", () => {
    expect(read(201, answer([], "InvalidSenderId"))).toMatchObject({
      kind: "retryable",
      code: "InvalidSenderId",
      fault: "message",
    });
    expect(read(201, answer([], "InsufficientBalance"))).toMatchObject({ fault: "account" });
    expect(read(201, answer([], "Sent to 0/1"))).toMatchObject({ code: "no_recipients", fault: "provider" });
  });

  it.each([
    [401, "The credentials are wrong", "account", "The credentials are wrong."],
    [429, "", "throttled", ""],
    [400, "A field is missing", "message", "A field is missing."],
    [500, "", "provider", ""],
    [503, "<html>down</html>", "provider", ""],
  ])("HTTP %d with the text '%s' sent nothing, with the fault: %s", (status, body, fault, text) => {
    expect(read(status, body)).toEqual({
      kind: "retryable",
      code: `http_${status}`,
      detail: `The provider responded with HTTP ${status}.`,
      ...(text && { providerDetail: text }),
      fault,
    });
  });

  it.each([
    ["no JSON", "Sent"],
    ["no recipients at all", { SMSMessageData: {} }],
    ["a success without an id", answer([recipient(101, "None")])],
    ["an id with a code that nobody knows", answer([recipient(199, "ATXid_1")])],
  ])("201 with %s is an unknown outcome", (_, body) => {
    expect(() => read(201, body)).toThrow();
  });
});

describe("a callback", () => {
  it("is verified by the secret path alone", () => {
    const at = new Date("2026-01-31T12:00:00Z");
    expect(africastalking.authenticate(callback({}), settings, at)).toEqual({ kind: "genuine", nonces: [] });
  });

  it.each([
    ["Sent", "sent"],
    ["Submitted", "sent"],
    ["Buffered", "sent"],
    ["Success", "delivered"],
  ])("with the status %s reports: %s", (status, ours) => {
    const fields = { id: "ATXid_1", status, phoneNumber: "+254711000111", networkCode: "63902" };
    expect(africastalking.readCallback(callback(fields))).toEqual({
      reports: [
        { providerMessageId: "ATXid_1", reference: null, status: ours, code: null, detail: null, occurredAt: null },
      ],
      inbound: [],
    });
  });

  it.each([
    ["Rejected", "UserInBlackList", "failed", "UserInBlackList", "The recipient is on the opt-out list."],
    ["Failed", "UserDoesNotExist", "undelivered", "UserDoesNotExist", "The number does not exist."],
    [
      "Failed",
      "SomethingNew",
      "undelivered",
      "SomethingNew",
      "The message could not be delivered. The reason is not known.",
    ],
    ["AbsentSubscriber", "", "undelivered", "AbsentSubscriber", "The handset was not reachable."],
    ["Expired", "", "undelivered", "Expired", "The message was not delivered in time."],
  ])("with the status %s and the reason '%s' reports: %s", (status, failureReason, ours, code, detail) => {
    const { reports } = africastalking.readCallback(callback({ id: "ATXid_1", status, failureReason }));
    expect(reports).toMatchObject([{ status: ours, code, detail }]);
  });

  it("has the reference of its URL, if there is one", () => {
    const { reports } = africastalking.readCallback(callback({ id: "ATXid_1", status: "Success" }, "?ref=msg_1-1"));
    expect(reports).toMatchObject([{ reference: "msg_1-1" }]);
  });

  it("without a status is a message from a handset", () => {
    const fields = { id: "m1", from: "+254711000111", to: "20880", text: "STOP", date: "2026-01-31", linkId: "l" };
    expect(africastalking.readCallback(callback(fields))).toEqual({
      reports: [],
      inbound: [{ providerMessageId: "m1", from: "+254711000111", to: "20880", text: "STOP" }],
    });
  });

  it.each([
    ["2017-05-03T06:04:45Z", "2017-05-03T06:04:45Z"],
    ["2017-05-03 06:04:45", undefined],
  ])("of a message from a handset has its date, %s, if it has a time zone", (date, occurredAt) => {
    const { inbound } = africastalking.readCallback(
      callback({ id: "m1", from: "+254711", to: "20880", text: "a", date }),
    );
    expect(inbound[0]?.occurredAt).toBe(occurredAt);
  });

  it("about an opt-out is a STOP to that sender, each with its own id", () => {
    const optOut = callback({ senderId: "SHOP", phoneNumber: "+254711000111" });
    const [one, other] = [africastalking.readCallback(optOut), africastalking.readCallback(optOut)];
    const stop = {
      reports: [],
      inbound: [
        {
          providerMessageId: expect.stringMatching(/^opt-out-./),
          from: "+254711000111",
          to: "SHOP",
          text: "",
          keyword: "stop",
        },
      ],
    };
    expect([one, other]).toEqual([stop, stop]);
    expect(other.inbound[0]?.providerMessageId).not.toBe(one.inbound[0]?.providerMessageId);
  });

  it("about anything else has no content", () => {
    const nothing = { reports: [], inbound: [] };
    const subscription = { phoneNumber: "+254711000111", shortCode: "20880", keyword: "gold", updateType: "deletion" };
    expect(africastalking.readCallback(callback(subscription))).toEqual(nothing);
    expect(africastalking.readCallback(callback({ id: "ATXid_1", status: "constructor" }))).toEqual(nothing);
  });

  it("with a status and no id is unreadable", () => {
    expect(() => africastalking.readCallback(callback({ status: "Success" }))).toThrow();
  });
});
