/**
 * The days on which the adapters were last compared with their vendors' documentation. Only a comparison changes a date, not a
 * later change of the adapter.
 */
import type { ProviderId } from "../schema";

/** `what`: the compared part. `against`: a page of the vendor's, or its own library with its version. */
export type VendorCheck = { what: string; against: string; on: string };

export const VENDOR_CHECKS: Readonly<Record<Exclude<ProviderId, "sandbox">, readonly VendorCheck[]>> = {
  twilio: [
    { what: "requests; signatures of callbacks", against: "npm twilio 6.2.0", on: "2026-11-22" },
    {
      what: "OptOutType of replies",
      against:
        "https://support.twilio.com/hc/en-us/articles/31560110671259-How-to-Track-Opt-Out-Opt-In-and-Help-Messages-Using-the-OptOutType-Parameter",
      on: "2026-11-22",
    },
    {
      what: "repeats of receipts",
      against: "https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides",
      on: "2026-11-23",
    },
  ],
  vonage: [
    {
      what: "requests; signatures of the Messages API",
      against: "npm @vonage/sms 1.24.1, @vonage/messages 1.27.1 and @vonage/jwt 1.17.1",
      on: "2026-11-22",
    },
    {
      what: "Messages API: request, response, token",
      against: "npm @vonage/messages 1.24.0 and @vonage/jwt 1.14.0",
      on: "2026-11-22",
    },
    {
      what: "Messages API: error codes",
      against: "https://developer.vonage.com/api-errors/messages-olympus",
      on: "2026-11-22",
    },
    {
      what: "Messages API: statuses",
      against: "https://developer.vonage.com/en/messages/concepts/messages-status-callbacks",
      on: "2026-11-22",
    },
    {
      what: "SMS API: replies and their time",
      against: "https://developer.vonage.com/messaging/sms/guides/inbound-sms",
      on: "2026-11-26",
    },
  ],
  messagebird: [
    { what: "requests; signatures of callbacks", against: "npm messagebird 4.0.1", on: "2026-11-22" },
    {
      what: "Channels API: sending",
      against: "https://docs.bird.com/api/quickstarts/send-an-sms-message",
      on: "2026-11-22",
    },
    {
      what: "Channels API: signature",
      against: "https://docs.bird.com/api/notifications-api/api-reference/webhooks/verifying-a-webhook",
      on: "2026-11-22",
    },
    {
      what: "Channels API: replies and their time",
      against: "https://docs.bird.com/api/channels-api/supported-channels/programmable-sms/receiving-messages",
      on: "2026-11-26",
    },
    {
      what: "Channels API: failures",
      against: "https://docs.bird.com/api/channels-api/message-status-and-interactions/message-failure-codes",
      on: "2026-11-22",
    },
  ],
  plivo: [{ what: "requests; signatures of callbacks", against: "npm plivo 4.79.0", on: "2026-11-22" }],
  telnyx: [
    { what: "requests; signatures of callbacks", against: "npm telnyx 7.24.0", on: "2026-11-22" },
    { what: "autoresponse_type of replies", against: "npm telnyx 7.24.0", on: "2026-11-22" },
    {
      what: "time of replies",
      against: "https://developers.telnyx.com/api-reference/callbacks/inbound-message",
      on: "2026-11-26",
    },
  ],
  sinch: [
    { what: "requests; signatures of callbacks", against: "npm @sinch/sms 1.4.0", on: "2026-11-22" },
    {
      what: "codes 414 to 418 of receipts",
      against:
        "https://developers.sinch.com/java-sdk/apidocs/com/sinch/sdk/domains/sms/models/DeliveryReportErrorCode.html",
      on: "2026-11-22",
    },
  ],
  infobip: [
    {
      what: "fields of a registration in India",
      against: "https://github.com/infobip/infobip-api-php-client",
      on: "2026-11-22",
    },
    {
      what: "time of replies",
      against: "https://infobip.com/docs/api/channels/sms/inbound-sms/receive-inbound-sms-messages",
      on: "2026-11-26",
    },
  ],
  africastalking: [
    { what: "requests", against: "npm africastalking 0.8.3", on: "2026-11-22" },
    {
      what: "kinds of callbacks, among them opt-outs",
      against: "https://docs.africastalking.com/sms/notifications",
      on: "2026-11-22",
    },
  ],
  clickatell: [
    {
      what: "receipts and replies",
      against: "https://help.clickatell.com/developers-api-reference/reference/one-api-client-callbacks",
      on: "2026-11-23",
    },
    {
      what: "statuses of receipts",
      against: "https://www.clickatell.com/developers/api-documentation/one-api-message-status-codes-descriptions/",
      on: "2026-11-23",
    },
  ],
  bandwidth: [
    { what: "requests", against: "npm bandwidth-sdk 8.1.4", on: "2026-11-22" },
    { what: "OAuth 2.0 client credentials", against: "npm bandwidth-sdk 8.1.4", on: "2026-11-22" },
  ],
  smpp: [],
};
