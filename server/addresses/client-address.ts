/** The address of a client behind proxies. */
import { type IpAddress, parseAddress } from "./ip-address";
import { isWithin } from "./networks";

/** Where a request came from. */
interface ClientAddressInput {
  /** The address of the socket's peer. */
  readonly peer: string;
  /** The `X-Forwarded-For` headers, joined by commas; null or undefined when there is none. */
  readonly forwardedFor: string | null | undefined;
  /** Addresses and CIDR networks, IPv4 and IPv6, of proxies whose `X-Forwarded-For` is trusted. Must not be modified. */
  readonly trustedProxies: readonly string[];
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
  if (!isWithin(known.address, trustedProxies)) return known.text;
  let client = known.address;
  // Without a header there is one empty, hence invalid, entry.
  const entries = (forwardedFor ?? "").split(",");
  for (let i = entries.length - 1; i >= 0 && isWithin(client, trustedProxies); i--) {
    const entry = parseAddress((entries[i] ?? "").trim());
    if (entry === null) break;
    client = entry;
  }
  return client.toString();
}
