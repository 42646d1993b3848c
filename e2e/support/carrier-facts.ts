/** What a message must look like after each carrier's receipts, and what each carrier's callbacks can be checked by. */
import type { CarrierName } from "./carriers/all";

type Ending = readonly [status: "failed" | "undelivered", code: string];

export type CarrierFacts = {
  /** After the receipt that the emulated carrier sends for a message that never left it, and for one that was lost. */
  failed: Ending;
  undelivered: Ending;
  /** Each part of a long text has an id and a receipt of its own. */
  reportsParts?: true;
  /** The code under which a message fails of whose parts the emulated carrier did not take the last. */
  partial?: string;
  /** Under which code it does not take a text of 1,600 characters of the GSM alphabet, or of 800 others; absent: it does. */
  tooLong?: { gsm?: string; other?: string };
  /** Its receipts carry our reference, so they can be told apart before the send was answered. */
  reportsByReference?: true;
  /** What a forged callback is answered; absent: nothing that comes over the bind can be forged. */
  forged?: 401 | 404;
  /** Its callbacks bear a time that is checked. */
  hasTime?: true;
  /** Its callbacks can be told from one another; what one that came before is answered. */
  replayed?: 200 | 409;
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
    replayed: 409,
  },
  messagebird: {
    failed: ["undelivered", "103"],
    undelivered: ["undelivered", "1"],
    tooLong: { gsm: "text_too_long" },
    reportsByReference: true,
    forged: 401,
    hasTime: true,
    replayed: 409,
  },
  plivo: {
    failed: ["failed", "50"],
    undelivered: ["undelivered", "80"],
    tooLong: { other: "text_too_long" },
    reportsByReference: true,
    forged: 401,
    replayed: 409,
  },
  telnyx: {
    failed: ["failed", "40012"],
    undelivered: ["undelivered", "40008"],
    tooLong: { gsm: "40302", other: "40302" },
    reportsByReference: true,
    forged: 401,
    hasTime: true,
    replayed: 200,
  },
  sinch: {
    failed: ["failed", "408"],
    undelivered: ["undelivered", "406"],
    reportsByReference: true,
    forged: 401,
    hasTime: true,
    replayed: 409,
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
  clickatell: { failed: ["failed", "9"], undelivered: ["undelivered", "7"], reportsByReference: true, forged: 404 },
  bandwidth: {
    failed: ["failed", "4470"],
    undelivered: ["undelivered", "4750"],
    reportsByReference: true,
    forged: 401,
  },
  smpp: { failed: ["failed", "21"], undelivered: ["undelivered", "27"], reportsParts: true, partial: "0x08" },
};
