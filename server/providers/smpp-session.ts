/** A bind that is kept: it is sought again whenever it is lost, and is watched while it stands. */
import { setTimeout as sleep } from "node:timers/promises";
import { errorFields, log } from "../core/log";
import type { NotAccepted } from "./answer";
import { type Answer, type Connection, isYes, openConnection, type Target } from "./smpp-connection";
import { type BackOff, backOffMs, openPace } from "./smpp-pace";
import { outcomeOfStatus, STATUS_NOT_BOUND, STATUS_TEMPORARY, STATUS_UNKNOWN_COMMAND } from "./smpp-status";
import { type Pdu, STATUS_OK } from "./smpp-wire";

export type SessionOptions = {
  target: Target;
  /** Fields of bind_transceiver. */
  bind: Record<string, unknown>;
  window: number;
  responseTimeoutMs: number;
  bindTimeoutMs: number;
  enquireLinkMs: number;
  enquireTimeoutMs: number;
  drainMs: number;
  backOff: BackOff;
  /** What a deliver_sm says. It is acknowledged when this resolves, and repeated by the centre when it rejects. */
  deliver: (pdu: Pdu) => Promise<void>;
  /** Called when there may be room where there was none, or a bind was refused. */
  onChange: () => void;
};

export type Session = {
  /** Submits that may be added now; 0 when not bound. */
  room: () => number;
  isBound: () => boolean;
  /** Why the centre did not let us in, when that is how the last try ended. */
  refusal: () => NotAccepted | null;
  /** Takes one place of {@link Session.room}; `submit` gives it back. */
  reserve: () => void;
  submit: (fields: Record<string, unknown>) => Promise<Answer>;
  /** Unbinds after what is outstanding, and ends for good. */
  close: () => Promise<void>;
};

/** A bind that stood this long or took a message was a success: its loss begins again at the shortest wait. */
const STABLE_MS = 10_000;
/** deliver_sm under way at once before the centre has to wait. */
const DELIVERIES_MAX = 200;
const POLL_MS = 20;
const INTERFACE_VERSION = 0x34;

const hasFault = (answer: Answer, fault: string): boolean => {
  if (answer.kind !== "answer" || answer.status === STATUS_OK) return false;
  const outcome = outcomeOfStatus(answer.status);
  return outcome.kind === "retryable" && outcome.fault === fault;
};

/** Begins to bind, and goes on for ever until it is closed. */
export function openSession(options: SessionOptions): Session {
  const closing = new AbortController();
  const pace = openPace();
  const deliveries = new WeakMap<Connection, number>();
  let dialled: Connection | null = null;
  let bound: Connection | null = null;
  let refusal: NotAccepted | null = null;
  let used = 0;
  let failures = 0;

  /** Adds to the deliveries under way on a connection, and tells how many there are now. */
  function count(connection: Connection, added: number): number {
    const present = (deliveries.get(connection) ?? 0) + added;
    deliveries.set(connection, present);
    return present;
  }

  async function deliver(pdu: Pdu, connection: Connection): Promise<void> {
    if (count(connection, 1) === DELIVERIES_MAX) connection.holdBack(true);
    let status = STATUS_OK;
    try {
      await options.deliver(pdu);
    } catch (thrown) {
      status = STATUS_TEMPORARY;
      log("warn", "smpp.delivery_not_taken", errorFields(thrown));
    }
    connection.answer(pdu, status);
    if (count(connection, -1) === DELIVERIES_MAX - 1) connection.holdBack(false);
  }

  function serve(pdu: Pdu, connection: Connection): void {
    if (pdu.command === "deliver_sm") void deliver(pdu, connection);
    else if (pdu.command === "enquire_link") connection.answer(pdu, STATUS_OK);
    else if (pdu.command === "unbind") {
      connection.answer(pdu, STATUS_OK);
      void retire(connection, "unbound by the message centre");
    } else if (pdu.command !== "alert_notification" && pdu.command !== "outbind") {
      // Those two want no answer, and nothing else is for us.
      connection.answer(pdu, STATUS_UNKNOWN_COMMAND, "generic_nack");
    }
  }

  /** Hands it nothing more, waits a while for what is outstanding, and hangs up. */
  async function retire(connection: Connection, reason: string, isOurs = false): Promise<void> {
    if (bound === connection) bound = null;
    options.onChange();
    const until = Date.now() + options.drainMs;
    const isBusy = () => connection.outstanding() > 0 || count(connection, 0) > 0;
    while (isBusy() && Date.now() < until && !connection.over.aborted) await sleep(POLL_MS);
    if (isOurs) await connection.request("unbind", {}, options.drainMs);
    connection.end(reason);
  }

  const hasEnded = (connection: Connection) =>
    new Promise<void>((resolve) => {
      if (connection.over.aborted) resolve();
      else connection.over.addEventListener("abort", () => resolve(), { once: true });
    });

  async function bindOnce(connection: Connection): Promise<void> {
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
    bound = connection;
    log("info", "smpp.bound", { host: options.target.host, port: options.target.port });
    options.onChange();
  }

  async function watch(connection: Connection): Promise<void> {
    while (!connection.over.aborted) {
      await sleep(options.enquireLinkMs, undefined, { signal: connection.over }).catch(() => undefined);
      if (connection.over.aborted) return;
      const answer = await connection.request("enquire_link", {}, options.enquireTimeoutMs);
      if (answer.kind === "timeout") connection.destroy("no answer to enquire_link");
    }
  }

  async function keepBound(): Promise<void> {
    while (!closing.signal.aborted) {
      const connection = openConnection(options.target, serve);
      dialled = connection;
      await bindOnce(connection);
      const boundAt = Date.now();
      await Promise.all([watch(connection), hasEnded(connection)]);
      if (bound === connection) bound = null;
      if (closing.signal.aborted) return;
      if (Date.now() - boundAt >= STABLE_MS) failures = 0;
      failures += 1;
      const retryInMs = backOffMs(failures, Math.random(), options.backOff);
      const { host, port } = options.target;
      log("warn", "smpp.not_bound", { host, port, reason: String(connection.over.reason), retry_in_ms: retryInMs });
      await sleep(retryInMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const done = keepBound();
  return {
    room: () => (bound ? options.window - used : 0),
    isBound: () => bound !== null,
    refusal: () => refusal,
    reserve: () => {
      used += 1;
    },
    submit: async (fields) => {
      try {
        const waitMs = pace.turn(Date.now());
        if (waitMs > 0) await sleep(waitMs);
        const connection = bound;
        if (!connection) return { kind: "unsent" };
        const answer = await connection.request("submit_sm", fields, options.responseTimeoutMs);
        if (isYes(answer)) {
          failures = 0;
          pace.faster();
        } else if (hasFault(answer, "throttled")) pace.slower(Date.now());
        else if (answer.kind === "answer" && answer.status === STATUS_NOT_BOUND) {
          void retire(connection, "the message centre says that we are not bound");
        }
        return answer;
      } finally {
        used -= 1;
        options.onChange();
      }
    },
    close: async () => {
      closing.abort();
      if (bound) await retire(bound, "closed", true);
      else dialled?.destroy("closed");
      await done;
    },
  };
}
