/** The binds of one account at a message centre, and the shares of their windows that submits reserve. */
import { EventEmitter, once } from "node:events";
import { startDeadline } from "../../core/deadline";
import { type NotAccepted, ofOurStall, sentences } from "../http/response";
import type { Fault } from "../port";
import { type BindCommand, openSession, type Session, type SessionOptions } from "./session";

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
const BUSY: NotAccepted = {
  kind: "retryable",
  code: "centre_busy",
  detail: "The message centre takes no more at the moment.",
  fault: "throttled",
};

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
  /** Waits for capacity, at most `bindWaitMs`, and reserves none. @returns null, or why there is none. */
  ready: () => Promise<NotAccepted | null>;
  /**
   * Reserves capacity on the bind that has the most. If all windows are full it waits for a response or a timeout; if there is no bind,
   * it waits for one, at most `bindWaitMs`.
   * @param isBegun part of the message was sent, so the rest goes out even while the binds are closing.
   * @returns the bind to submit to, or why there is none.
   */
  reserve: (isBegun: boolean) => Promise<{ session: Session } | { none: NotAccepted }>;
  /** From now on reserves capacity only for messages that were partly sent. */
  refuseNew: () => void;
  /** Unbinds after outstanding submits have got a response or timed out, and ends for good. */
  close: () => Promise<void>;
};

/** The bind with the most capacity; null when none has any. */
const freestOf = (sessions: readonly Session[]): Session | null =>
  sessions.reduce<Session | null>(
    (best, session) => (session.capacity() > (best?.capacity() ?? 0) ? session : best),
    null,
  );

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
  /** Whether every bind is refused because of our account, so that waiting for one is pointless. */
  const isAccountRefused = () => refusalFor(sessions, "account") !== null;
  let isRefusing = false;
  let isClosed = false;

  return {
    isBound,
    isReady: () => !isRefusing && freestOf(sessions) !== null,
    ready: async () => {
      await until(() => isRefusing || freestOf(sessions) !== null || isAccountRefused(), bindWaitMs);
      if (isRefusing) return CLOSING;
      if (freestOf(sessions)) return null;
      return isBound() ? BUSY : whyUnbound(sessions);
    },
    reserve: async (isBegun) => {
      const isRefused = () => isClosed || (isRefusing && !isBegun);
      for (;;) {
        if (isRefused()) return { none: CLOSING };
        const session = freestOf(sessions);
        if (session) {
          session.reserve();
          return { session };
        }
        // Bound, with full windows: a response or a timeout frees capacity.
        if (isBound()) await next();
        else {
          await until(() => isBound() || isRefused() || isAccountRefused(), bindWaitMs);
          if (!isBound() && !isRefused()) return { none: whyUnbound(sessions) };
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
