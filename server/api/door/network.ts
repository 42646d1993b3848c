import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** Groups of an IPv6 address that name a network; its owner chooses the rest freely. */
const GROUPS = 4;

/** The key under which an address is counted: an IPv4 address itself, an IPv6 address by its /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const groups = (parsed as ipaddr.IPv6).parts.slice(0, GROUPS);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}
