/** A permanent bind: monitored while it is bound, and bound again whenever it is lost. */
import { setTimeout as sleep } from "node:timers/promises";
import { nextRead, socketsRead } from "../../core/deadline";
import { log } from "../../core/log";
import type { NotAccepted } from "../http/response";
import { isOk, type OnLate, type RequestResult, type Target } from "./connection";
import { aborted, drainLine, type Line, openLine, watchLine } from "./line";
import { outcomeOfStatus, STATUS_NOT_BOUND } from "./status";
import { type BackOff, backOffMs, createThrottle, GAP_MAX_MS, type Throttle } from "./throttle";
import { type Pdu, STATUS_OK } from "./wire";

export type BindCommand = "bind_transceiver" | "bind_transmitter" | "bind_receiver";

/** Times in milliseconds. */
export type SessionOptions = {
  target: Target;
  /** The command that binds. A receiver submits nothing. */
  command: BindCommand;
  /** Fields of the bind. */
  bind: Record<string, unknown>;
  /** Highest number of submits without a response. */
  window: number;
  /** Timeout of submit_sm, and therefore the time for which a bind drains before it is dropped. */
  responseTimeoutMs: number;
  bindTimeoutMs: number;
  enquireLinkMs: number;
  enquireTimeoutMs: number;
  unbindTimeoutMs: number;
  backOff: BackOff;
  /** Takes a delivery. It is acknowledged when this resolves, and repeated by the centre when it rejects. */
  deliver: (pdu: Pdu) => Promise<void>;
  /** Called when there may be capacity where there was none, or a bind was refused. */
  onChange: () => void;
};

export type Session = {
  /** Submits that may be added now and would be written within `withinMs`, by default {@link SOON_MS}; 0 when not bound. */
  capacity: (withinMs?: number) => number;
  /** Submits for which the window has room; 0 when not bound. */
  free: () => number;
  /** Reserved and outstanding submits. */
  used: () => number;
  isBound: () => boolean;
  /** Why the centre refused the last bind; null when it did not. */
  refusal: () => NotAccepted | null;
  /** Why there is no bind; null: there is one, or none has ended yet. */
  loss: () => Loss | null;
  /** Takes one unit of {@link Session.capacity}, and schedules its submit; call `submit` once, which returns the unit. */
  reserve: () => Turn;
  /** Unbinds after outstanding submits have got a response or timed out, and ends for good. */
  close: () => Promise<void>;
};

/** A reserved unit of a bind's capacity, and the time slot in which its submit is written. */
export type Turn = {
  /**
   * Writes a submit when its time has come, if its permission holds then or can be renewed; otherwise it stays unsent.
   * @param onLate called with a response that arrives after the timeout, while the connection is open.
   */
  submit: (fields: Record<string, unknown>, permission: Permission, onLate?: OnLate) => Promise<RequestResult>;
};

/** Permission to write a submit. */
export type Permission = {
  holds: () => boolean;
  /** Renews a permission that has expired. @returns whether it is valid again. */
  renew: () => Promise<boolean>;
};

/** Submits that would wait for longer are better left to others: a second, and a margin because timers may be early. */
export const SOON_MS = GAP_MAX_MS + 50;

/** Why a bind ended or was not made. `ownFailure`: the failure of this machine that prevented it; null: none. */
type Loss = { reason: string; ownFailure: string | null };

/** A bind that lasted this long, or took a message, was successful: after its loss the waits start at the shortest again. */
const STABLE_MS = 10_000;
const INTERFACE_VERSION = 0x34;

type State = {
  options: SessionOptions;
  throttle: Throttle;
  closing: AbortController;
  /** Lines that are being drained. */
  leaving: Set<Promise<void>>;
  /** The latest line, bound or not. */
  dialed: Line | null;
  bound: Line | null;
  refusal: NotAccepted | null;
  loss: Loss | null;
  /** Reserved and outstanding submits. */
  used: number;
  /** Lost binds in a row. */
  failures: number;
};

const isThrottled = (result: RequestResult): boolean => {
  if (result.kind !== "response" || result.status === STATUS_OK) return false;
  const outcome = outcomeOfStatus(result.status);
  return outcome.kind === "retryable" && outcome.fault === "throttled";
};

/** Stops using a line and drains it in the background; the next bind does not wait for that. */
function retire(state: State, line: Line, reason: string, unbindTimeoutMs: number | null = null): void {
  if (line.gone.signal.aborted) return;
  if (state.bound === line) state.bound = null;
  line.gone.abort(reason);
  const drained = drainLine(line, reason, state.options.responseTimeoutMs, unbindTimeoutMs);
  const ended: Promise<void> = drained.finally(() => state.leaving.delete(ended));
  state.leaving.add(ended);
  state.options.onChange();
}

