/** SMPP 3.4: a bind to a message centre over which messages go out, and receipts and replies come in. */
import { randomInt, randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { log } from "../core/log";
import { ADDRESS, field, secret } from "./fields";
import type { Adapter, CallbackContent, Handover, Outcome } from "./port";
import { addressFields } from "./smpp-address";
import type { Answer, Target } from "./smpp-connection";
import type { BackOff } from "./smpp-pace";
import { partsOf } from "./smpp-parts";
import { readDeliver, submittedId } from "./smpp-receipt";
import { openSession, type Session } from "./smpp-session";
import { outcomeOfStatus } from "./smpp-status";
import { type Pdu, STATUS_OK } from "./smpp-wire";

const whole = (least: number, most: number, standard: number, description: string) =>
  z.coerce.number().int().min(least).max(most).default(standard).describe(`${description}; ${standard} unless given`);

/** What a field of the bind holds besides its NUL; whatever is longer, a centre would cut or refuse. */
const atMost = (octets: number): [(text: string) => boolean, string] => [
  (text) => Buffer.byteLength(text) <= octets,
  `must have at most ${octets} octets (SMPP 3.4)`,
];

export const smppSettings = z.object({
  url: z
    .url({ protocol: /^s?smpp$/, hostname: /./ })
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
  /** Takes nothing more, waits a few seconds for what is under way, and unbinds. */
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
  drainMs?: number;
  backOff?: BackOff;
};

const STANDARD = {
  responseTimeoutMs: 15_000,
  bindTimeoutMs: 10_000,
  bindWaitMs: 5_000,
  enquireLinkMs: 30_000,
  enquireTimeoutMs: 10_000,
  drainMs: 3_000,
  backOff: { minMs: 500, maxMs: 30_000 },
};
/** Times that a submit is tried while the centre says that it is asked too much, or loses the bind before it is written. */
const TRIES_MAX = 4;
const POLL_MS = 20;
const PORT_PLAIN = 2_775;
const PORT_SECURE = 3_550;

const NOT_BOUND: Outcome = {
  kind: "retryable",
  code: "not_bound",
  detail: "There is no bind to the message centre.",
  fault: "provider",
};

function targetOf(address: string): Target {
  const url = new URL(address);
  const isSecure = url.protocol === "ssmpp:";
  const port = Number(url.port) || (isSecure ? PORT_SECURE : PORT_PLAIN);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port, isSecure };
}

function outcomeOf(answer: Answer, idRadix: SmppSettings["idRadix"]): Outcome {
  if (answer.kind === "answer") {
    if (answer.status !== STATUS_OK) return outcomeOfStatus(answer.status);
    return { kind: "accepted", providerMessageIds: [submittedId(answer.messageId, idRadix)].filter(Boolean) };
  }
  if (answer.kind === "unsent") return NOT_BOUND;
  return answer.kind === "timeout"
    ? { kind: "unknown", code: "timeout", detail: "The message centre did not answer submit_sm in time." }
    : { kind: "unknown", code: "connection_lost", detail: "The connection was lost with submit_sm unanswered." };
}

async function takeDelivery(pdu: Pdu, sink: Sink): Promise<void> {
  const delivered = readDeliver(pdu, randomUUID());
  if (delivered.kind === "receipt") await sink.take({ reports: [delivered.report], inbound: [] });
  else if (delivered.kind === "inbound") await sink.take({ reports: [], inbound: [delivered.inbound] });
  else log("warn", "smpp.delivery_ignored", { reason: delivered.reason });
}

/** Opens the binds that the settings ask for, at once, and keeps them until `close`. */
export function openSmpp(settings: SmppSettings, sink: Sink, options: SmppOptions = {}): SmppAdapter {
  const times = { ...STANDARD, ...options };
  const changes = new EventEmitter().setMaxListeners(0);
  const sessions = Array.from({ length: settings.sessions }, () =>
    openSession({
      ...times,
      target: targetOf(settings.url),
      bind: { system_id: settings.systemId, password: settings.password, system_type: settings.systemType },
      window: settings.window,
      deliver: (pdu) => takeDelivery(pdu, sink),
      onChange: () => changes.emit("change"),
    }),
  );
  const isBound = () => sessions.some((session) => session.isBound());
  let reference = randomInt(0x10000);
  let underWay = 0;
  let isClosing = false;

  /** Why every bind is refused, when that is because of our account: then there is no point in waiting for one. */
  function accountRefusal(): Outcome | null {
    const refusals = sessions.map((session) => session.refusal());
    const [first = null] = refusals;
    const isAccount = refusals.every((refusal) => refusal?.kind === "retryable" && refusal.fault === "account");
    return isAccount ? first : null;
  }

  /** A place on the bind that has the most room; null when there is no bind and none came in time. */
  async function reserve(): Promise<Session | null> {
    let deadline = Date.now() + times.bindWaitMs;
    for (;;) {
      const roomiest = sessions.reduce<Session | null>(
        (best, session) => (session.room() > (best?.room() ?? 0) ? session : best),
        null,
      );
      if (roomiest) {
        roomiest.reserve();
        return roomiest;
      }
      // Bound but full: an answer or its time-out makes room.
      if (isBound()) deadline = Date.now() + times.bindWaitMs;
      else if (isClosing) return null;
      const leftMs = deadline - Date.now();
      if (leftMs <= 0 || accountRefusal()) return null;
      await once(changes, "change", { signal: AbortSignal.timeout(leftMs) }).catch(() => undefined);
    }
  }

  async function submit(fields: Record<string, unknown>): Promise<Outcome> {
    for (let tries = 1; ; tries++) {
      const session = await reserve();
      if (!session) return accountRefusal() ?? NOT_BOUND;
      const answer = await session.submit(fields);
      const outcome = outcomeOf(answer, settings.idRadix);
      const isThrottled = outcome.kind === "retryable" && outcome.fault === "throttled";
      if (tries >= TRIES_MAX || !(isThrottled || answer.kind === "unsent")) return outcome;
    }
  }

  /** One part after the other: as long as the first has not been taken, nothing has been sent. */
  async function sendParts({ message }: Handover): Promise<Outcome> {
    reference = (reference + 1) & 0xffff;
    const parts = partsOf(message.body, settings.longText, reference);
    const addresses = addressFields(message.from, message.to, settings.shortCodeTon);
    const providerMessageIds: string[] = [];
    for (const [index, part] of parts.entries()) {
      const outcome = await submit({ ...addresses, ...part, registered_delivery: 1 });
      if (outcome.kind === "accepted") providerMessageIds.push(...outcome.providerMessageIds);
      else if (outcome.kind === "unknown" || index === 0) return outcome;
      else {
        const detail = `Part ${index + 1} of ${parts.length} was not taken. ${outcome.detail}`;
        return { kind: "accepted", providerMessageIds, lost: { code: outcome.code, detail } };
      }
    }
    return { kind: "accepted", providerMessageIds };
  }

  return {
    id: "smpp",
    maxInFlight: settings.window * settings.sessions,
    isBound,
    send: async (handover) => {
      if (isClosing) return NOT_BOUND;
      underWay += 1;
      try {
        return await sendParts(handover);
      } finally {
        underWay -= 1;
      }
    },
    close: async () => {
      isClosing = true;
      const until = Date.now() + times.drainMs;
      changes.emit("change");
      while (underWay > 0 && Date.now() < until) await sleep(POLL_MS);
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}
