/** An egress proxy on loopback that opens tunnels by CONNECT, or fails in a planned way. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import net, { type AddressInfo, type Socket } from "node:net";

/**
 * How it responds to CONNECT. `open`: it connects, and resolves names to loopback. A number: it refuses with that status; with 407
 * it asks for credentials. `denied`: a 407 that does not ask for them, as Smokescreen sends for a denied address. `hang`: never.
 * `close`: it ends the connection. `babble`: it sends something that is not HTTP. `cut`: it opens the tunnel, and ends it at the
 * first bytes from us.
 */
export type ProxyPlan = "open" | number | "denied" | "hang" | "close" | "babble" | "cut";

export type ConnectProxy = {
  /** Its URL, with the credentials that it asks for. */
  url: string;
  port: number;
  /** The requested targets, `host:port`, in order. */
  asked: string[];
  /** Plans the next requests, one each; others are served by `open`. */
  plan: (...plans: ProxyPlan[]) => void;
  /** Plans all further requests. */
  planAll: (plan: ProxyPlan) => void;
  /** Calls `act` before the next request is served. */
  beforeNext: (act: () => void) => void;
  /** Ends every connection and refuses new ones, like a killed proxy. */
  goAway: () => Promise<void>;
  /** Accepts connections again, on the same port. */
  comeBack: () => Promise<void>;
  close: () => Promise<void>;
};

type Options = {
  /** The required `user:password`, as written in its URL; by default none. */
  credentials?: string;
  /** With a certificate it accepts only encrypted connections. */
  certificate?: { key: string; cert: string };
};

const DENIED = "HTTP/1.1 407 Request rejected by proxy\r\nX-Smokescreen-Error: denied\r\nContent-Length: 0\r\n\r\n";

const refusal = (status: number): string =>
  `HTTP/1.1 ${status} No\r\n${status === 407 ? "Proxy-Authenticate: Basic realm=p\r\n" : ""}Content-Length: 2\r\n\r\nno`;

/** Starts a proxy. */
export async function startConnectProxy({ credentials, certificate }: Options = {}): Promise<ConnectProxy> {
  const asked: string[] = [];
  const plans: ProxyPlan[] = [];
  let always: ProxyPlan = "open";
  let before = () => {};
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };
  const plain: RequestListener = (_, response) => void response.writeHead(400).end();
  const server = certificate ? createTlsServer(certificate, plain) : createServer(plain);
  const expected = credentials && `Basic ${Buffer.from(decodeURIComponent(credentials)).toString("base64")}`;

  server.on("connection", keep);
  server.on("connect", (request, client: Socket) => {
    keep(client);
    asked.push(request.url ?? "");
    before();
    before = () => {};
    const plan = plans.shift() ?? always;
    const isKnown = !expected || request.headers["proxy-authorization"] === expected;
    if (!isKnown) return void client.end(refusal(407));
    if (plan === "hang") return;
    if (plan === "close") return void client.destroy();
    if (plan === "babble") return void client.end("220 ready\r\n");
    if (plan === "denied") return void client.end(DENIED);
    if (typeof plan === "number") return void client.end(refusal(plan));
    const { hostname, port } = new URL(`http://${request.url}`);
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const target = keep(net.connect(Number(port) || 80, net.isIP(host) === 0 ? "127.0.0.1" : host));
    target.once("error", () => client.end(refusal(502)));
    target.once("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (plan === "cut") return client.once("data", () => client.destroy());
      client.pipe(target).pipe(client);
    });
    client.on("close", () => target.destroy());
    target.on("close", () => client.end());
  });

  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const goAway = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    url: `${certificate ? "https" : "http"}://${credentials ? `${credentials}@` : ""}127.0.0.1:${port}`,
    port,
    asked,
    plan: (...next) => void plans.push(...next),
    planAll: (plan) => {
      always = plan;
    },
    beforeNext: (act) => {
      before = act;
    },
    goAway,
    comeBack: () => listen(port),
    close: goAway,
  };
}
