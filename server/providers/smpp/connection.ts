/** One connection to a message centre, from the call to its end: requests, their answers, and nothing twice. */
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { startDeadline } from "../../core/deadline";
import { encodePdu, frameReader, type Pdu, STATUS_OK } from "./wire";

export type Target = { host: string; port: number; isSecure: boolean };

/**
 * How a request ended. unsent: nothing was written. timeout and lost: it was, and nobody knows what became of it.
 */
export type Answer =
  | { kind: "answer"; status: number; messageId: string }
  | { kind: "timeout" }
  | { kind: "lost" }
  | { kind: "unsent" };

export type Connection = {
  /** Never rejects. `timeoutMs` is the centre's own: time in which this process stood still does not count. */
  request: (command: string, fields: Record<string, unknown>, timeoutMs: number) => Promise<Answer>;
  /** Answers a request of the centre; a command that has no answer here is refused with generic_nack. */
  answer: (pdu: Pdu, status: number, command?: string) => void;
  /** Requests without an answer whose time is not up. */
  outstanding: () => number;
  /** Hangs up after what was written has left. */
  end: (reason: string) => void;
  /** Hangs up now. */
  destroy: (reason: string) => void;
  /** Aborted when the connection is over; its `reason` says why. */
  over: AbortSignal;
};

const SEQUENCE_MAX = 0x7fffffff;
const END_WITHIN_MS = 1_000;

function openSocket({ host, port, isSecure }: Target): Socket {
  return isSecure ? connectSecure({ host, port }) : connectPlain({ host, port });
}

/**
 * Calls a centre. What is requested before it has picked up waits until then.
 * @param onRequest takes what the centre asks; it must not throw.
 */
export function openConnection(target: Target, onRequest: (pdu: Pdu, connection: Connection) => void): Connection {
  const socket = openSocket(target).setNoDelay(true);
  const over = new AbortController();
  const pending = new Map<number, (answer: Answer) => void>();
  let sequence = 0;
  let reason: string | null = null;

  const takeAnswer = (pdu: Pdu): void =>
    pending.get(pdu.sequence)?.({ kind: "answer", status: pdu.status, messageId: pdu.text("message_id") });
  const read = frameReader((pdu) => (pdu.isResponse ? takeAnswer(pdu) : onRequest(pdu, connection)));

  const write = (command: string, fields: Record<string, unknown>): boolean => {
    if (over.signal.aborted || !socket.writable) return false;
    socket.write(encodePdu(command, fields));
    return true;
  };

  const connection: Connection = {
    request: (command, fields, timeoutMs) =>
      new Promise((resolve) => {
        sequence = sequence === SEQUENCE_MAX ? 1 : sequence + 1;
        const own = sequence;
        if (!write(command, { ...fields, sequence_number: own })) return resolve({ kind: "unsent" });
        const finish = (answer: Answer) => {
          deadline.clear();
          pending.delete(own);
          resolve(answer);
        };
        const deadline = startDeadline(timeoutMs, () => finish({ kind: "timeout" }));
        pending.set(own, finish);
      }),
    answer: (pdu, status, command = `${pdu.command}_resp`) => {
      write(command, { sequence_number: pdu.sequence, command_status: status });
    },
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
  };

  socket.on("data", (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (thrown) {
      connection.destroy(`not SMPP: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
  });
  socket.on("error", (error) => {
    reason ??= error.message;
  });
  socket.on("close", () => {
    over.abort(reason ?? "hung up by the message centre");
    for (const finish of [...pending.values()]) finish({ kind: "lost" });
  });
  return connection;
}

/** Whether an answer says yes. */
export const isYes = (answer: Answer): boolean => answer.kind === "answer" && answer.status === STATUS_OK;
