/**
 * The URL guard: webhook URLs come from customers, so a request to one must never reach the operator's own network
 * (server side request forgery). What counts is the address that the socket connects to, not the name in the URL:
 * names can resolve to several addresses, and to others a moment later.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector } from "undici";

/**
 * Why a URL is refused. `invalid_url`: not an absolute URL. `protocol_not_allowed`: neither http: nor https:.
 * `credentials_in_url`: user or password in it. `unresolvable_host`: its name has no address just now, so a later try
 * may succeed. `address_not_public`: one of its addresses is neither public nor opened by the operator.
 */
type BlockedUrlReason =
  | "invalid_url"
  | "protocol_not_allowed"
  | "credentials_in_url"
  | "unresolvable_host"
  | "address_not_public";

/**
 * A refusal. Its `message` may be shown to the customer: it tells neither what the host resolved to nor whether it did, or
 * anybody could find out by it which names there are in the operator's network. `reason` is ours alone.
 */
export type BlockedUrlError = Error & { readonly name: "BlockedUrlError"; readonly reason: BlockedUrlReason };

/** One address of a host, as `dns.lookup` gives it. */
interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Gives *all* addresses of a host name, in the order to try them; rejects, or gives none, when it has none. */
export type LookupAll = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Settings of a guard. */
export interface SsrfGuardOptions {
  /** CIDR networks, IPv4 and IPv6, that the operator opens although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** Another resolver than the system's own. */
  readonly lookup?: LookupAll;
}

/** A URL guard; see `createSsrfGuard`. */
export interface SsrfGuard {
  /** Resolves when a request to the URL is allowed now, else rejects with a `BlockedUrlError`. */
  readonly assertAllowed: (url: string) => Promise<void>;
  /** Sends only to checked addresses: a request to any other rejects with a `BlockedUrlError` and opens no socket. */
  readonly dispatcher: Agent;
  /** Waits for the running requests and closes the dispatcher's connections. */
  readonly close: () => Promise<void>;
}

type Address = ReturnType<typeof ipaddr.process>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

const NO_PUBLIC_ADDRESS = "The host of the URL has no public address.";

const MESSAGES: Readonly<Record<BlockedUrlReason, string>> = {
  invalid_url: "The URL is not a valid absolute URL.",
  protocol_not_allowed: "The URL must begin with https:// or http://.",
  credentials_in_url: "The URL must not contain a user name or password.",
  unresolvable_host: NO_PUBLIC_ADDRESS,
  address_not_public: NO_PUBLIC_ADDRESS,
};

/** A refusal's reason as the customer is told it. */
export const shownReason = ({ reason }: BlockedUrlError): string =>
  reason === "unresolvable_host" || reason === "address_not_public" ? "no_public_address" : reason;

/**
 * Addresses at which clouds give credentials and settings to the machines that ask. Some are public in form, and others
 * lie in private networks that an operator may well have opened for something else, so each has to be opened by itself.
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

/** All global unicast addresses that IANA gives out (RFC 4291 section 2.4, IANA IPv6 address space). */
const GLOBAL_UNICAST_IPV6 = ipaddr.parseCIDR("2000::/3");

function blocked(reason: BlockedUrlReason, cause?: unknown): BlockedUrlError {
  return Object.assign(new Error(MESSAGES[reason], { cause }), { name: "BlockedUrlError" as const, reason });
}

/** Whether something thrown is a refusal of this guard. */
export function isBlockedUrlError(error: unknown): error is BlockedUrlError {
  return error instanceof Error && error.name === "BlockedUrlError";
}

function isWithin(address: Address, [base, prefixLength]: Network): boolean {
  return base.kind() === address.kind() && address.match(base, prefixLength);
}

/**
 * The library calls every range that it does not know `unicast`. That is right for IPv4; for IPv6 it would let
 * through IPv4-compatible `::127.0.0.1` and all that is yet unassigned, so there the address must be in the global
 * range as well.
 */
function isPublic(address: Address): boolean {
  return address.range() === "unicast" && (address.kind() === "ipv4" || isWithin(address, GLOBAL_UNICAST_IPV6));
}

