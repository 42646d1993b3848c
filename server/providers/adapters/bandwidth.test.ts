import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { bandwidth } from "./bandwidth";

const settings = bandwidth.settings.parse({
  accountId: "9900000",
  username: "api-user",
  password: "pässword:with colon",
  applicationId: "93de2206-9669-4e07-948d-329f4b722ee2",
  callbackUsername: "hook",
  callbackPassword: "s:e:cret é",
});

const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: {
    id: "msg_1",
    to: "+15552223333",
    from: "+15554443333",
    body: "Hello",
    encoding: "GSM-7",
    segments: 1,
    ...message,
  },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.test/api/receipts/bandwidth/token?ref=msg_1-1",
});

const sent = (given: SendRequest) => JSON.parse(bandwidth.buildRequest(given, settings).body ?? "");

const read = (status: number, body: unknown) =>
  bandwidth.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });

const base64 = (text: string) => Buffer.from(text).toString("base64");

const callback = (body: unknown, headers: Record<string, string> = {}, query = ""): Callback => ({
  method: "POST",
  url: `https://sms.example.test/api/receipts/bandwidth/token${query}`,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

const ID = "1589228074636lm4k2je7j7jklbn2";

const event = (type: string, fields: Record<string, unknown> = {}, message: Record<string, unknown> = {}) => ({
  type,
  time: "2026-01-31T12:00:00.000Z",
  description: "as it was",
  to: "+15552223333",
  ...fields,
  message: {
    id: ID,
    time: "2026-01-31T11:59:58.000Z",
    direction: "out",
    to: ["+15552223333"],
    from: "+15554443333",
    text: "",
    tag: "msg_1-1",
    ...message,
  },
});

describe("the credentials", () => {
  const { username, password, ...others } = settings;
  const withClient = { ...others, clientId: "BAND-1", clientSecret: "s3cret" };

  it("of an API credential are exchanged for a token, which requests carry", () => {
    const own = bandwidth.settings.parse(withClient);
    expect(bandwidth.buildTokenRequest?.(own)).toMatchObject({
      method: "POST",
      url: "https://api.bandwidth.com/api/v1/oauth2/token",
      headers: { authorization: `Basic ${base64("BAND-1:s3cret")}` },
      body: "grant_type=client_credentials",
    });
    expect(bandwidth.buildRequest(sendRequest(), own, "t0ken").headers.authorization).toBe("Bearer t0ken");
  });

  it("of a legacy API user need no token", () => {
    expect(bandwidth.buildTokenRequest?.(settings)).toBeNull();
  });

  it.each([
    ["clientId", others],
    ["clientSecret", { ...others, clientId: "BAND-1" }],
    ["password", { ...others, username: "api-user" }],
  ])("are complete, or %s is named", (name, given) => {
    expect(bandwidth.settings.safeParse(given).error?.issues.map(({ path }) => path[0])).toContain(name);
  });
});

describe("the request", () => {
  it("contains the account, the application, our reference and the credentials", () => {
    const { method, url, headers } = bandwidth.buildRequest(sendRequest(), settings);
    expect([method, url]).toEqual(["POST", "https://messaging.bandwidth.com/api/v2/users/9900000/messages"]);
    expect(headers.authorization).toBe(`Basic ${base64("api-user:pässword:with colon")}`);
    expect(headers["content-type"]).toBe("application/json");
    expect(sent(sendRequest())).toEqual({
      applicationId: "93de2206-9669-4e07-948d-329f4b722ee2",
      to: ["+15552223333"],
      from: "+15554443333",
      text: "Hello",
      tag: "msg_1-1",
    });
  });

  it.each([
    ["15554443333", "+15554443333"],
    ["+15554443333", "+15554443333"],
    ["55444", "55444"],
    ["SHOP", "SHOP"],
  ])("writes the sender %s as %s", (from, written) => {
    expect(sent(sendRequest({ from })).from).toBe(written);
  });

  it("carries any text unchanged", () => {
    const body = "“quoted” é € 😀\n\\ çok güzel";
    expect(sent(sendRequest({ body, encoding: "UCS-2" })).text).toBe(body);
  });

  it("keeps its path with an odd account id", () => {
    const own = { ...settings, accountId: "9/../x" };
    expect(bandwidth.buildRequest(sendRequest(), own).url).toContain("/users/9%2F..%2Fx/messages");
  });
});

describe("the response", () => {
  it("202 with an id is accepted", () => {
    const body = { id: ID, owner: "+15554443333", segmentCount: 1, to: ["+15552223333"], tag: "msg_1-1" };
    expect(read(202, body)).toEqual({ kind: "accepted", providerMessageIds: [ID] });
  });

  it.each([
    ["no JSON", "Accepted"],
    ["no id", { owner: "+15554443333" }],
  ])("202 with %s is an unknown outcome", (_, body) => {
    expect(() => read(202, body)).toThrow();
  });

  it("401 has the fault account, with or without a body", () => {
    const ours = { kind: "retryable", fault: "account" };
    const body = { type: "unauthorized", description: "Who are you?" };
    expect(read(401, body)).toMatchObject({ ...ours, code: "unauthorized", providerDetail: "Who are you?" });
    expect(read(401, "")).toEqual({ ...ours, code: "http_401", detail: "The provider responded with HTTP 401." });
  });

  it.each([
    [403, { type: "forbidden", description: "No" }, "account"],
    [404, { timestamp: "2026-01-31T12:00:00", status: 404, error: "Not Found" }, "account"],
    [415, "", "message"],
    [429, { type: "max-message-queue-size-exceeded", description: "Full" }, "throttled"],
    [429, "", "throttled"],
    [500, "", "provider"],
    [503, "<html>down</html>", "provider"],
  ])("HTTP %d with %j sent nothing, with the fault: %s", (status, body, fault) => {
    expect(read(status, body)).toMatchObject({ kind: "retryable", fault });
  });

  const invalid = (...fieldNames: string[]) => ({
    type: "request-validation",
    description: "Not accepted",
    fieldErrors: fieldNames.map((fieldName) => ({ fieldName, description: "is wrong" })),
  });

  it.each(["to", "to[0]"])("400 about %s is refused for good", (fieldName) => {
    const providerDetail = `Not accepted. ${fieldName.replace(/^t/, "T")}: is wrong.`;
    const detail = "The provider refused the message.";
    expect(read(400, invalid(fieldName))).toEqual({
      kind: "refused",
      code: "request-validation",
      detail,
      providerDetail,
    });
  });

  it("400 about anything else may be retried by another provider", () => {
    expect(read(400, invalid("from"))).toMatchObject({ kind: "retryable", fault: "message" });
    expect(read(400, invalid("applicationId"))).toMatchObject({ kind: "retryable", fault: "account" });
    expect(read(400, invalid())).toMatchObject({
      kind: "retryable",
      fault: "message",
      providerDetail: "Not accepted.",
    });
    expect(read(400, invalid("text"))).toMatchObject({ kind: "retryable", fault: "message" });
  });
});

describe("authentication", () => {
  const authenticate = (authorization?: string) =>
    bandwidth.authenticate(callback([], authorization ? { authorization } : {}), settings, new Date());

  it("accepts the credentials of the application", () => {
    expect(authenticate(`Basic ${base64("hook:s:e:cret é")}`)).toEqual({ kind: "genuine", nonces: [] });
    expect(authenticate(`basic ${base64("hook:s:e:cret é")}`)).toMatchObject({ kind: "genuine" });
  });

  it.each([
    ["an empty header", "Basic"],
    ["another scheme", `Bearer ${base64("hook:s:e:cret é")}`],
    ["another password", `Basic ${base64("hook:s:e:cret")}`],
    ["another user", `Basic ${base64("hooks:s:e:cret é")}`],
    ["the credentials that we send with", `Basic ${base64("api-user:pässword:with colon")}`],
    ["no base64", "Basic hook:s:e:cret é"],
  ])("refuses %s as forged", (_, authorization) => {
    expect(authenticate(authorization)).toMatchObject({ kind: "forged" });
  });
  it("asks for missing credentials", () => expect(authenticate().kind).toBe("unasked"));
});

describe("a callback", () => {
  it("is an array, with the time of the event and the reference", () => {
    const report = { providerMessageId: ID, reference: "msg_1-1", status: "delivered", code: null, detail: null };
    expect(bandwidth.readCallback(callback([event("message-delivered")]))).toEqual({
      reports: [{ ...report, occurredAt: "2026-01-31T12:00:00.000Z" }],
      inbound: [],
    });
  });

  it.each([
    [4303, "failed"],
    [4432, "failed"],
    [4470, "failed"],
    [4775, "undelivered"],
    [4720, "undelivered"],
    [5106, "failed"],
    [5600, "undelivered"],
    [9902, "undelivered"],
  ])("of the failure %d reports %s with a reason", (errorCode, status) => {
    const { reports } = bandwidth.readCallback(callback([event("message-failed", { errorCode })]));
    expect(reports).toMatchObject([{ status, code: `${errorCode}`, detail: expect.any(String) }]);
    expect(reports[0]?.detail).not.toBe("As it was.");
  });

  it("of an unknown failure keeps the provider's text for operators only", () => {
    const read = (fields: Record<string, unknown>) =>
      bandwidth.readCallback(callback([event("message-failed", fields)])).reports;
    const detail = "The message was not accepted for delivery. The reason is not known.";
    const unknown = { status: "failed", detail, providerDetail: "As it was." };
    expect(read({ errorCode: 4999 })).toMatchObject([{ ...unknown, code: "4999" }]);
    expect(read({})).toMatchObject([{ ...unknown, code: "message-failed" }]);
  });

  it("reports each of several events in order, including repeated ones", () => {
    const { reports, inbound } = bandwidth.readCallback(
      callback([
        event("message-delivered"),
        event("message-sending", { time: "2026-01-31T11:59:59.000Z" }),
        event("message-delivered"),
        event("message-failed", { errorCode: 4775 }, { id: "other", tag: "msg_2-1" }),
      ]),
    );
    expect(reports.map(({ providerMessageId, reference, status }) => [providerMessageId, reference, status])).toEqual([
      [ID, "msg_1-1", "delivered"],
      [ID, "msg_1-1", "sent"],
      [ID, "msg_1-1", "delivered"],
      ["other", "msg_2-1", "undelivered"],
    ]);
    expect(reports[1]?.occurredAt).toBe("2026-01-31T11:59:59.000Z");
    expect(inbound).toEqual([]);
  });

  it("without a tag has the reference of its URL, or none; without a time it has none", () => {
    const body = [event("message-delivered", { time: null }, { tag: null })];
    expect(bandwidth.readCallback(callback(body, {}, "?ref=msg_1-2")).reports).toMatchObject([
      { reference: "msg_1-2", occurredAt: null },
    ]);
    expect(bandwidth.readCallback(callback(body)).reports).toMatchObject([{ reference: null }]);
  });

  it("of a message from a handset names our number", () => {
    const received = event(
      "message-received",
      { to: "+15554443333", time: "2016-09-14T18:20:16Z" },
      { id: "in1", direction: "in", from: "+15552223333", to: ["+15550009999", "+15554443333"], text: "STOP" },
    );
    expect(bandwidth.readCallback(callback([received]))).toEqual({
      reports: [],
      inbound: [
        {
          ...{ providerMessageId: "in1", from: "+15552223333", to: "+15554443333", text: "STOP" },
          occurredAt: "2016-09-14T18:20:16.000Z",
        },
      ],
    });
  });

  it("about anything else has no content, whatever its shape", () => {
    const others = [{ type: "message-read" }, { type: "constructor", message: 1 }];
    expect(bandwidth.readCallback(callback(others))).toEqual({ reports: [], inbound: [] });
    expect(bandwidth.readCallback(callback([...others, event("message-delivered")])).reports).toHaveLength(1);
  });

  it("is unreadable if it is not an array, or a report without a message", () => {
    expect(() => bandwidth.readCallback(callback("{"))).toThrow();
    expect(() => bandwidth.readCallback(callback(event("message-delivered")))).toThrow();
    expect(() => bandwidth.readCallback(callback([{ type: "message-delivered" }]))).toThrow();
  });
});
