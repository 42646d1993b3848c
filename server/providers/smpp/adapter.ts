/** SMPP 3.4: a bind to a message centre over which messages go out, and receipts and replies come in. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { hasStalledSince, stalledMs, startDeadline } from "../../core/deadline";
import { errorFields, log } from "../../core/log";
import { callbackContent, reportFrom } from "../http/callback-content";
import { ofOurStall } from "../http/response";
import type { Adapter, CallbackContent, SendOutcome } from "../port";
import { createBinds, NOT_BOUND } from "./binds";
import { readDeliver } from "./receipt";
import { createSubmitter, type OnTakenLate } from "./send";
import { type SmppSettings, targetOf } from "./settings";
import type { Alphabet } from "./text";
import { type BackOff, backOffMs } from "./throttle";
import type { Pdu } from "./wire";

/** Takes receipts and messages from handsets. The centre repeats a delivery that it rejects. */
export type Sink = { take: (content: CallbackContent) => Promise<void> };

export type SmppAdapter = Adapter & {
  /** Waits until a submit could be written at once, at most `bindWaitMs`. It reserves nothing; `send` does. */
  ready: NonNullable<Adapter["ready"]>;
  /**
   * Refuses new messages, waits for those under way for as long as a response may take, and unbinds. Messages that have
   * reserved no bind yet end as not sent.
   */
  close: () => Promise<void>;
  isBound: () => boolean;
};

/** Times in milliseconds. `responseTimeoutMs`: timeout of submit_sm. */
export type SmppOptions = {
  responseTimeoutMs?: number;
  bindTimeoutMs?: number;
  /** Longest wait of a message for a bind. */
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

async function takeDelivery(pdu: Pdu, sink: Sink, alphabet: Alphabet): Promise<void> {
  const delivered = readDeliver(pdu, randomUUID(), alphabet);
  if (delivered.kind === "receipt") await sink.take(callbackContent({ reports: [delivered.report] }));
  else if (delivered.kind === "inbound") {
    const { inbound, unreadable } = delivered;
    if (unreadable) log("warn", "smpp.text_unreadable", { reason: unreadable });
    await sink.take(callbackContent({ inbound: [inbound] }));
  } else log("warn", "smpp.delivery_ignored", { reason: delivered.reason });
}

/** The number of tries, about ten minutes, to store a report that the centre will not repeat. */
const STORE_TRIES_MAX = 25;
const STORE_PAUSES: BackOff = { minMs: 500, maxMs: 30_000 };

/** Stores a report that only this process knows of, through an outage of the database, until `isClosed`. */
async function takeOwn(content: CallbackContent, sink: Sink, isClosed: () => boolean): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await sink.take(content);
    } catch (thrown) {
      const isLast = tries >= STORE_TRIES_MAX || isClosed();
      log(isLast ? "error" : "warn", "smpp.late_response_not_taken", errorFields(thrown));
      if (isLast) return;
      await sleep(backOffMs(tries, Math.random(), STORE_PAUSES));
    }
  }
}

/**
 * Marks an outcome that a stall of this process may have caused. A centre hangs up on a stalled process, so a lost connection, or a
 * missing response or bind, does not count against the centre then. Its responses do.
 */
async function markingStalls<Empty extends null>(
  work: () => Promise<SendOutcome | Empty>,
): Promise<SendOutcome | Empty> {
  const markMs = stalledMs();
  const outcome = await work();
  if (outcome === null || outcome.kind === "accepted") return outcome;
  const isWithoutResponse = outcome.kind === "unknown" || outcome.code === NOT_BOUND.code;
  return isWithoutResponse && hasStalledSince(markMs) ? ofOurStall(outcome) : outcome;
}

/** Waits until no call is under way, at most `withinMs`. */
async function untilIdle(calls: { underWay: number }, withinMs: number): Promise<void> {
  let isLate = false;
  const deadline = startDeadline(withinMs, () => {
    isLate = true;
  });
  while (calls.underWay > 0 && !isLate) await sleep(POLL_MS);
  deadline.clear();
}

/** Opens the binds of the settings at once, and keeps them up until `close`. */
export function createSmppAdapter(settings: SmppSettings, sink: Sink, options: SmppOptions = {}): SmppAdapter {
  const times = { ...STANDARD, ...options };
  const binds = createBinds({
    ...times,
    target: targetOf(settings.url),
    bind: { system_id: settings.systemId, password: settings.password, system_type: settings.systemType },
    sessions: settings.sessions,
    isSeparate: settings.bind === "separate",
    window: settings.window,
    deliver: (pdu) => takeDelivery(pdu, sink, settings.alphabet),
  });
  const calls = { underWay: 0 };
  let isClosed = false;
  const whileUnderWay = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    calls.underWay += 1;
    try {
      return await work();
    } finally {
      calls.underWay -= 1;
    }
  };
  // SMPP receipts do not carry our reference: without the id in this response none could be matched.
  const takeLate: OnTakenLate = ({ reference }, id, isInParts) => {
    const reported = {
      providerMessageId: id || reference,
      reference,
      status: "sent",
      code: null,
      detail: null,
    } as const;
    const report = reportFrom({ ...reported, ...(!isInParts && { isOfWhole: true }) });
    void whileUnderWay(() => takeOwn(callbackContent({ reports: [report] }), sink, () => isClosed));
  };
  const sendText = createSubmitter(binds, { ...settings, responseTimeoutMs: times.responseTimeoutMs }, takeLate);

  return {
    id: "smpp",
    maxInFlight: settings.window * settings.sessions,
    isBound: binds.isBound,
    ready: () => markingStalls<null>(binds.ready),
    isReady: binds.isReady,
    limitNow: binds.limitNow,
    send: (sendRequest) => whileUnderWay(() => markingStalls<never>(() => sendText(sendRequest))),
    close: async () => {
      binds.refuseNew();
      await untilIdle(calls, times.responseTimeoutMs);
      isClosed = true;
      await binds.close();
    },
  };
}
