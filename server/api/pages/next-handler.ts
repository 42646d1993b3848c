import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { env } from "../../core/env";

/**
 * Starts Next.
 * @param httpServer gets its hot reload, in development.
 */
export async function startNext(
  httpServer?: Server,
): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
  // Imported here only: the web process, which contains this file too, must not load React in production.
  const { default: next } = await import("next");
  const { HOST, PORT, NODE_ENV } = env();
  const app = next({
    ...{ dev: NODE_ENV === "development", dir: process.cwd(), hostname: HOST, port: PORT },
    // Next listens for upgrades on this server. Node then answers no request that offers one, as Java's client does with h2c.
    httpServer: httpServer ?? createServer(),
  });
  await app.prepare();
  const handle = app.getRequestHandler();
  return (request, response) => handle(request, response);
}
