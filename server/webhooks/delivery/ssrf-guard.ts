/**
 * SSRF guard: webhook URLs come from customers, so a request to one must never reach the operator's own network
 * (server-side request forgery). The guard checks the address that the socket connects to, not the name in the URL: a
 * name can resolve to several addresses, and to different ones a moment later.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector } from "undici";
import { type IpAddress, parseAddress } from "../../addresses/ip-address";
import { contains, type Network } from "../../addresses/networks";
import { limitReceived } from "../../egress/limit-received";

/**
 * Why a URL is refused. `invalid_url`: not an absolute URL. `protocol_not_allowed`: neither http: nor https:.
 * `credentials_in_url`: it has a user name or password. `unresolvable_host`: its name has no address now; a later try
 * may succeed. `address_not_public`: one of its addresses is neither public nor allowed by the operator.
 */
type BlockedUrlReason =
  | "invalid_url"
  | "protocol_not_allowed"
  | "credentials_in_url"
  | "unresolvable_host"
  | "address_not_public";

/**
 * A refusal. Its `message` may be shown to the customer: it reveals neither the resolved addresses nor whether there are any,
 * so that it reveals no names of the operator's network. `reason` is internal; see {@link shownReason}.
 */
export type BlockedUrlError = Error & { readonly name: "BlockedUrlError"; readonly reason: BlockedUrlReason };

/** One address of a host, as `dns.lookup` gives it. */
interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to *all* its addresses, in the order to try them; rejects, or returns none, if it has none. */
export type LookupAll = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Settings of an SSRF guard. */
export interface SsrfGuardOptions {
  /** CIDR networks, IPv4 and IPv6, that the operator allows although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** Replaces the system's resolver. */
  readonly lookup?: LookupAll;
  /**
   * Makes a connector that leads through a proxy to the hosts that it is given for a host name; null, and by default: connections
   * are direct.
   */
  readonly through?: (hostsOf: (hostname: string) => Promise<readonly string[]>) => buildConnector.connector | null;
  /** The proxy resolves names and decides on their addresses. Here only addresses in URLs are checked. */
  readonly isGuardedByProxy?: boolean;
}

/** An SSRF guard; see `createSsrfGuard`. */
export interface SsrfGuard {
  /** @throws BlockedUrlError when a request to the URL is not allowed now. */
  readonly assertAllowed: (url: string) => Promise<void>;
  /**
   * Sends only to checked addresses: a request to any other rejects with a `BlockedUrlError` and opens no socket. A connection ends
   * that receives more than {@link RECEIVED_MAX_BYTES} for one response.
   */
  readonly dispatcher: Agent;
  /** Waits for running requests and closes the dispatcher's connections. */
  readonly close: () => Promise<void>;
}

const NO_PUBLIC_ADDRESS = "The host of the URL has no public address.";

const MESSAGES: Readonly<Record<BlockedUrlReason, string>> = {
  invalid_url: "The URL is not a valid absolute URL.",
  protocol_not_allowed: "The URL must begin with https:// or http://.",
  credentials_in_url: "The URL must not contain a user name or password.",
  unresolvable_host: NO_PUBLIC_ADDRESS,
  address_not_public: NO_PUBLIC_ADDRESS,
};

/** The reason of a refusal, as customers see it. */
export const shownReason = ({ reason }: BlockedUrlError): string =>
  reason === "unresolvable_host" || reason === "address_not_public" ? "no_public_address" : reason;

/**
 * Metadata services of clouds, which give credentials and settings to machines. Some have public addresses, and others lie in
 * private networks that an operator may have allowed for another purpose, so each has to be allowed individually.
 */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(
  [
    // Most clouds; AWS: containers, pods, names and time; Scaleway.
    ...["169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.169.253", "169.254.169.123", "169.254.42.42"],
    // Azure, Alibaba, Oracle.
    ...["168.63.129.16", "100.100.100.200", "192.0.0.192"],
    // AWS: machines, pods, names and time; Google; Scaleway.
    ...["fd00:ec2::254", "fd00:ec2::23", "fd00:ec2::253", "fd00:ec2::123", "fd20:ce::254", "fd00:42::42"],
  ].map((text) => ipaddr.parse(text).toString()),
);

/** All global unicast addresses that IANA assigns (RFC 4291 section 2.4, IANA IPv6 address space). */
const GLOBAL_UNICAST_IPV6 = ipaddr.parseCIDR("2000::/3");

function blocked(reason: BlockedUrlReason, cause?: unknown): BlockedUrlError {
  return Object.assign(new Error(MESSAGES[reason], { cause }), { name: "BlockedUrlError" as const, reason });
}

/** Whether a thrown value is a refusal of the SSRF guard. */
export function isBlockedUrlError(error: unknown): error is BlockedUrlError {
  return error instanceof Error && error.name === "BlockedUrlError";
}

/**
 * The library classifies every unknown range as `unicast`. That is right for IPv4; for IPv6 it would admit
 * IPv4-compatible `::127.0.0.1` and all unassigned ranges, so an IPv6 address must also be in the global range.
 */
function isPublic(address: IpAddress): boolean {
  return address.range() === "unicast" && (address.kind() === "ipv4" || contains(GLOBAL_UNICAST_IPV6, address));
}

/** Whether the network is this one address. */
const isExactly = (address: IpAddress, [base, prefixLength]: Network): boolean =>
  prefixLength === (base.kind() === "ipv4" ? 32 : 128) && contains([base, prefixLength], address);

