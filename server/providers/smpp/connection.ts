/** One connection to a message centre, from the call to its end: requests and their responses, each settled once. */
import net, { isIP, type Socket } from "node:net";
import tls from "node:tls";
import { MINUTE_MS } from "../../core/clock";
import { startDeadline } from "../../core/deadline";
import { messageOf } from "../../core/errors";
import { messageWithParts } from "../../core/log";
import { lookUpTimedOut, ownFailureOf } from "../../core/own-failures";
import { encodePdu, frameReader, type Pdu, STATUS_OK } from "./wire";

export type Target = { host: string; port: number; isSecure: boolean };

type Response = { kind: "response"; status: number; messageId: string };

/** Result of a request. unsent: nothing was written. timeout, lost: it was written, and its effect is unknown. */
export type RequestResult = Response | { kind: "timeout" } | { kind: "lost" } | { kind: "unsent" };

export type Connection = {
  /**
   * Never rejects. `timeoutMs` excludes time in which this process stalled.
   * @param onLate called with a response that arrives after the timeout, within {@link LATE_WITHIN_MS}.
   */
  request: (
    command: string,
    fields: Record<string, unknown>,
    timeoutMs: number,
    onLate?: OnLate,
  ) => Promise<RequestResult>;
  /** Responds to a request of the centre with a command_status. `command`: default `<request>_resp`. */
  respond: (pdu: Pdu, status: number, command?: string) => void;
  /** Whether neither side has hung up. */
  isOpen: () => boolean;
  /** Number of requests without a response that have not timed out. */
  outstanding: () => number;
  /** Hangs up after pending data has been sent. */
  end: (reason: string) => void;
  /** Hangs up now. */
  destroy: (reason: string) => void;
  /** Aborted when the connection ends; `reason` is the cause. */
  over: AbortSignal;
  /** The failure of this machine that prevented the connection, described for operators; null: none. */
  ownFailure: () => string | null;
};

/** Receives a response that arrived after the timeout. */
export type OnLate = (response: Response) => void;

/** When a later response arrives, the message has already failed. */
const LATE_WITHIN_MS = 15 * MINUTE_MS;
/** The most requests of a connection whose late response is awaited; beyond that the oldest are dropped. */
const LATE_MAX = 10_000;

/** Requests that have timed out, by their sequence number, oldest first: their response may still come. */
function lateResponses() {
  const waiting = new Map<number, { onLate: OnLate; untilMs: number }>();
  return {
    expect: (sequence: number, onLate: OnLate): void => {
      const nowMs = performance.now();
      waiting.set(sequence, { onLate, untilMs: nowMs + LATE_WITHIN_MS });
      for (const [oldest, { untilMs }] of waiting) {
        if (waiting.size <= LATE_MAX && untilMs > nowMs) return;
        waiting.delete(oldest);
      }
    },
    take: (sequence: number, response: Response): void => {
      const request = waiting.get(sequence);
      waiting.delete(sequence);
      if (request && request.untilMs > performance.now()) request.onLate(response);
    },
  };
}

/**
 * Whether a PDU with a request's sequence number responds to it. If a centre mixes up the numbers, the response to another command must
 * not make a message count as taken or a bind as made; nor may a generic_nack, which is not a success even with a success status. For
 * other requests a success only proves that the centre is alive.
 */
function respondsTo(command: string, { command: response, status }: Pdu): boolean {
  if (response === "generic_nack") return status !== STATUS_OK;
  if (command === "submit_sm") return response === "submit_sm_resp";
  return !command.startsWith("bind_") || response.startsWith("bind_");
}

const SEQUENCE_MAX = 0x7fffffff;
const END_WITHIN_MS = 1_000;

function openSocket({ host, port, isSecure }: Target): Socket {
  if (!isSecure) return net.connect({ host, port });
  // The other side needs the name to choose a certificate; an IP address must not be sent (RFC 6066, 3).
  return tls.connect({ host, port, ...(isIP(host) === 0 && { servername: host }) });
}

