/** Which client addresses an API key answers to, and what the client's address is behind proxies. */
import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** An entry in its one stored spelling, or a sentence that says what is wrong with it. */
export type AllowedIpResult =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: string };

/** What is known about where a request came from. */
export interface ClientAddressInput {
  /** The address of the socket's other end. */
  readonly peer: string;
  /** The `X-Forwarded-For` header as received, several ones joined by commas; absent when there was none. */
  readonly forwardedFor: string | null | undefined;
  /** Addresses and CIDR networks, IPv4 and IPv6, of proxies whose `X-Forwarded-For` is believed; read once. */
  readonly trustedProxies: readonly string[];
}

type Address = ReturnType<typeof ipaddr.process>;
type Network = readonly [base: Address, prefixLength: number];

/** A prefix length in its only spelling: no sign, no leading zero. The upper bound depends on the address. */
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/**
 * Strict first: `isIP` takes no shortened, octal or hexadecimal IPv4 form, which the library would read in its own
 * way. IPv4-mapped IPv6 (`::ffff:1.2.3.4`, how a dual-stack socket shows an IPv4 client) becomes the IPv4 address;
 * the library does the same to IPv4-compatible `::1.2.3.4`, which is another address, unless its zeros are written
 * out.
 */
function parseAddress(text: string): Address | null {
  return isIP(text) === 0 ? null : ipaddr.process(text.replace(/^::(?=\d+\.)/, "0:0:0:0:0:0:"));
}

/** An address or CIDR network; `null` when it is neither. A bare address is the network of itself. */
function parseNetwork(text: string): Network | null {
  const slash = text.indexOf("/");
  const base = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (base === null) return null;
  const bits = base.kind() === "ipv4" ? 32 : 128;
  if (slash < 0) return [base, bits];
  const prefixText = text.slice(slash + 1);
  const prefixLength = Number(prefixText);
  return PREFIX_LENGTH.test(prefixText) && prefixLength <= bits ? [base, prefixLength] : null;
}

/**
 * Lists are read once, not at every request: reading costs several times as much as matching. A list must therefore
 * not be changed after its first use; what is kept of it goes away together with it.
 */
const PARSED_LISTS = new WeakMap<readonly string[], readonly Network[]>();

/** The networks of a list; an unreadable one holds nobody. */
function networksOf(list: readonly string[]): readonly Network[] {
  const known = PARSED_LISTS.get(list);
  if (known !== undefined) return known;
  const networks = list.map(parseNetwork).filter((network) => network !== null);
  PARSED_LISTS.set(list, networks);
  return networks;
}

function isWithin(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([base, prefixLength]) => base.kind() === address.kind() && address.match(base, prefixLength));
}

/**
 * Reads one `allowed_ips` entry: an IPv4 address or an IPv4 CIDR network (RFC 4632), without spaces.
 *
 * The value is the spelling to store: host bits cleared (`10.1.2.3/8` is `10.0.0.0/8`) and no `/32`. IPv6, also in
 * its IPv4-mapped form, is refused: the contract's allowlist is IPv4 only.
 */
export function parseAllowedIp(text: string): AllowedIpResult {
  const network = isIPv4(text.split("/", 1)[0] ?? "") ? parseNetwork(text) : null;
  if (network === null) {
    return {
      ok: false,
      error: "must be an IPv4 address such as 203.0.113.7 or an IPv4 network such as 203.0.113.0/24",
    };
  }
  const [base, prefixLength] = network;
  if (prefixLength === 32) return { ok: true, value: base.toString() };
  return { ok: true, value: `${ipaddr.IPv4.networkAddressFromCIDR(text).toString()}/${prefixLength}` };
}

/** Whether an address or CIDR network lies within one of the networks; what cannot be read does not, and holds nothing. */
export function isNetworkWithin(text: string, networks: readonly string[]): boolean {
  const inner = parseNetwork(text);
  if (inner === null) return false;
  const [base, prefixLength] = inner;
  return networksOf(networks).some((outer) => outer[1] <= prefixLength && isWithin(base, [outer]));
}

/**
 * Whether a key with this allowlist may be used from the address.
 *
 * No list (`null` or empty) allows every address. With a list, an address that is IPv6 or unreadable is not allowed,
 * and an unreadable entry allows nobody: what cannot be understood must not open the door. The list is read once, so
 * it must not be changed after it was passed in.
 */
export function isAddressAllowed(address: string, allowed: readonly string[] | null): boolean {
  if (allowed === null || allowed.length === 0) return true;
  const parsed = parseAddress(address);
  return parsed !== null && isWithin(parsed, networksOf(allowed));
}

/**
 * The address of the client: the socket's peer, or, when the peer is a trusted proxy, the right-most entry of
 * `X-Forwarded-For` that is not itself trusted. If all are trusted it is the left-most.
 *
 * Read from the right because each proxy appends the address that it saw, while everything further left came with the
 * request and can be forged. An unreadable entry (empty, a name, an address with a port) ends the walk: the last good
 * address is the answer. IPv4-mapped IPv6 comes back as IPv4; a peer that is no address comes back as it is.
 */
export function clientAddress({ peer, forwardedFor, trustedProxies }: ClientAddressInput): string {
  const peerAddress = parseAddress(peer);
  if (peerAddress === null) return peer;
  const trusted = networksOf(trustedProxies);
  let client = peerAddress;
  // Without a header there is one empty, hence unreadable, entry.
  const entries = (forwardedFor ?? "").split(",");
  for (let i = entries.length - 1; i >= 0 && isWithin(client, trusted); i--) {
    const entry = parseAddress((entries[i] ?? "").trim());
    if (entry === null) break;
    client = entry;
  }
  return client.toString();
}
