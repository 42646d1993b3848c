/** Lists of addresses and CIDR networks, IPv4 and IPv6, as settings and API keys have them. */
import { type IpAddress, parseAddress } from "./ip-address";

/** A CIDR network. */
export type Network = readonly [base: IpAddress, prefixLength: number];

/** A prefix length without sign and leading zeros. The upper bound depends on the address. */
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** An address or CIDR network; `null` when it is neither. A bare address is a network of one address. */
export function parseNetwork(text: string): Network | null {
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

/** Whether an address lies within a network of the same kind. */
export const contains = ([base, prefixLength]: Network, address: IpAddress): boolean =>
  base.kind() === address.kind() && address.match(base, prefixLength);

/** Whether an address lies within one of the networks. An invalid entry contains nothing. The list must not be modified later. */
export const isWithin = (address: IpAddress, networks: readonly string[]): boolean =>
  networksOf(networks).some((network) => contains(network, address));

/** Whether an address or CIDR network lies within one of the networks; invalid ones match nothing. */
export function isNetworkWithin(text: string, networks: readonly string[]): boolean {
  const inner = parseNetwork(text);
  if (inner === null) return false;
  const [base, prefixLength] = inner;
  return networksOf(networks).some((outer) => outer[1] <= prefixLength && contains(outer, base));
}

/**
 * Whether an allowlist lets the address pass. `null` or an empty list allows every address. Otherwise an invalid address is
 * refused, and an invalid entry matches no address, so that errors never grant access. An entry matches only addresses of its own
 * kind: no IPv6 address passes a list of IPv4 entries. The list must not be modified later, since its parsed form is cached.
 */
export function isAddressAllowed(address: string, allowed: readonly string[] | null): boolean {
  if (allowed === null || allowed.length === 0) return true;
  const parsed = parseAddress(address);
  return parsed !== null && isWithin(parsed, allowed);
}
