/** One sample of each kind of response and callback of the HTTP providers, for tests that hold for all of them. */

/** A parsed response or callback. */
export type Json = Record<string, unknown> | unknown[];
/** `failed` is a provider's own error, `isDocumented` if its code is in the adapter's table; `format` of its callbacks. */
export type Samples = {
  taken: Json;
  failed: Json;
  isDocumented: boolean;
  receipt: Json;
  inbound: Json;
  format: "form" | "json";
};

const AT = "2026-01-31T12:00:00.000Z";
const ids = { id: "m1", messageId: "m1" };
const infobipStatus = (groupId: number, id: number) => ({ groupId, id, name: "NAME", description: "as given" });
const recipientOf = (statusCode: number, messageId: string) => ({
  SMSMessageData: { Message: "Sent", Recipients: [{ statusCode, status: "Odd", messageId }] },
});

/** Samples by provider; a slash is followed by the name of its second API, if it has one. */
export const WIRE_SAMPLES: Record<string, Samples> = {
  twilio: {
    taken: { sid: "SM1" },
    failed: { code: 20500, message: "why", detail: "why" },
    isDocumented: true,
    receipt: { MessageSid: "SM1", MessageStatus: "failed", ErrorCode: "30003" },
    inbound: { MessageSid: "SM1", SmsStatus: "received", From: "+15550001111", To: "+15550002222", Body: "STOP" },
    format: "form",
  },
  vonage: {
    taken: { messages: [{ status: "0", "message-id": "A1" }] },
    failed: { messages: [{ status: "5", "error-text": "why" }] },
    isDocumented: true,
    receipt: { messageId: "A1", status: "failed", "err-code": "3", "client-ref": "msg_1-1" },
    inbound: { messageId: "B1", msisdn: "447700900000", to: "447700900001", text: "STOP" },
    format: "json",
  },
  "vonage/messages": {
    taken: { message_uuid: "u1" },
    failed: { type: "https://developer.vonage.com/api-errors/messages#1030", title: "why", detail: "why" },
    isDocumented: true,
    receipt: {
      message_uuid: "u1",
      status: "rejected",
      timestamp: AT,
      client_ref: "msg_1-1",
      sms: { count_total: "1" },
      error: { type: "https://developer.vonage.com/api-errors/messages#1180", title: "1180", detail: "why" },
    },
    inbound: { message_uuid: "u1", from: "447700900000", to: "447700900001", message_type: "text", text: "STOP" },
    format: "json",
  },
  messagebird: {
    taken: ids,
    failed: { errors: [{ code: 99, description: "why", parameter: "originator" }] },
    isDocumented: true,
    receipt: { id: "m1", status: "delivery_failed", statusErrorCode: "1", statusReason: "why", statusDatetime: AT },
    inbound: { id: "m1", originator: "316", recipient: "3197", body: "STOP" },
    format: "json",
  },
  "messagebird/channels": {
    taken: { ...ids, status: "accepted" },
    failed: { code: "InternalError", message: "why" },
    isDocumented: false,
    receipt: {
      service: "channels",
      event: "sms.outbound",
      payload: {
        id: "m1",
        status: "delivery_failed",
        reason: "why",
        lastStatusAt: AT,
        failure: { code: 15_005, source: { name: "sms-messagebird", code: "1" } },
      },
    },
    inbound: {
      service: "channels",
      event: "sms.inbound",
      payload: {
        id: "m1",
        channelId: "c1",
        sender: { contact: { identifierValue: "+316" } },
        body: { type: "text", text: { text: "STOP" } },
      },
    },
    format: "json",
  },
  plivo: {
    taken: { message_uuid: ["u1"], invalid_number: ["1"] },
    failed: { error: "why" },
    isDocumented: false,
    receipt: { MessageUUID: "u1", ParentMessageUUID: "u2", Status: "failed", ErrorCode: "80" },
    inbound: { MessageUUID: "u1", From: "14150000002", To: "14150000001", Text: "STOP" },
    format: "form",
  },
  telnyx: {
    taken: { data: ids },
    failed: { errors: [{ code: "10007", title: "why", detail: "why" }] },
    isDocumented: true,
    receipt: {
      data: {
        event_type: "message.finalized",
        occurred_at: AT,
        payload: { id: "m1", to: [{ status: "delivery_failed" }], errors: [{ code: "40001", title: "why" }] },
      },
    },
    inbound: {
      data: {
        event_type: "message.received",
        payload: { id: "m1", from: { phone_number: "+1" }, to: [{ phone_number: "+2" }], text: "STOP" },
      },
    },
    format: "json",
  },
  sinch: {
    taken: ids,
    failed: { code: "internal", text: "why" },
    isDocumented: false,
    receipt: {
      type: "recipient_delivery_report_sms",
      batch_id: "m1",
      client_reference: "msg_1-1",
      at: AT,
      code: 402,
      status: "Aborted",
    },
    inbound: { type: "mo_text", id: "m1", from: "1", to: "2", body: "STOP" },
    format: "json",
  },
  infobip: {
    taken: { messages: [{ messageId: "m1", status: infobipStatus(1, 26) }] },
    failed: { errorCode: "E500", description: "why" },
    isDocumented: false,
    receipt: {
      results: [
        {
          messageId: "m1",
          status: infobipStatus(2, 9),
          error: { id: 27 },
          callbackData: "msg_1-1",
          doneAt: AT,
          sentAt: AT,
        },
      ],
    },
    inbound: { results: [{ messageId: "m1", from: "1", to: "2", text: "STOP", cleanText: "STOP" }] },
    format: "json",
  },
  africastalking: {
    taken: recipientOf(101, "m1"),
    failed: recipientOf(500, "None"),
    isDocumented: true,
    receipt: { id: "m1", status: "Failed", failureReason: "UserDoesNotExist" },
    inbound: { id: "m1", from: "+254711000111", to: "20880", text: "STOP" },
    format: "form",
  },
  clickatell: {
    taken: { messages: [{ apiMessageId: "m1", accepted: true, error: null }], error: null },
    failed: { messages: [], error: { code: 18, description: "why" } },
    isDocumented: true,
    receipt: {
      integrationId: "fa80",
      event: {
        messageStatusUpdate: [
          {
            channel: "sms",
            messageId: "m1",
            clientMessageId: "msg_1-1",
            statusCode: 20,
            status: "EXPIRED",
            timestamp: 1_769_860_800_000,
          },
        ],
      },
    },
    inbound: {
      integrationId: "fa80",
      event: { moText: [{ channel: "sms", messageId: "m1", from: "1", to: "2", content: "STOP" }] },
    },
    format: "json",
  },
  "clickatell/platform": {
    taken: { messages: [{ apiMessageId: "m1", accepted: true, error: null }], error: null },
    failed: { messages: [], error: { code: 18, description: "why" } },
    isDocumented: true,
    receipt: {
      messageId: "m1",
      clientMessageId: "msg_1-1",
      statusCode: 7,
      status: "EXPIRED",
      timestamp: 1_769_860_800_000,
    },
    inbound: { messageId: "m1", fromNumber: "1", toNumber: "2", text: "STOP" },
    format: "json",
  },
  bandwidth: {
    taken: ids,
    failed: { type: "internal", description: "why", fieldErrors: [{ fieldName: "from", description: "why" }] },
    isDocumented: false,
    receipt: [
      { type: "message-failed", time: AT, description: "why", errorCode: 4303, message: { id: "m1", tag: "msg_1-1" } },
    ],
    inbound: [{ type: "message-received", to: "1", message: { id: "m1", from: "2", to: ["1"], text: "STOP" } }],
    format: "json",
  },
};
