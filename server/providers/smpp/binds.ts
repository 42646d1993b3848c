/** The binds of one account at a message centre, and the turns that submits reserve on them. */
import { EventEmitter, once } from "node:events";
import { startDeadline } from "../../core/deadline";
import { type NotAccepted, ofOurStall, sentences } from "../http/response";
import type { Fault } from "../port";
import { type BindCommand, openSession, type Session, type SessionOptions, type Turn } from "./session";
import { GAP_MAX_MS } from "./throttle";

/** The outcome when there was no bind, and none was made in time. */
export const NOT_BOUND: NotAccepted = {
  kind: "retryable",
  code: "not_bound",
  detail: "There is no bind to the message centre.",
  fault: "provider",
};
/** The centre itself works: another provider, or this one a little later, may take the message. */
export const CLOSING: NotAccepted = {
  kind: "retryable",
  code: "bind_closing",
  detail: "The bind to the message centre is being closed.",
  fault: "throttled",
};
const BUSY = {
  kind: "retryable",
  code: "centre_busy",
  detail: "The message centre takes no more messages at the moment.",
  fault: "throttled",
} as const;
/** There is no turn soon enough: nothing was written, and the message waits elsewhere until there is room. */
export const NO_TURN: NotAccepted = { ...BUSY, isNotMade: true };

/** Times in milliseconds. */
export type BindsOptions = Omit<SessionOptions, "onChange" | "command"> & {
  /** Number of concurrent binds; of each kind if they are separate. */
  sessions: number;
  /** Whether a transmitter and a receiver are bound instead of a transceiver. */
  isSeparate: boolean;
  /** Longest wait for a bind. */
  bindWaitMs: number;
};

export type Binds = {
  isBound: () => boolean;
  /** Whether there is capacity now. */
  isReady: () => boolean;
  /** Number of submits that the binds have and could take within about a second; infinite while there is no bind. */
  limitNow: () => number;
  /** Waits for capacity, at most `bindWaitMs`, and reserves none. @returns null, or why there is none. */
  ready: () => Promise<NotAccepted | null>;
  /**
   * Reserves a turn on the bind that has the most capacity. If there is no bind, it waits for one, at most `bindWaitMs`.
   * @param wait how long a turn may take.
   * @returns the turn, or why there is none: {@link NO_TURN} when it would take too long.
   */
  reserve: (wait: Wait) => Promise<{ turn: Turn } | { none: NotAccepted }>;
  /** From now on reserves capacity only for messages that were partly sent. */
  refuseNew: () => void;
  /** Unbinds after outstanding submits have got a response or timed out, and ends for good. */
  close: () => Promise<void>;
};

/**
 * How long a submit waits for its turn.
 * - `isBegun`: part of the message was sent, so the rest goes out even while the binds are closing.
 * - `withinMs`: time in which it must be written once there is a bind; null: as long as it takes.
 */
export type Wait = { isBegun: boolean; withinMs: number | null };

/** Submits that wait as long as it takes are scheduled this far ahead: further than others, so that begun messages are sent first. */
const AHEAD_MS = 4 * GAP_MAX_MS;

/** The bind with the most capacity; null when none has any. `withinMs`: as in {@link Session.capacity}. */
function freestOf(sessions: readonly Session[], withinMs?: number): Session | null {
  let best: Session | null = null;
  let most = 0;
  for (const session of sessions) {
    const capacity = session.capacity(withinMs);
    if (capacity <= most) continue;
    [best, most] = [session, capacity];
  }
  return best;
}

/** The refusal of the binds, if every bind is refused with this fault; else null. */
function refusalFor(sessions: readonly Session[], fault: Fault): NotAccepted | null {
  const refusals = sessions.map((session) => session.refusal());
  const [first = null] = refusals;
  return refusals.every((refusal) => refusal?.kind === "retryable" && refusal.fault === fault) ? first : null;
}

