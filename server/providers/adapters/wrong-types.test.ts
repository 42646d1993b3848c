/** Tests of fields with another type than documented: explanatory ones decide nothing, and an id may be a number. */
import { describe, expect, it } from "vitest";
import { httpProvider } from "../catalogue";

/** `withId`: a response that takes the message under this id; its other fields only explain. */
type Taken = readonly [provider: string, status: number, withId: (id: unknown, text: unknown) => unknown];

const TAKEN: readonly Taken[] = [
  ["twilio", 201, (sid, text) => ({ sid, status: text, error_message: text })],
  ["vonage", 200, (id, text) => ({ messages: [{ status: "0", "message-id": id, "error-text": text }] })],
  ["vonage", 202, (id, text) => ({ message_uuid: id, workflow_id: text })],
  ["messagebird", 201, (id, text) => ({ id, description: text })],
  ["plivo", 202, (id, text) => ({ message_uuid: [id], message: text, invalid_number: text })],
  ["telnyx", 200, (id, text) => ({ data: { id, errors: text } })],
  ["sinch", 201, (id, text) => ({ id, client_reference: text })],
  [
    "infobip",
    200,
    (id, text) => ({ messages: [{ messageId: id, status: { groupId: 1, id: 26, name: text, description: text } }] }),
  ],
  [
    "africastalking",
    201,
    (id, text) => ({
      SMSMessageData: { Message: text, Recipients: [{ statusCode: 101, status: text, messageId: id }] },
    }),
  ],
  ["clickatell", 202, (id, text) => ({ messages: [{ apiMessageId: id, accepted: true, error: text }], error: text })],
  ["bandwidth", 202, (id, text) => ({ id, description: text })],
];

/** A response with an error, and its outcome whatever type the text that explains it has. */
type Failed = readonly [provider: string, status: number, withText: (text: unknown) => unknown, outcome: object];

const FAILED: readonly Failed[] = [
  ["twilio", 400, (text) => ({ code: 21211, message: text, detail: text }), { kind: "refused", code: "21211" }],
  [
    "vonage",
    200,
    (text) => ({ messages: [{ status: "9", "error-text": text, "message-id": text }] }),
    { code: "9", fault: "account" },
  ],
  [
    "vonage",
    422,
    (text) => ({ type: "https://x.test#1170", title: text, detail: text, invalid_parameters: text }),
    { kind: "refused", code: "1170" },
  ],
  [
    "messagebird",
    422,
    (text) => ({ errors: [{ code: 9, description: text, parameter: text }] }),
    { kind: "refused", code: "9" },
  ],
  [
    "messagebird",
    422,
    (text) => ({ code: "InvalidPayload", message: text }),
    { code: "InvalidPayload", fault: "message" },
  ],
  ["plivo", 202, (text) => ({ message_uuid: [], invalid_number: [text] }), { kind: "refused" }],
  [
    "telnyx",
    400,
    (text) => ({ errors: [{ code: "40310", title: text, detail: text }] }),
    { kind: "refused", code: "40310" },
  ],
  ["sinch", 403, (text) => ({ code: "unknown_group", text }), { code: "unknown_group", fault: "message" }],
  [
    "infobip",
    200,
    (text) => ({ messages: [{ messageId: "i", status: { groupId: 5, id: 52, name: text, description: text } }] }),
    { kind: "refused", code: "52" },
  ],
  [
    "infobip",
    401,
    (text) => ({ errorCode: "E401", description: text, requestError: text }),
    { code: "E401", fault: "account" },
  ],
  [
    "africastalking",
    201,
    (text) => ({
      SMSMessageData: { Message: text, Recipients: [{ statusCode: 403, status: text, messageId: "None" }] },
    }),
    { kind: "refused", code: "403" },
  ],
  [
    "clickatell",
    400,
    (text) => ({
      messages: [{ apiMessageId: text, accepted: false, error: { code: 25, description: text } }],
      error: text,
    }),
    { kind: "refused", code: "25" },
  ],
  [
    "bandwidth",
    400,
    (text) => ({
      type: "request-validation",
      description: text,
      fieldErrors: [{ fieldName: "to", description: text }],
    }),
    { kind: "refused", code: "request-validation" },
  ],
];

const TEXTS = [undefined, null, "", 7, true, [], {}];

const read = (id: string, status: number, body: unknown) =>
  httpProvider(id)?.readResponse({ status, headers: {}, body: JSON.stringify(body) });

describe.each(TAKEN)("a message that %s took (HTTP %d)", (provider, status, withId) => {
  it.each(TEXTS)("counts as taken even if a text field is %j", (text) => {
    expect(read(provider, status, withId("m1", text))).toEqual({ kind: "accepted", providerMessageIds: ["m1"] });
  });

  it("may have a number as its id", () => {
    expect(read(provider, status, withId(12_345, "ok"))).toEqual({ kind: "accepted", providerMessageIds: ["12345"] });
  });

  it.each([undefined, null, "", 0, true, [], {}, 2 ** 60])("has an unknown outcome if its id is %j", (id) => {
    expect(() => read(provider, status, withId(id, "ok"))).toThrow();
  });
});

it.each(FAILED)(
  "an error of %s (HTTP %d) keeps its code, whatever type its text has",
  (provider, status, withText, outcome) => {
    for (const text of TEXTS)
      expect(read(provider, status, withText(text)), JSON.stringify(text)).toMatchObject(outcome);
  },
);

/** A receipt whose `text` only explains. */
type Reporting = readonly [provider: string, withText: (text: unknown) => unknown];

const REPORTING: readonly Reporting[] = [
  [
    "telnyx",
    (text) => ({
      data: {
        event_type: "message.finalized",
        payload: { id: "m1", to: [{ status: "delivery_failed" }], errors: text },
      },
    }),
  ],
  [
    "infobip",
    (text) => ({
      results: [{ messageId: "m1", status: { groupId: 2, id: 9, name: text }, error: text, callbackData: text }],
    }),
  ],
  [
    "bandwidth",
    (text) => [
      { type: "message-failed", time: text, description: text, errorCode: "4750", message: { id: "m1", tag: text } },
    ],
  ],
  ["clickatell", (text) => ({ messageId: "m1", statusCode: 7, clientMessageId: text })],
  [
    "sinch",
    (text) => ({ type: "recipient_delivery_report_sms", batch_id: "m1", status: "Failed", client_reference: text }),
  ],
];

it.each(REPORTING)("a receipt of %s counts, whatever type its texts have", (provider, withText) => {
  for (const text of TEXTS) {
    const callback = {
      method: "POST",
      url: "https://sms.example.test/receipts",
      headers: {},
      body: Buffer.from(JSON.stringify(withText(text))),
    };
    const { reports } = httpProvider(provider)?.readCallback(callback) ?? { reports: [] };
    expect(reports, JSON.stringify(text)).toMatchObject([
      { providerMessageId: "m1", status: expect.stringMatching(/^(failed|undelivered)$/) },
    ]);
  }
});