/** Requests without a response, by their sequence numbers. */
function openRequests() {
  const pending = new Map<number, { command: string; finish: (result: RequestResult) => void }>();
  const late = lateResponses();
  let sequence = 0;
  return {
    next: (): number => {
      sequence = sequence === SEQUENCE_MAX ? 1 : sequence + 1;
      return sequence;
    },
    /** Waits for the response to a request that was written. `resolve` is called once. */
    expect: (
      own: number,
      command: string,
      timeoutMs: number,
      resolve: (result: RequestResult) => void,
      onLate: OnLate | undefined,
    ): void => {
      const finish = (result: RequestResult) => {
        deadline.clear();
        pending.delete(own);
        resolve(result);
      };
      const deadline = startDeadline(timeoutMs, () => {
        if (onLate) late.expect(own, onLate);
        finish({ kind: "timeout" });
      });
      pending.set(own, { command, finish });
    },
    take: (pdu: Pdu): void => {
      const response: Response = { kind: "response", status: pdu.status, messageId: pdu.text("message_id") };
      const request = pending.get(pdu.sequence);
      // Only submits are awaited after their timeout.
      if (!respondsTo(request?.command ?? "submit_sm", pdu)) return;
      if (request) request.finish(response);
      else late.take(pdu.sequence, response);
    },
    count: () => pending.size,
    lose: (): void => {
      for (const { finish } of [...pending.values()]) finish({ kind: "lost" });
    },
  };
}

/**
 * Connects to a centre. Requests made before the connection is established wait until then.
 * @param onRequest takes a request of the centre; it must not throw.
 */
export function openConnection(target: Target, onRequest: (pdu: Pdu, connection: Connection) => void): Connection {
  const socket = openSocket(target).setNoDelay(true);
  const over = new AbortController();
  const requests = openRequests();
  let reason: string | null = null;
  let failure: Error | null = isIP(target.host) === 0 ? lookUpTimedOut() : null;
  // A failed look-up also emits an error.
  socket.once("lookup", () => {
    failure = null;
  });

  const read = frameReader((pdu) => (pdu.isResponse ? requests.take(pdu) : onRequest(pdu, connection)));
  const write = (command: string, fields: Record<string, unknown>): boolean => {
    if (over.signal.aborted || !socket.writable) return false;
    socket.write(encodePdu(command, fields));
    return true;
  };

  const connection: Connection = {
    request: (command, fields, timeoutMs, onLate) =>
      new Promise((resolve) => {
        const own = requests.next();
        if (!write(command, { sequence_number: own, ...fields })) return resolve({ kind: "unsent" });
        requests.expect(own, command, timeoutMs, resolve, onLate);
      }),
    respond: (pdu, status, command = `${pdu.command}_resp`) => {
      write(command, { sequence_number: pdu.sequence, command_status: status });
    },
    isOpen: () => socket.writable && socket.readable,
    outstanding: requests.count,
    end: (why) => {
      reason ??= why;
      const deadline = startDeadline(END_WITHIN_MS, () => socket.destroy());
      socket.once("close", deadline.clear);
      socket.end();
    },
    destroy: (why) => {
      reason ??= why;
      socket.destroy();
    },
    over: over.signal,
    ownFailure: () => ownFailureOf(failure),
  };

  socket.on("data", (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (thrown) {
      connection.destroy(`not SMPP: ${messageOf(thrown)}`);
    }
  });
  // The socket's own end would wait for unsent data, which a centre that has stopped reading never takes.
  socket.on("end", () => connection.end("hung up by the message centre"));
  socket.on("error", (error) => {
    reason ??= messageWithParts(error);
    failure = error;
  });
  socket.on("close", () => {
    over.abort(reason ?? "hung up by the message centre");
    requests.lose();
  });
  return connection;
}

/** Whether the centre carried out the request. */
export const isOk = (result: RequestResult): boolean => result.kind === "response" && result.status === STATUS_OK;