function dial(state: State): Line {
  const { target, deliver } = state.options;
  const onUnbound = (line: Line) => retire(state, line, "unbound by the message centre");
  const line = openLine({ target, deliver, onUnbound });
  state.dialed = line;
  return line;
}

/** Binds on a new line, and hangs up when it is refused or times out. */
async function bindOnce(state: State, line: Line): Promise<void> {
  const { command, bind, bindTimeoutMs, target, onChange } = state.options;
  const fields = { ...bind, interface_version: INTERFACE_VERSION };
  const result = await line.connection.request(command, fields, bindTimeoutMs);
  // Some centres accept a bind and immediately end it, for example when the account has too many.
  if (isOk(result)) await nextRead();
  state.refusal = result.kind === "response" && !isOk(result) ? outcomeOfStatus(result.status) : null;
  if (!isOk(result) || state.closing.signal.aborted) line.connection.destroy(unboundReason(state.refusal));
  else if (line.connection.isOpen() && !line.gone.signal.aborted) {
    state.bound = line;
    state.loss = null;
    log("info", "smpp.bound", { host: target.host, port: target.port, command });
  }
  onChange();
}

const unboundReason = (refusal: NotAccepted | null): string =>
  refusal ? `bind refused with ${refusal.code}: ${refusal.detail}` : "no response to the bind";

/** Keeps one bind until it ends. */
async function holdBind(state: State): Promise<Loss> {
  const line = dial(state);
  await bindOnce(state, line);
  const boundAt = performance.now();
  void watchLine(line, state.options);
  await aborted(line.gone.signal);
  if (state.bound === line) state.bound = null;
  if (performance.now() - boundAt >= STABLE_MS) state.failures = 0;
  return { reason: String(line.gone.signal.reason), ownFailure: line.connection.ownFailure() };
}

async function keepBound(state: State): Promise<void> {
  const { target, backOff } = state.options;
  const { signal } = state.closing;
  while (!signal.aborted) {
    const loss = await holdBind(state);
    if (signal.aborted) return;
    state.loss = loss;
    state.failures += 1;
    const retryInMs = backOffMs(state.failures, Math.random(), backOff);
    log("warn", "smpp.not_bound", {
      host: target.host,
      port: target.port,
      reason: loss.reason,
      retry_in_ms: retryInMs,
    });
    await sleep(retryInMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether there is a bind that the centre has not begun to end. */
const isBound = ({ bound }: State): boolean => bound?.connection.isOpen() ?? false;

/** Submits on a reserved unit of capacity, in `waitMs` milliseconds. */
async function submit(
  state: State,
  waitMs: number,
  fields: Record<string, unknown>,
  permission: Permission,
  onLate?: OnLate,
): Promise<RequestResult> {
  const { options, throttle } = state;
  if (waitMs > 0) {
    await sleep(waitMs);
    // This submit's time slot is used up, so another submit may be scheduled.
    options.onChange();
  }
  if (!permission.holds() && !(await permission.renew())) return { kind: "unsent" };
  // The centre may have hung up during a stall that has just ended.
  await socketsRead();
  const line = state.bound;
  if (!line || !permission.holds()) return { kind: "unsent" };
  const result = await line.connection.request("submit_sm", fields, options.responseTimeoutMs, onLate);
  if (isOk(result)) {
    state.failures = 0;
    throttle.speedUp();
  } else if (isThrottled(result)) throttle.slowDown(performance.now());
  else if (result.kind === "response" && result.status === STATUS_NOT_BOUND) {
    retire(state, line, "the message centre says that we are not bound");
  }
  return result;
}

/** Begins to bind, and binds again after every loss until it is closed. */
export function openSession(options: SessionOptions): Session {
  const state: State = {
    options,
    throttle: createThrottle(),
    closing: new AbortController(),
    leaving: new Set(),
    dialed: null,
    bound: null,
    refusal: null,
    loss: null,
    used: 0,
    failures: 0,
  };
  const ended = keepBound(state);
  const free = () => (isBound(state) ? options.window - state.used : 0);
  return {
    capacity: (withinMs = SOON_MS) => Math.min(free(), state.throttle.room(performance.now(), withinMs)),
    free,
    used: () => state.used,
    isBound: () => isBound(state),
    refusal: () => state.refusal,
    loss: () => state.loss,
    reserve: () => {
      state.used += 1;
      const atMs = performance.now() + state.throttle.schedule(performance.now());
      return {
        submit: async (...args) => {
          try {
            return await submit(state, atMs - performance.now(), ...args);
          } finally {
            state.used -= 1;
            options.onChange();
          }
        },
      };
    },
    close: async () => {
      state.closing.abort();
      if (state.bound) retire(state, state.bound, "closed", options.unbindTimeoutMs);
      else if (state.dialed && !state.dialed.gone.signal.aborted) state.dialed.connection.destroy("closed");
      await ended;
      await Promise.all(state.leaving);
    },
  };
}
