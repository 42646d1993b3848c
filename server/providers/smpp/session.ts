/** A bind that is kept: it is sought again whenever it is lost, and is watched while it stands. */
import { setTimeout as sleep } from "node:timers/promises";
import { startDeadline } from "../../core/deadline";
import { log } from "../../core/log";
import type { NotAccepted } from "../http/response";
import { type Answer, type Connection, isYes, openConnection, type Target } from "./connection";
import { createDeliveries, type Deliveries } from "./deliveries";
import { outcomeOfStatus, STATUS_NOT_BOUND, STATUS_UNKNOWN_COMMAND } from "./status";
import { type BackOff, backOffMs, createThrottle } from "./throttle";
import { type Pdu, STATUS_OK } from "./wire";

/** Times in milliseconds. */
export type SessionOptions = {
  target: Target;
  /** Fields of bind_transceiver. */
  bind: Record<string, unknown>;
  window: number;
  /** How long an answer to submit_sm is waited for, and so how long a bind drains before it is left. */
  responseTimeoutMs: number;
  bindTimeoutMs: number;
  enquireLinkMs: number;
  enquireTimeoutMs: number;
  unbindTimeoutMs: number;
  backOff: BackOff;
  /** Takes in a deliver_sm. It is acknowledged when this resolves, and repeated by the centre when it rejects. */
  deliver: (pdu: Pdu) => Promise<void>;
  /** Called when there may be room where there was none, or a bind was refused. */
  onChange: () => void;
};

export type Session = {
  /** Submits that may be added now; 0 when not bound, or when the centre wants no more for a while. */
  room: () => number;
  isBound: () => boolean;
  /** Why the centre did not let us in, when that is how the last try ended. */
  refusal: () => NotAccepted | null;
  /** Takes one place of {@link Session.room}; `submit` gives it back. */
  reserve: () => void;
  submit: (fields: Record<string, unknown>) => Promise<Answer>;
  /** Unbinds when what is outstanding was answered or has had its time, and ends for good. */
  close: () => Promise<void>;
};

/** A bind that stood this long or took a message was a success: its loss begins again at the shortest wait. */
const STABLE_MS = 10_000;
const POLL_MS = 20;
const INTERFACE_VERSION = 0x34;

/** One connection. `gone` is aborted, with the reason, once it is given nothing new: because it was left, or is over. */
type Line = { connection: Connection; deliveries: Deliveries; gone: AbortController };

const isThrottled = (answer: Answer): boolean => {
  if (answer.kind !== "answer" || answer.status === STATUS_OK) return false;
  const outcome = outcomeOfStatus(answer.status);
  return outcome.kind === "retryable" && outcome.fault === "throttled";
};

