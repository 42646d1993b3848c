/** A stub of the API on loopback for the tests of the client and its command line. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";

/** A request as the stub got it. */
export type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
/** Sends a response, or leaves the request hanging. */
export type Responder = (response: ServerResponse) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Starts a stub that runs until the test ends. @returns its base URL, and the requests so far. */
export async function startStub(
  answerTo: (request: Seen, index: number) => Responder | undefined,
): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (incoming, response) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const { method = "", url = "", headers } = incoming;
    const request = { method, url, headers, body };
    answerTo(request, seen.push(request) - 1)?.(response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/api/v1`, seen };
}

/** `meta` of every response of the stub. */
export const META = { request_id: "req_1", api_version: "v1" };

/** A JSON response. */
export const json =
  (status: number, body: object, headers: Record<string, string> = {}): Responder =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

/** A success with this `data`. */
export const success = (data: unknown, status = 200): Responder => json(status, { success: true, data, meta: META });

/** A page of a list. @param next the cursor of the next page; null: it is the last. */
export const listed = (data: object[], next: string | null = null): Responder =>
  json(200, {
    success: true,
    data,
    meta: { ...META, next_cursor: next },
    pagination: { page: 1, limit: 100, total: data.length, pages: next === null ? 1 : 2, has_more: next !== null },
  });

/** A refusal by the service. */
export const refusal = (status: number, details: object = {}, headers: Record<string, string> = {}): Responder => {
  const error = { type: "api_error", code: "some_code", message: "No.", param: "to", details };
  return json(status, { success: false, error, meta: META }, headers);
};
