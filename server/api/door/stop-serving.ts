/** The end of a web server: requests under way get their responses, and callers learn that their connection ends. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** The responses under way of a connection, and how many bytes it had brought when the last one was done. */
type Connection = { open: Set<ServerResponse>; readBytes: number };

/** Whether nothing is under way: no response, and no request of which a part has arrived. */
const isIdle = (socket: Socket, { open, readBytes }: Connection): boolean =>
  open.size === 0 && socket.bytesRead === readBytes;

const isKeptAlive = (response: ServerResponse): boolean => response.getHeader("connection") !== "close";

/** Has the connection end with this response, if its caller can still be told. */
function sayLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

/**
 * Closes the responses of a connection that is lost. Node closes the one that it is writing; those behind it, to pipelined requests,
 * would never emit `close`, and what waits for that would wait for ever.
 */
function closeAll({ open }: Connection): void {
  for (const response of open) {
    response.destroy();
    response.emit("close");
  }
}

/**
 * Follows the connections of `server` from now on; call it before anything else handles its requests. When one is lost, all its
 * responses are closed, including those that wait for an earlier one.
 *
 * Node's own `close` and `closeIdleConnections` do not serve: they keep answering `keep-alive` on busy connections, wait for
 * those that never asked for anything, and cut off a long response that its caller is still reading.
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
      // Its headers had promised to keep the connection before the stop began.
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
