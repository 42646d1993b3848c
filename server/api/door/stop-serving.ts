/** Stops a web server: requests in progress get their responses, and callers learn that their connection ends. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** The open responses of a connection, and the number of bytes read from it when the last one was done. */
type Connection = { open: Set<ServerResponse>; readBytes: number };

/** Whether nothing is in progress: no response is open, and no request has partly arrived. */
const isIdle = (socket: Socket, { open, readBytes }: Connection): boolean =>
  open.size === 0 && socket.bytesRead === readBytes;

const isKeptAlive = (response: ServerResponse): boolean => response.getHeader("connection") !== "close";

/** Makes the connection end with this response, if its caller can still be told. */
function sayLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

/**
 * Closes the responses of a lost connection. Node closes the one that it is writing; the later ones, to pipelined requests, would
 * never emit `close`, and code that waits for it would wait for ever.
 */
function closeAll({ open }: Connection): void {
  for (const response of open) {
    response.destroy();
    response.emit("close");
  }
}

/**
 * Tracks the connections of `server`; call it before anything else handles its requests. When a connection is lost, all its
 * responses are closed, including those that wait for an earlier one.
 *
 * Node's own `close` and `closeIdleConnections` do not suffice: they keep answering `keep-alive` on busy connections, wait for
 * connections without any request, and cut off a long response that its caller is still reading.
 * @returns a function that stops the server. It ends idle connections at once and the others with their response, cuts off what
 *   is left after `withinMs`, and resolves when all are closed.
 */
export function prepareStop(server: Server): (withinMs: number) => Promise<void> {
  const connections = new Map<Socket, Connection>();
  let isStopping = false;
  server.on("connection", (socket) => {
    const connection: Connection = { open: new Set(), readBytes: 0 };
    connections.set(socket, connection);
    socket.once("close", () => {
      connections.delete(socket);
      // By then Node has closed the response that it was writing.
      process.nextTick(closeAll, connection);
    });
  });
  const follow = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (!connection) return;
    if (isStopping) sayLast(response);
    connection.open.add(response);
    response.once("close", () => {
      connection.open.delete(response);
      connection.readBytes = socket.bytesRead;
      // The headers, sent before the stop began, had promised to keep the connection.
      if (isStopping && connection.open.size === 0 && isKeptAlive(response)) socket.destroySoon();
    });
  };
  server.on("request", follow);
  server.on("checkExpectation", follow);

  return async (withinMs) => {
    isStopping = true;
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    for (const [socket, connection] of connections) {
      // Responses to pipelined requests go out in order: the connection ends with the last one.
      const last = [...connection.open].at(-1);
      if (last) sayLast(last);
      else if (isIdle(socket, connection)) socket.destroy();
    }
    const cut = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy();
    }, withinMs);
    await closed;
    clearTimeout(cut);
  };
}