/** Resolves when a signal is aborted. */
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Begins to bind, and goes on for ever until it is closed. */
export function openSession(options: SessionOptions): Session {
  const { host, port } = options.target;
  const closing = new AbortController();
  const pace = createThrottle();
  /** Lines that were left and are still up. */
  const leaving = new Set<Promise<void>>();
  let dialled: Line | null = null;
  let bound: Line | null = null;
  let refusal: NotAccepted | null = null;
  let used = 0;
  let failures = 0;

  function dial(): Line {
    const connection = openConnection(options.target, (pdu) => serve(pdu, line));
    const deliveries = createDeliveries(options.deliver, (pdu, status) => connection.answer(pdu, status));
    const line = { connection, deliveries, gone: new AbortController() };
    connection.over.addEventListener("abort", () => line.gone.abort(connection.over.reason), { once: true });
    return line;
  }

  function serve(pdu: Pdu, line: Line): void {
    const { connection, deliveries } = line;
    if (pdu.command === "deliver_sm") void deliveries.take(pdu);
    else if (pdu.command === "enquire_link") connection.answer(pdu, STATUS_OK);
    else if (pdu.command === "unbind") {
      connection.answer(pdu, STATUS_OK);
      retire(line, "unbound by the message centre");
    } else if (pdu.command !== "alert_notification" && pdu.command !== "outbind") {
      // Those two want no answer, and nothing else is for us.
      connection.answer(pdu, STATUS_UNKNOWN_COMMAND, "generic_nack");
    }
  }

  /** Gives a line nothing new, and ends it in the background: the next bind need not wait for that. */
  function retire(line: Line, reason: string, isOurs = false): void {
    if (line.gone.signal.aborted) return;
    if (bound === line) bound = null;
    line.gone.abort(reason);
    const ended: Promise<void> = drain(line, reason, isOurs).finally(() => leaving.delete(ended));
    leaving.add(ended);
    options.onChange();
  }

  /** Waits for what is outstanding for as long as an answer may take, and hangs up. */
  async function drain({ connection, deliveries }: Line, reason: string, isOurs: boolean): Promise<void> {
    let isLate = false;
    const deadline = startDeadline(options.responseTimeoutMs, () => {
      isLate = true;
    });
    const last = async (isBusy: () => boolean) => {
      while (isBusy() && !isLate && !connection.over.aborted) await sleep(POLL_MS);
    };
    await last(() => connection.outstanding() > 0);
    // What still comes is repeated to another bind; after the unbind nothing could be answered any more.
    deliveries.stop();
    await last(() => deliveries.underWay() > 0);
    deadline.clear();
    if (isOurs) await connection.request("unbind", {}, options.unbindTimeoutMs);
    connection.end(reason);
    await aborted(connection.over);
  }

  async function bindOnce(line: Line): Promise<void> {
    const { connection } = line;
    const fields = { ...options.bind, interface_version: INTERFACE_VERSION };
    const answer = await connection.request("bind_transceiver", fields, options.bindTimeoutMs);
    refusal = answer.kind === "answer" && !isYes(answer) ? outcomeOfStatus(answer.status) : null;
    if (!isYes(answer) || closing.signal.aborted) {
      connection.destroy(
        refusal ? `bind refused with ${refusal.code}: ${refusal.detail}` : "no answer to bind_transceiver",
      );
      options.onChange();
      return;
    }
    bound = line;
    log("info", "smpp.bound", { host, port });
    options.onChange();
  }

  /** Asks the centre now and then whether it is there, until the line is gone. */
  async function watch({ connection, gone: { signal } }: Line): Promise<void> {
    while (!signal.aborted) {
      await sleep(options.enquireLinkMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const answer = await connection.request("enquire_link", {}, options.enquireTimeoutMs);
      if (answer.kind === "timeout" && !signal.aborted) connection.destroy("no answer to enquire_link");
    }
  }

  async function keepBound(): Promise<void> {
    while (!closing.signal.aborted) {
      const line = dial();
      const gone = line.gone.signal;
      dialled = line;
      await bindOnce(line);
      const boundAt = performance.now();
      void watch(line);
      await aborted(gone);
      if (bound === line) bound = null;
      if (closing.signal.aborted) return;
      if (performance.now() - boundAt >= STABLE_MS) failures = 0;
      failures += 1;
      const retryInMs = backOffMs(failures, Math.random(), options.backOff);
      log("warn", "smpp.not_bound", { host, port, reason: String(gone.reason), retry_in_ms: retryInMs });
      await sleep(retryInMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const done = keepBound();
  return {
    room: () => (bound && pace.hasTurn(performance.now()) ? options.window - used : 0),
    isBound: () => bound !== null,
    refusal: () => refusal,
    reserve: () => {
      used += 1;
    },
    submit: async (fields) => {
      try {
        const waitMs = pace.turn(performance.now());
        if (waitMs > 0) {
          await sleep(waitMs);
          // Its turn is over, so others may have the next one.
          options.onChange();
        }
        const line = bound;
        if (!line) return { kind: "unsent" };
        const answer = await line.connection.request("submit_sm", fields, options.responseTimeoutMs);
        if (isYes(answer)) {
          failures = 0;
          pace.faster();
        } else if (isThrottled(answer)) pace.slower(performance.now());
        else if (answer.kind === "answer" && answer.status === STATUS_NOT_BOUND) {
          retire(line, "the message centre says that we are not bound");
        }
        return answer;
      } finally {
        used -= 1;
        options.onChange();
      }
    },
    close: async () => {
      closing.abort();
      if (bound) retire(bound, "closed", true);
      else if (dialled && !dialled.gone.signal.aborted) dialled.connection.destroy("closed");
      await done;
      await Promise.all(leaving);
    },
  };
}