/** Why there is no bind. */
function whyUnbound(sessions: readonly Session[]): NotAccepted {
  const refusal = refusalFor(sessions, "account") ?? refusalFor(sessions, "throttled");
  if (refusal) return refusal;
  const losses = sessions.map((session) => session.loss());
  const ownFailures = losses.flatMap((loss) => loss?.ownFailure ?? []);
  const providerDetail = sentences(...(ownFailures.length > 0 ? ownFailures : losses.map((loss) => loss?.reason)));
  const outcome = { ...NOT_BOUND, ...(providerDetail && { providerDetail }) };
  return ownFailures.length === losses.length ? ofOurStall(outcome) : outcome;
}

/** Changes of the binds, for those who wait for one. */
function createChanges() {
  const changes = new EventEmitter().setMaxListeners(0);
  const changed = () => void changes.emit("change");
  const next = () => once(changes, "change");
  return {
    changed,
    next,
    /** Waits until `isMet`, at most `limitMs`, not counting stalls of this process. */
    async until(isMet: () => boolean, limitMs: number): Promise<void> {
      let isLate = false;
      const deadline = startDeadline(limitMs, () => {
        isLate = true;
        changed();
      });
      while (!isMet() && !isLate) await next();
      deadline.clear();
    },
  };
}

/** Opens binds, and keeps them until they are closed. */
export function createBinds({ sessions: count, isSeparate, bindWaitMs, ...options }: BindsOptions): Binds {
  const { changed, next, until } = createChanges();
  const open = (command: BindCommand) =>
    Array.from({ length: count }, () => openSession({ ...options, command, onChange: changed }));
  const sessions = open(isSeparate ? "bind_transmitter" : "bind_transceiver");
  // Receipts and replies come in over these; nothing waits for them, as nothing is submitted there.
  const receivers = isSeparate ? open("bind_receiver") : [];
  const isBound = () => sessions.some((session) => session.isBound());
  /** Whether a window has room, so that only the centre's throttling keeps a submit from being written there. */
  const isThrottled = () => sessions.some((session) => session.free() > 0);
  /** Whether a window is full, in which a response or a timeout makes room. Turns in the others only move further away. */
  const isFull = () => sessions.some((session) => session.isBound() && session.free() <= 0);
  /** Whether every bind is refused because of our account, so that waiting for one is pointless. */
  const isAccountRefused = () => refusalFor(sessions, "account") !== null;
  let isRefusing = false;
  let isClosed = false;

  return {
    isBound,
    isReady: () => !isRefusing && freestOf(sessions) !== null,
    limitNow: () =>
      isBound()
        ? sessions.reduce((sum, session) => sum + session.used() + session.capacity(), 0)
        : Number.POSITIVE_INFINITY,
    ready: async () => {
      await until(() => isRefusing || freestOf(sessions) !== null || isAccountRefused(), bindWaitMs);
      if (isRefusing) return CLOSING;
      if (freestOf(sessions)) return null;
      if (!isBound()) return whyUnbound(sessions);
      return isThrottled() ? NO_TURN : BUSY;
    },
    reserve: async ({ isBegun, withinMs }) => {
      const isRefused = () => isClosed || (isRefusing && !isBegun);
      let sinceMs = performance.now();
      for (;;) {
        if (isRefused()) return { none: CLOSING };
        const freest = () => freestOf(sessions, withinMs === null ? AHEAD_MS : sinceMs + withinMs - performance.now());
        const session = freest();
        if (session) return { turn: session.reserve() };
        if (!isBound()) {
          await until(() => isBound() || isRefused() || isAccountRefused(), bindWaitMs);
          if (!isBound() && !isRefused()) return { none: whyUnbound(sessions) };
          sinceMs = performance.now();
        } else if (withinMs === null) await next();
        else {
          const leftMs = sinceMs + withinMs - performance.now();
          if (leftMs <= 0 || !isFull()) return { none: NO_TURN };
          await until(() => freest() !== null || !isFull() || isRefused(), leftMs);
        }
      }
    },
    refuseNew: () => {
      isRefusing = true;
      changed();
    },
    close: async () => {
      isRefusing = true;
      isClosed = true;
      changed();
      // The receivers close last, because receipts still come in while the transmitters wait for their responses.
      await Promise.all(sessions.map((session) => session.close()));
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
}
