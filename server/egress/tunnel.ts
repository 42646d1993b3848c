/** Connections through an HTTP proxy by CONNECT (RFC 9110 section 9.3.6), for undici's agents. */
import http from "node:http";
import https from "node:https";
import { isIPv6, type Socket } from "node:net";
import { buildConnector, errors } from "undici";
import { startDeadline } from "../core/deadline";
import { errorCodeOf } from "../core/errors";
import {
  type EgressProxyError,
  isEgressProxyError,
  proxyBroken,
  proxyRefused,
  proxySilent,
  proxyUnreachable,
} from "./proxy-error";

/** `authorization`: the header that authenticates us to the proxy; null: it requires none. */
export type ProxyAddress = { isEncrypted: boolean; host: string; port: number; authorization: string | null };

export type TunnelOptions = {
  proxy: ProxyAddress;
  /** Limit for everything until the connection is open: the proxy, its response to CONNECT, and TLS with the target. */
  limitMs: number;
  /** Hosts that the proxy is asked to connect to, one after the other until one is reached. @throws to ask for none. */
  hostsOf: (hostname: string) => Promise<readonly string[]>;
  onFailure: (failure: EgressProxyError) => void;
};

/** As undici's own connectors. */
const KEEP_ALIVE_AFTER_MS = 60_000;
const PORTS = { "https:": 443, "http:": 80 } as const;

/** The current step: how to destroy it when the limit is over, and the failure that results. */
type UnderWay = { destroy: (failure: Error) => void; late: () => Error };

/** Asks the proxy for a connection. `note` gets each step as it begins. @throws EgressProxyError */
function openTunnel(proxy: ProxyAddress, authority: string, note: (step: UnderWay) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { isEncrypted, host, port, authorization } = proxy;
    let isConnected = false;
    const headers = {
      host: authority,
      // As undici's own: without it Node asks for the connection to be closed, which a proxy may take literally.
      connection: "keep-alive",
      "proxy-connection": "keep-alive",
      ...(authorization !== null && { "proxy-authorization": authorization }),
    };
    const request = (isEncrypted ? https : http).request({
      method: "CONNECT",
      host,
      port,
      path: authority,
      headers,
      agent: false,
    });
    note({
      destroy: (failure) => request.destroy(failure),
      late: () => (isConnected ? proxySilent() : proxyUnreachable("ETIMEDOUT")),
    });
    request.once("socket", (socket) =>
      socket.once(isEncrypted ? "secureConnect" : "connect", () => {
        isConnected = true;
      }),
    );
    request.on("error", (thrown) => {
      if (isEgressProxyError(thrown)) reject(thrown);
      else reject(isConnected ? proxyBroken(thrown) : proxyUnreachable(errorCodeOf(thrown), thrown));
    });
    request.once("connect", ({ statusCode = 0 }, socket, head) => {
      // The next owner of the socket has listeners of its own; until then an error must not end the process.
      socket.on("error", () => undefined);
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        return reject(proxyRefused(statusCode));
      }
      if (head.length > 0) socket.unshift(head);
      socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
      resolve(socket as Socket);
    });
    request.end();
  });
}

/** Asks for one host after the other, until one is reached or the limit is over. @throws EgressProxyError of the last one. */
async function openFirst(
  proxy: ProxyAddress,
  [host = "", ...others]: readonly string[],
  port: number,
  note: (step: UnderWay) => void,
): Promise<Socket> {
  try {
    return await openTunnel(proxy, `${isIPv6(host) ? `[${host}]` : host}:${port}`, note);
  } catch (thrown) {
    const isNextWorthIt = isEgressProxyError(thrown) && thrown.isOfTarget && thrown.code !== "egress_proxy_silent";
    if (others.length === 0 || !isNextWorthIt) throw thrown;
    return openFirst(proxy, others, port, note);
  }
}

/**
 * Makes a connector of an undici agent, which gets to every target through the proxy. The target's certificate is checked as
 * without a proxy, for the name in the URL.
 */
export function tunnelConnector({ proxy, limitMs, hostsOf, onFailure }: TunnelOptions): buildConnector.connector {
  // One for all connections, since it keeps their TLS sessions. The limit below always ends before this timeout.
  const encrypt = buildConnector({ timeout: 2 * limitMs });

  async function connect(options: buildConnector.Options): Promise<Socket> {
    const isHttps = options.protocol === "https:";
    const port = Number(options.port) || PORTS[isHttps ? "https:" : "http:"];
    const hosts = await hostsOf(options.hostname);
    let underWay: UnderWay | null = null;
    const deadline = startDeadline(limitMs, () => underWay?.destroy(underWay.late()));
    try {
      const socket = await openFirst(proxy, hosts, port, (step) => {
        underWay = step;
      });
      if (!isHttps) return socket;
      return await new Promise<Socket>((resolve, reject) => {
        underWay = {
          destroy: (failure) => {
            reject(failure);
            socket.destroy();
          },
          late: () => new errors.ConnectTimeoutError("The target did not complete the TLS handshake in time."),
        };
        encrypt({ ...options, httpSocket: socket }, (error, encrypted) => {
          if (error === null) return resolve(encrypted);
          socket.destroy();
          reject(error);
        });
      });
    } finally {
      deadline.clear();
    }
  }

  return (options, callback) => {
    connect(options).then(
      (socket) => callback(null, socket),
      (thrown: Error) => {
        if (isEgressProxyError(thrown)) onFailure(thrown);
        callback(thrown, null);
      },
    );
  };
}
