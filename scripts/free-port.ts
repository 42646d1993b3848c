import { randomInt } from "node:crypto";
import net from "node:net";

/**
 * Ports below the ephemeral ones of outgoing connections (Linux: from 32768 on), so that no connection can take the port between this
 * check and the start of the server.
 */
const PORTS = { from: 15_000, to: 32_767 };
const TRIES_MAX = 100;

/** A TCP port of loopback that is free now. @throws Error when none was found. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.to + 1);
    if (await canListen(port)) return port;
  }
  throw new Error(`None of ${TRIES_MAX} ports from ${PORTS.from} to ${PORTS.to} is free.`);
}

function canListen(port: number): Promise<boolean> {
  const server = net.createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
