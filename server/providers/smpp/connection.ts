/** One connection to a message centre, from the call to its end: requests and their responses, each settled once. */
import net, { isIP, type Socket } from "node:net";
import tls from "node:tls";
import { MINUTE_MS } from "../../core/clock";
import { startDeadline } from "../../core/deadline";
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
   * @param onLate called with a response that comes after the time-out, within {@link LATE_WITHIN_MS}.
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
  /** The failure of this machine for which the connection did not stand, in words for operators; null: there was none. */
  ownFailure: () => string | null;
};

/** Takes a response that came after the time-out. */
export type OnLate = (response: Response) => void;

/** A later response finds its message given up. */
const LATE_WITHIN_MS = 15 * MINUTE_MS;
/** Requests of a connection whose late response is waited for; with more the oldest are forgotten. */
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
 * Whether a PDU with a request's number responds to it. A centre that mixes numbers up must not have a message count as taken, or a bind as
 * made, by the response to something else; nor by a generic_nack, which is no success even with the status of one. Of other requests a
 * success says no more than that the centre lives.
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
  // Without a name the other side cannot choose among its certificates; an address is none (RFC 6066, 3).
  return tls.connect({ host, port, ...(isIP(host) === 0 && { servername: host }) });
}

/**
 * Calls a centre. Requests made before the connection stands wait until then.
 * @param onRequest takes a request of the centre; it must not throw.
 */
export function openConnection(target: Target, onRequest: (pdu: Pdu, connection: Connection) => void): Connection {
  const socket = openSocket(target).setNoDelay(true);
  const over = new AbortController();
  const pending = new Map<number, { command: string; finish: (result: RequestResult) => void }>();
  const late = lateResponses();
  let sequence = 0;
  let reason: string | null = null;
  let failure: Error | null = isIP(target.host) === 0 ? lookUpTimedOut() : null;
  // Of a look-up that fails the error comes too.
  socket.once("lookup", () => {
    failure = null;
  });

  const takeResponse = (pdu: Pdu): void => {
    const response: Response = { kind: "response", status: pdu.status, messageId: pdu.text("message_id") };
    const request = pending.get(pdu.sequence);
    // Only submits are waited for after their time-out.
    if (!respondsTo(request?.command ?? "submit_sm", pdu)) return;
    if (request) request.finish(response);
    else late.take(pdu.sequence, response);
  };
  const read = frameReader((pdu) => (pdu.isResponse ? takeResponse(pdu) : onRequest(pdu, connection)));

  const write = (command: string, fields: Record<string, unknown>): boolean => {
    if (over.signal.aborted || !socket.writable) return false;
    socket.write(encodePdu(command, fields));
    return true;
  };

  const connection: Connection = {
    request: (command, fields, timeoutMs, onLate) =>
      new Promise((resolve) => {
        sequence = sequence === SEQUENCE_MAX ? 1 : sequence + 1;
        const own = sequence;
        if (!write(command, { sequence_number: own, ...fields })) return resolve({ kind: "unsent" });
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
      }),
    respond: (pdu, status, command = `${pdu.command}_resp`) => {
      write(command, { sequence_number: pdu.sequence, command_status: status });
    },
    isOpen: () => socket.writable && socket.readable,
    outstanding: () => pending.size,
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
      connection.destroy(`not SMPP: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
  });
  // Its own end waits for data that a centre which reads no more never takes.
  socket.on("end", () => connection.end("hung up by the message centre"));
  socket.on("error", (error) => {
    reason ??= messageWithParts(error);
    failure = error;
  });
  socket.on("close", () => {
    over.abort(reason ?? "hung up by the message centre");
    for (const { finish } of [...pending.values()]) finish({ kind: "lost" });
  });
  return connection;
}

/** Whether the centre carried out the request. */
export const isOk = (result: RequestResult): boolean => result.kind === "response" && result.status === STATUS_OK;
