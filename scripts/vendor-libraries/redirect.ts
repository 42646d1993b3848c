/** Redirects every HTTP request of this process to a server on loopback, which records it and responds with `{}`. */
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { SentRequest } from "./compare";

const RECORDED_WITHIN_MS = 15_000;

/** `next`: records the request that `work` makes, whatever its result. */
export type Recorder = { next: (work: () => unknown) => Promise<SentRequest>; close: () => void };

type Options = http.RequestOptions & { href?: string };
type OnResponse = (response: http.IncomingMessage) => void;

/** Options of a request, from the forms in which Node takes them. */
function optionsOf(args: unknown[]): { options: Options; onResponse?: OnResponse } {
  const onResponse = args.find((each): each is OnResponse => typeof each === "function");
  const [first, second] = args;
  const more = (typeof second === "object" && second !== null ? second : {}) as Options;
  if (typeof first !== "string" && !(first instanceof URL)) return { options: first as Options, onResponse };
  const url = new URL(first);
  return { options: { hostname: url.hostname, path: `${url.pathname}${url.search}`, ...more }, onResponse };
}

/** `x-vendor` tells the server where the request was to go. */
function redirectNode(port: number): void {
  const plain = http.request.bind(http);
  const redirected = (...args: unknown[]): http.ClientRequest => {
    const { options, onResponse } = optionsOf(args);
    const vendor = `${options.hostname ?? options.host}`;
    const { agent: _, protocol: __, host: ___, ...rest } = options;
    // A new connection, because the server may be closing a kept one.
    const sent = plain({ ...rest, hostname: "127.0.0.1", port, agent: false }, onResponse);
    sent.setHeader("x-vendor", vendor);
    return sent;
  };
  const get = (...args: unknown[]): http.ClientRequest => redirected(...args).end();
  Object.assign(https, { request: redirected, get });
}

function redirectFetch(port: number): void {
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    headers.set("x-vendor", url.hostname);
    return fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`, { ...init, headers });
  };
}

/** @returns once the server listens and the process's requests go there. */
export async function startRecorder(): Promise<Recorder> {
  let take: (request: SentRequest) => void = () => undefined;
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : `${value}`,
      ]),
    );
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
    take({ method: request.method ?? "", url: `https://${headers["x-vendor"]}${request.url}`, headers, body });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  redirectNode(port);
  redirectFetch(port);
  return {
    next: (work) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error("The library sent no request.")), RECORDED_WITHIN_MS);
        take = (request) => {
          clearTimeout(late);
          resolve(request);
        };
        // The response is not a vendor's, so libraries may fail on it; only the request counts.
        Promise.resolve()
          .then(work)
          .catch((thrown) => setTimeout(() => reject(thrown), 1_000));
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
