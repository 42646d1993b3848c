/** SMPP 3.4: a bind to a message centre over which messages go out, and receipts and replies come in. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { startDeadline } from "../../core/deadline";
import { log } from "../../core/log";
import { urlUpTo } from "../../core/wire";
import { ADDRESS, ADDRESS_MAX, field, secret } from "../fields";
import type { Adapter, CallbackContent } from "../port";
import { createBinds } from "./binds";
import type { Target } from "./connection";
import { readDeliver } from "./receipt";
import { createSender } from "./send";
import type { BackOff } from "./throttle";
import type { Pdu } from "./wire";

const whole = (least: number, most: number, standard: number, description: string) =>
  z.coerce.number().int().min(least).max(most).default(standard).describe(`${description}; ${standard} unless given`);

/** What a field of the bind holds besides its NUL; whatever is longer, a centre would cut or refuse. */
const atMost = (octets: number): [(text: string) => boolean, string] => [
  (text) => Buffer.byteLength(text) <= octets,
  `must have at most ${octets} octets (SMPP 3.4)`,
];

export const smppSettings = z.object({
  url: urlUpTo(ADDRESS_MAX, { protocol: /^s?smpp$/, hostname: /./ })
    .describe("smpp://host:2775, or ssmpp://host:3550 for TLS")
    .meta(ADDRESS),
  systemId: field("system_id, at most 15 octets").refine(...atMost(15)),
  password: secret("password, at most 8 octets").refine(...atMost(8)),
  systemType: z
    .string()
    .refine(...atMost(12))
    .default("")
    .describe("system_type; most centres want none"),
  idRadix: z
    .enum(["as-is", "hex-to-decimal", "decimal-to-hex"])
    .default("as-is")
    .describe("how message ids in answers to submit_sm relate to those in receipts; as-is unless given"),
  longText: z
    .enum(["udh", "sar", "payload"])
    .default("udh")
    .describe("how long texts go: parts with a header (udh) or with SAR fields (sar), or in one piece (payload)"),
  window: whole(1, 1_000, 10, "submits that may be unanswered at once on a bind"),
  sessions: whole(1, 32, 1, "binds at once"),
  shortCodeTon: whole(0, 6, 3, "type of number (TON) of short codes"),
});

export type SmppSettings = z.output<typeof smppSettings>;

/** Takes what comes in. A delivery that it rejects is repeated by the centre. */
export type Sink = { take: (content: CallbackContent) => Promise<void> };

export type SmppAdapter = Adapter & {
  /** Waits until a submit could be written at once, at most `bindWaitMs`. It reserves nothing: `send` does. */
  ready: NonNullable<Adapter["ready"]>;
  /**
   * Takes nothing more, waits for what is under way for as long as an answer may take, and unbinds. What had no place yet
   * is given back as not sent.
   */
  close: () => Promise<void>;
  isBound: () => boolean;
};

/** Times in milliseconds. `responseTimeoutMs`: how long an answer to submit_sm is waited for. */
export type SmppOptions = {
  responseTimeoutMs?: number;
  bindTimeoutMs?: number;
  /** How long a message waits for a bind. */
  bindWaitMs?: number;
  enquireLinkMs?: number;
  enquireTimeoutMs?: number;
  unbindTimeoutMs?: number;
  backOff?: BackOff;
};

const STANDARD = {
  responseTimeoutMs: 15_000,
  bindTimeoutMs: 10_000,
  bindWaitMs: 5_000,
  enquireLinkMs: 30_000,
  enquireTimeoutMs: 10_000,
  unbindTimeoutMs: 3_000,
  backOff: { minMs: 500, maxMs: 30_000 },
};
const POLL_MS = 20;
const PORT_PLAIN = 2_775;
const PORT_SECURE = 3_550;

function targetOf(address: string): Target {
  const url = new URL(address);
  const isSecure = url.protocol === "ssmpp:";
  const port = Number(url.port) || (isSecure ? PORT_SECURE : PORT_PLAIN);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port, isSecure };
}

async function takeDelivery(pdu: Pdu, sink: Sink): Promise<void> {
  const delivered = readDeliver(pdu, randomUUID());
  if (delivered.kind === "receipt") await sink.take({ reports: [delivered.report], inbound: [] });
  else if (delivered.kind === "inbound") await sink.take({ reports: [], inbound: [delivered.inbound] });
  else log("warn", "smpp.delivery_ignored", { reason: delivered.reason });
}

/** Opens the binds that the settings ask for, at once, and keeps them until `close`. */
export function createSmppAdapter(settings: SmppSettings, sink: Sink, options: SmppOptions = {}): SmppAdapter {
  const times = { ...STANDARD, ...options };
  const binds = createBinds({
    ...times,
    target: targetOf(settings.url),
    bind: { system_id: settings.systemId, password: settings.password, system_type: settings.systemType },
    sessions: settings.sessions,
    window: settings.window,
    deliver: (pdu) => takeDelivery(pdu, sink),
  });
  const sendText = createSender(binds, { ...settings, responseTimeoutMs: times.responseTimeoutMs });
  let underWay = 0;

  async function drain(): Promise<void> {
    let isLate = false;
    const deadline = startDeadline(times.responseTimeoutMs, () => {
      isLate = true;
    });
    while (underWay > 0 && !isLate) await sleep(POLL_MS);
    deadline.clear();
  }

  return {
    id: "smpp",
    maxInFlight: settings.window * settings.sessions,
    isBound: binds.isBound,
    ready: binds.ready,
    send: async ({ message }) => {
      underWay += 1;
      try {
        return await sendText(message);
      } finally {
        underWay -= 1;
      }
    },
    close: async () => {
      binds.refuseNew();
      await drain();
      await binds.close();
    },
  };
}
