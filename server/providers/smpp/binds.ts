/** The binds of one account at a message centre, and who gets a place on them. */
import { EventEmitter, once } from "node:events";
import { startDeadline } from "../../core/deadline";
import type { NotAccepted } from "../http/response";
import { openSession, type Session, type SessionOptions } from "./session";

/** No bind stood, and none came in time. */
export const NOT_BOUND: NotAccepted = {
  kind: "retryable",
  code: "not_bound",
  detail: "There is no bind to the message centre.",
  fault: "provider",
};
/** Nothing is wrong with the centre: another adapter, or this provider a little later, may well take the message. */
const CLOSING: NotAccepted = {
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
export type BindsOptions = Omit<SessionOptions, "onChange"> & {
  /** Binds at once. */
  sessions: number;
  /** How long a bind is waited for. */
  bindWaitMs: number;
};

export type Binds = {
  isBound: () => boolean;
  /** Waits until there is a place, at most `bindWaitMs`, and takes none. @returns null, or why there is none. */
  ready: () => Promise<NotAccepted | null>;
  /**
   * Takes a place on the bind that has the most room. When all are taken it waits for an answer or its time-out; when
   * there is no bind, at most `bindWaitMs` for one.
   * @param isBegun part of the message was sent, so it goes on though the binds are to be closed.
   * @returns the bind, to be submitted to, or why there is none.
   */
  reserve: (isBegun: boolean) => Promise<{ session: Session } | { none: NotAccepted }>;
  /** Gives places only to what is begun from now on. */
  refuseNew: () => void;
  /** Unbinds when what is outstanding was answered or has had its time, and ends for good. */
  close: () => Promise<void>;
};

/** Opens binds, and keeps them until they are closed. */
export function createBinds({ sessions: count, bindWaitMs, ...options }: BindsOptions): Binds {
  const changes = new EventEmitter().setMaxListeners(0);
  const changed = () => changes.emit("change");
  const sessions = Array.from({ length: count }, () => openSession({ ...options, onChange: changed }));
  const isBound = () => sessions.some((session) => session.isBound());
  let isRefusing = false;
  let isClosed = false;

  /** The bind with the most room, or null when none has any. */
  const roomiest = () =>
    sessions.reduce<Session | null>((best, session) => (session.room() > (best?.room() ?? 0) ? session : best), null);

  /** Why every bind is refused, when that is because of our account: then there is no point in waiting for one. */
  function accountRefusal(): NotAccepted | null {
    const refusals = sessions.map((session) => session.refusal());
    const [first = null] = refusals;
    const isAccount = refusals.every((refusal) => refusal?.kind === "retryable" && refusal.fault === "account");
    return isAccount ? first : null;
  }

  /** Waits until `isMet`, at most `bindWaitMs` of time in which this process was awake. */
  async function waitFor(isMet: () => boolean): Promise<void> {
    let isLate = false;
    const deadline = startDeadline(bindWaitMs, () => {
      isLate = true;
      changed();
    });
    while (!isMet() && !isLate) await once(changes, "change");
    deadline.clear();
  }

  return {
    isBound,
    ready: async () => {
      await waitFor(() => isRefusing || roomiest() !== null || accountRefusal() !== null);
      if (isRefusing) return CLOSING;
      if (roomiest()) return null;
      return isBound() ? BUSY : (accountRefusal() ?? NOT_BOUND);
    },
    reserve: async (isBegun) => {
      const isRefused = () => isClosed || (isRefusing && !isBegun);
      for (;;) {
        if (isRefused()) return { none: CLOSING };
        const session = roomiest();
        if (session) {
          session.reserve();
          return { session };
        }
        // Bound but full: an answer or its time-out makes room.
        if (isBound()) await once(changes, "change");
        else {
          await waitFor(() => isBound() || isRefused() || accountRefusal() !== null);
          if (!isBound() && !isRefused()) return { none: accountRefusal() ?? NOT_BOUND };
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
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}
