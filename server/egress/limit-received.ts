import { EventEmitter } from "node:events";
import type { Socket } from "node:net";

/** Code of the error that ends a connection of which too much was received. */
export const RECEIVED_TOO_MUCH = "RECEIVED_TOO_MUCH";

/**
 * Ends a connection when its other end sends more than `maxBytes` after the last write to it, in other words for one response: its
 * requests must not be pipelined. A limit of the body alone is not enough. A parser passes over interim responses, blank lines,
 * extensions of chunks and leading zeros of their lengths, and with as many of them as the network brings it takes all of the
 * processor's time.
 */
export function limitReceived(socket: Socket, maxBytes: number): void {
  let writtenBytes = 0;
  let receivedBytes = 0;
  const count = (chunk: Buffer) => {
    if (socket.bytesWritten !== writtenBytes) receivedBytes = 0;
    writtenBytes = socket.bytesWritten;
    receivedBytes += chunk.length;
    if (receivedBytes <= maxBytes) return;
    const error = new Error(`More than ${maxBytes} bytes were received for one response.`);
    socket.destroy(Object.assign(error, { code: RECEIVED_TOO_MUCH }));
  };
  // The socket's own `on` would begin to read, before there is a parser.
  EventEmitter.prototype.on.call(socket, "data", count);
}
