import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the receiver got it; `body` holds the raw bytes. */
export type Received = { path: string; headers: IncomingHttpHeaders; body: Buffer };

/** Responds to a request, or leaves it hanging. */
export type Responder = (response: ServerResponse, request: Received) => void;

export type Receiver = {
  url: string;
  /** Every request so far, in the order in which the bodies were completed. */
  received: Received[];
  /** Changes the response to later requests. */
  respondWith: (answer: Responder) => void;
  close: () => Promise<void>;
};

/** A response with only a status. */
export const status =
  (code: number): Responder =>
  (response) => {
    response.writeHead(code).end();
  };

/** A customer's server on loopback; it responds with 200 by default. */
export async function startReceiver(first: Responder = status(200)): Promise<Receiver> {
  const received: Received[] = [];
  let answer = first;
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = { path: incoming.url ?? "", headers: incoming.headers, body: Buffer.concat(chunks) };
    received.push(request);
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    respondWith: (next) => {
      answer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
