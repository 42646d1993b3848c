/** Facts about each carrier: messages after its receipts, and the checks of its callbacks. */
import type { CarrierName } from "../../../test/carriers/all";

type Ending = readonly [status: "failed" | "undelivered", code: string];

export type CarrierFacts = {
  /** After the emulated carrier's receipts for a message that was rejected, and for one that was lost. */
  failed: Ending;
  undelivered: Ending;
  /** Each part of a long text has its own id and receipt. */
  reportsParts?: true;
  /** Error code of a message whose last part the emulated carrier did not take. */
  partial?: string;
  /** Error code for a text of 1,600 GSM or 800 other characters; absent: the carrier takes it. */
  tooLong?: { gsm?: string; other?: string };
  /** Its receipts carry our reference, so they match before the response to the send. */
  reportsByReference?: true;
  /** Status of a forged callback; absent: nothing on the bind can be forged. */
  forged?: 401 | 404;
  /** Its callbacks carry a time that is checked. */
  hasTime?: true;
  /** Its callbacks have ids: a repeated one is acknowledged, but not applied. */
  hasIds?: true;
};

export const CARRIER_FACTS: Record<CarrierName, CarrierFacts> = {
  twilio: {
    failed: ["failed", "30001"],
    undelivered: ["undelivered", "30003"],
    reportsByReference: true,
    forged: 401,
  },
  vonage: {
    failed: ["failed", "10"],
    undelivered: ["undelivered", "12"],
    reportsParts: true,
    partial: "9",
    reportsByReference: true,
    forged: 401,
    hasTime: true,
    hasIds: true,
  },
  messagebird: {
    failed: ["undelivered", "103"],
    undelivered: ["undelivered", "1"],
    tooLong: { gsm: "text_too_long" },
    reportsByReference: true,
    forged: 401,
    hasTime: true,
    hasIds: true,
  },
  plivo: {
    failed: ["failed", "50"],
    undelivered: ["undelivered", "80"],
    tooLong: { other: "text_too_long" },
    reportsByReference: true,
    forged: 401,
    hasIds: true,
  },
  telnyx: {
    failed: ["failed", "40012"],
    undelivered: ["undelivered", "40008"],
    tooLong: { gsm: "40302", other: "40302" },
    reportsByReference: true,
    forged: 401,
    hasTime: true,
    hasIds: true,
  },
  sinch: {
    failed: ["failed", "408"],
    undelivered: ["undelivered", "406"],
    reportsByReference: true,
    forged: 401,
    hasTime: true,
    hasIds: true,
  },
  infobip: {
    failed: ["failed", "351"],
    undelivered: ["undelivered", "27"],
    reportsByReference: true,
    forged: 404,
  },
  africastalking: {
    failed: ["failed", "DoNotDisturbRejection"],
    undelivered: ["undelivered", "DeliveryFailure"],
    forged: 404,
  },
  clickatell: {
    failed: ["failed", "ROUTING_ERROR"],
    undelivered: ["undelivered", "DELIVERY_FAILURE"],
    reportsByReference: true,
    forged: 404,
  },
  bandwidth: {
    failed: ["failed", "4470"],
    undelivered: ["undelivered", "4750"],
    reportsByReference: true,
    forged: 401,
  },
  smpp: { failed: ["failed", "21"], undelivered: ["undelivered", "27"], reportsParts: true, partial: "0x08" },
};