/** As strict as `parseAddress`. @throws TypeError for anything but a CIDR network. */
function parseNetwork(text: string): Network {
  if (isIP(text.split("/", 1)[0] ?? "") === 0 || !ipaddr.isValidCIDR(text)) {
    throw new TypeError(`Not a CIDR network: ${JSON.stringify(text)}`);
  }
  return ipaddr.parseCIDR(text);
}

/** Removes the trailing dot of a fully qualified name, and the brackets that a URL puts around an IPv6 address. */
function plainHost(hostname: string): string {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw blocked("invalid_url");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw blocked("protocol_not_allowed");
  if (url.username !== "" || url.password !== "") throw blocked("credentials_in_url");
  return url;
}

const lookupAll: LookupAll = (hostname) => systemLookup(hostname, { all: true, verbatim: true });

/** Resolves a host name or literal to the addresses that a socket may connect to. @throws BlockedUrlError */
type Resolve = (host: string) => Promise<ResolvedAddress[]>;

function createResolve(isAllowed: (address: string) => boolean, lookup: LookupAll): Resolve {
  return async (host) => {
    const family = isIP(host);
    const addresses = family === 0 ? await namedAddresses(host, lookup) : [{ address: host, family }];
    // One bad address refuses all, because the socket chooses which one to use.
    if (!addresses.every(({ address }) => isAllowed(address))) throw blocked("address_not_public");
    return addresses;
  };
}

async function namedAddresses(host: string, lookup: LookupAll): Promise<ResolvedAddress[]> {
  const addresses = await lookup(host).catch((cause: unknown) => {
    throw blocked("unresolvable_host", cause);
  });
  if (addresses.length === 0) throw blocked("unresolvable_host");
  return [...addresses];
}

/** The lookup function of `net.connect`, which connects only to the addresses returned here. */
function connectLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(plainHost(hostname)).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: Error) => callback(error, ""),
    );
  };
}

function directConnector(resolve: Resolve, isAllowed: (address: string) => boolean): buildConnector.connector {
  const connect = buildConnector({ lookup: connectLookup(resolve) });
  return (options, callback) => {
    const host = plainHost(options.hostname);
    // The socket makes no lookup for a literal address, so it is checked here.
    if (isIP(host) === 0 || isAllowed(host)) connect(options, callback);
    // Asynchronously, as a failing socket would: the pool does not expect a callback within its own call.
    else queueMicrotask(() => callback(blocked("address_not_public"), null));
  };
}

/**
 * How long an idle connection is kept if the server does not announce (`Keep-Alive: timeout=…`) how long it keeps it. gunicorn closes
 * it after two seconds; a request that is sent just then is lost, and its delivery waits half a minute for the next try.
 */
const KEEP_ALIVE_MS = 1_500;

/** More than an exchange takes: of a body 16 KiB are read, and what a socket has received is read at once. */
export const RECEIVED_MAX_BYTES = 262_144;

const limited =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (error, socket) => {
      if (error !== null) return callback(error, null);
      limitReceived(socket, RECEIVED_MAX_BYTES);
      return callback(null, socket);
    });

/**
 * Makes an SSRF guard. It allows http: and https: URLs without credentials, on any port, whose host resolves to public
 * addresses only: unicast by the IANA special-purpose registries (RFC 6890). That excludes loopback, private (RFC 1918),
 * carrier-grade NAT, link-local (including the clouds' metadata address), multicast, reserved and documentation ranges,
 * and IPv6 forms that lead to an IPv4 address (NAT64, 6to4, Teredo, IPv4-compatible). IPv4-mapped IPv6 is treated as the
 * IPv4 address. Metadata addresses of clouds are refused even within `allowedNetworks`, unless one is that very address
 * (/32 or /128).
 *
 * `assertAllowed` gives an early, clear refusal when a URL is entered. It cannot protect later requests (DNS rebinding),
 * so every request must go through `dispatcher`, which repeats the check when connecting and connects only to a checked
 * address. Redirects that a caller follows are checked too. A proxy is asked for a checked address as well, never for a name, unless
 * it is the guard itself.
 *
 * @throws TypeError when one of `allowedNetworks` is not a CIDR network.
 */
export function createSsrfGuard(options: SsrfGuardOptions): SsrfGuard {
  const { allowedNetworks, lookup = lookupAll, through = () => null, isGuardedByProxy = false } = options;
  const opened = allowedNetworks.map(parseNetwork);
  const isAllowed = (text: string): boolean => {
    const address = parseAddress(text);
    if (address === null) return false;
    if (METADATA_ADDRESSES.has(address.toString())) return opened.some((network) => isExactly(address, network));
    return isPublic(address) || opened.some((network) => contains(network, address));
  };
  const resolve = createResolve(isAllowed, lookup);
  const hostsOf = async (hostname: string): Promise<string[]> => {
    const host = plainHost(hostname);
    if (isGuardedByProxy && isIP(host) === 0) return [host];
    return (await resolve(host)).map(({ address }) => address);
  };
  const dispatcher = new Agent({
    connect: limited(through(hostsOf) ?? directConnector(resolve, isAllowed)),
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  return {
    assertAllowed: async (url) => {
      await hostsOf(parseUrl(url).hostname);
    },
    dispatcher,
    close: () => dispatcher.close(),
  };
}
