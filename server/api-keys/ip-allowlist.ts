/** IP allowlists of API keys, and the client's address behind proxies. */
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { type IpAddress, parseAddress } from "./ip-address";

/** The canonical spelling of an entry, or an error message. */
export type AllowedIpResult =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: string };

/** The origin of a request. */
export interface ClientAddressInput {
  /** The address of the socket's peer. */
  readonly peer: string;
  /** The `X-Forwarded-For` headers, joined by commas; null or undefined when there is none. */
  readonly forwardedFor: string | null | undefined;
  /** Addresses and CIDR networks, IPv4 and IPv6, of proxies whose `X-Forwarded-For` is trusted. Must not be modified. */
  readonly trustedProxies: readonly string[];
}

type Network = readonly [base: IpAddress, prefixLength: number];

/** A prefix length without sign and leading zeros. The upper bound depends on the address. */
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** An address or CIDR network; `null` when it is neither. A bare address is a network of one address. */
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
 * Parsed lists, since parsing costs several times as much as matching. A list must not be modified after its first use;
 * its entry is garbage-collected together with it.
 */
const PARSED_LISTS = new WeakMap<readonly string[], readonly Network[]>();

/** The networks of a list; an invalid entry matches no address. */
function networksOf(list: readonly string[]): readonly Network[] {
  const cached = PARSED_LISTS.get(list);
  if (cached !== undefined) return cached;
  const networks = list.map(parseNetwork).filter((network) => network !== null);
  PARSED_LISTS.set(list, networks);
  return networks;
}

function isWithin(address: IpAddress, networks: readonly Network[]): boolean {
  return networks.some(([base, prefixLength]) => base.kind() === address.kind() && address.match(base, prefixLength));
}

/**
 * Parses one `allowed_ips` entry: an IPv4 address or an IPv4 CIDR network (RFC 4632), without spaces.
 *
 * The value is the canonical spelling to store: host bits cleared (`10.1.2.3/8` is `10.0.0.0/8`) and no `/32`. IPv6,
 * including its IPv4-mapped form, is refused: the API's allowlists are IPv4 only.
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

/** Whether an address or CIDR network lies within one of the networks; invalid ones match nothing. */
export function isNetworkWithin(text: string, networks: readonly string[]): boolean {
  const inner = parseNetwork(text);
  if (inner === null) return false;
  const [base, prefixLength] = inner;
  return networksOf(networks).some((outer) => outer[1] <= prefixLength && isWithin(base, [outer]));
}

/**
 * Whether a key with this allowlist may be used from the address.
 *
 * `null` or an empty list allows every address. Otherwise IPv6 and invalid addresses are refused, and an invalid entry
 * matches no address, so that errors never grant access. The list must not be modified afterwards, since its parsed form
 * is cached.
 */
export function isAddressAllowed(address: string, allowed: readonly string[] | null): boolean {
  if (allowed === null || allowed.length === 0) return true;
  const parsed = parseAddress(address);
  return parsed !== null && isWithin(parsed, networksOf(allowed));
}

/** A peer's address, and its canonical spelling. */
type Peer = { address: IpAddress; text: string };

/** Peers send many requests each. */
const PEERS = new Map<string, Peer | null>();
const PEERS_MAX = 10_000;

function knownPeer(peer: string): Peer | null {
  const cached = PEERS.get(peer);
  if (cached !== undefined) return cached;
  const address = parseAddress(peer);
  const parsed = address && { address, text: address.toString() };
  if (PEERS.size >= PEERS_MAX) PEERS.clear();
  PEERS.set(peer, parsed);
  return parsed;
}

/**
 * The address of the client: the socket's peer or, when the peer is a trusted proxy, the right-most untrusted entry of
 * `X-Forwarded-For`; the left-most one if all are trusted.
 *
 * Read from the right, because each proxy appends the address that it saw, while everything further left came with the
 * request and can be forged. At an invalid entry (empty, a name, an address with a port) the last valid address is
 * returned. IPv4-mapped IPv6 is returned as IPv4; a peer that is not an address is returned unchanged.
 */
export function clientAddress({ peer, forwardedFor, trustedProxies }: ClientAddressInput): string {
  const known = knownPeer(peer);
  if (known === null) return peer;
  const trusted = networksOf(trustedProxies);
  if (!isWithin(known.address, trusted)) return known.text;
  let client = known.address;
  // Without a header there is one empty, hence invalid, entry.
  const entries = (forwardedFor ?? "").split(",");
  for (let i = entries.length - 1; i >= 0 && isWithin(client, trusted); i--) {
    const entry = parseAddress((entries[i] ?? "").trim());
    if (entry === null) break;
    client = entry;
  }
  return client.toString();
}