/**
 * IPv4-mapped IPv6 becomes IPv4, since that is what the socket reaches. `isIP` first: the library also reads `10` or
 * `0177.1` as an address. And it takes IPv4-compatible `::1.2.3.4` for the mapped `::ffff:1.2.3.4`, unless its zeros
 * are written out.
 */
function parseAddress(text: string): Address | null {
  return isIP(text) === 0 ? null : ipaddr.process(text.replace(/^::(?=\d+\.)/, "0:0:0:0:0:0:"));
}

/** Whether the network is this one address. */
const isExactly = (address: Address, [base, prefixLength]: Network): boolean =>
  prefixLength === (base.kind() === "ipv4" ? 32 : 128) && isWithin(address, [base, prefixLength]);

/** As strict as for addresses. */
function parseNetwork(text: string): Network {
  if (isIP(text.split("/", 1)[0] ?? "") === 0 || !ipaddr.isValidCIDR(text)) {
    throw new TypeError(`Not a CIDR network: ${JSON.stringify(text)}`);
  }
  return ipaddr.parseCIDR(text);
}

/** A name with the root's dot is the same name; the brackets around an IPv6 address belong to the URL only. */
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

/** A host name or literal to the addresses that a socket may connect to; throws a `BlockedUrlError`. */
type Resolve = (host: string) => Promise<ResolvedAddress[]>;

function createResolve(isAllowed: (address: string) => boolean, lookup: LookupAll): Resolve {
  return async (host) => {
    const family = isIP(host);
    const addresses = family === 0 ? await namedAddresses(host, lookup) : [{ address: host, family }];
    // One bad address refuses all: which one the socket would take is not ours to choose.
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

/** What `net.connect` asks for an address; it connects to nothing but what is answered here. */
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

function createDispatcher(resolve: Resolve, isAllowed: (address: string) => boolean): Agent {
  const connect = buildConnector({ lookup: connectLookup(resolve) });
  return new Agent({
    connect: (options, callback) => {
      const host = plainHost(options.hostname);
      // For a literal address the socket asks no lookup, so it is checked here.
      if (isIP(host) === 0 || isAllowed(host)) connect(options, callback);
      // Later, as a failing socket would: the pool is not ready for an answer within its own call.
      else queueMicrotask(() => callback(blocked("address_not_public"), null));
    },
  });
}

/**
 * Makes a guard. Only http: and https: URLs without credentials are allowed, on any port, whose host resolves to
 * public addresses alone: unicast in the IANA special-purpose registries (RFC 6890), so neither loopback, private
 * (RFC 1918), carrier-grade NAT, link-local with the clouds' metadata address, multicast, reserved nor documentation
 * ranges, nor IPv6 forms that lead to an IPv4 address (NAT64, 6to4, Teredo, IPv4-compatible); IPv4-mapped IPv6 counts
 * as the IPv4 address. Addresses of clouds' metadata services are refused even within `allowedNetworks`, unless one is
 * that very address (/32 or /128).
 *
 * `assertAllowed` is for saying no early and clearly, when a URL is entered. It cannot protect a later request (DNS
 * rebinding), so every request must go through `dispatcher`, which makes the same check at the moment of connecting
 * and connects to an address that it checked. Redirects that a caller chooses to follow are checked likewise.
 *
 * @throws TypeError when one of `allowedNetworks` is not a CIDR network.
 */
export function createSsrfGuard({ allowedNetworks, lookup = lookupAll }: SsrfGuardOptions): SsrfGuard {
  const opened = allowedNetworks.map(parseNetwork);
  const isAllowed = (text: string): boolean => {
    const address = parseAddress(text);
    if (address === null) return false;
    if (METADATA_ADDRESSES.has(address.toString())) return opened.some((network) => isExactly(address, network));
    return isPublic(address) || opened.some((network) => isWithin(address, network));
  };
  const resolve = createResolve(isAllowed, lookup);
  const dispatcher = createDispatcher(resolve, isAllowed);
  return {
    assertAllowed: async (url) => {
      await resolve(plainHost(parseUrl(url).hostname));
    },
    dispatcher,
    close: () => dispatcher.close(),
  };
}
