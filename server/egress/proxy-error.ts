/** Failures of the egress proxy, apart from those of whatever lies behind it. */

const PREFIX = "egress_proxy_";

/**
 * A connection that the egress proxy did not make: nothing was written to the target. `message` may be shown to customers: it names
 * neither the proxy nor its credentials. `isOfTarget`: the proxy says that it could not reach the target, as this process says
 * without a proxy. Any other failure is the proxy's own, and says nothing of the target.
 */
export type EgressProxyError = Error & {
  readonly name: "EgressProxyError";
  readonly code: `${typeof PREFIX}${string}`;
  readonly isOfTarget: boolean;
};

/**
 * Statuses by which a proxy says that it did not reach its target: 502, 503 and 504 by RFC 9110, but 500 from Tinyproxy, and from
 * Squid for a name that does not exist.
 */
const isNotReached = (status: number): boolean => status >= 500;

const failure = (reason: string, message: string, isOfTarget: boolean, cause?: unknown): EgressProxyError =>
  Object.assign(new Error(message, { cause }), {
    name: "EgressProxyError" as const,
    code: `${PREFIX}${reason}` as const,
    isOfTarget,
  });

/** Whether a thrown value is a failure of the egress proxy. */
export const isEgressProxyError = (thrown: unknown): thrown is EgressProxyError =>
  thrown instanceof Error && thrown.name === "EgressProxyError";

/** Whether no connection can be made through the proxy at present, whatever the target. A refusal may be meant for one target. */
export const isProxyAway = ({ code }: EgressProxyError): boolean =>
  code === "egress_proxy_unreachable" || code === "egress_proxy_broken";

/** Whether the code of a failed call is that of a connection that an egress proxy did not make. */
export const isEgressCode = (code: string): boolean => code.startsWith(PREFIX);

/** The proxy refused CONNECT with this status. */
export const proxyRefused = (status: number): EgressProxyError =>
  isNotReached(status)
    ? failure(String(status), `The egress proxy could not connect: ${status}.`, true)
    : failure(String(status), `The egress proxy refused: ${status}.`, false);

/** The connection to the proxy itself failed: name, TCP or TLS. */
export const proxyUnreachable = (code: string, cause?: unknown): EgressProxyError =>
  failure("unreachable", `The egress proxy could not be reached (${code || "unknown"}).`, false, cause);

/** The proxy closed the connection instead of responding to CONNECT, or its response is not HTTP. */
export const proxyBroken = (cause: unknown): EgressProxyError =>
  failure("broken", "The egress proxy gave no response that can be read.", false, cause);

/** The proxy did not respond to CONNECT in time. Nearly always it waits for the target, as this process would without it. */
export const proxySilent = (): EgressProxyError => failure("silent", "The egress proxy did not connect in time.", true);
