import type ipaddr from "ipaddr.js";
import { parseAddress } from "./ip-address";

/** Groups of an IPv6 address that name a network; its owner chooses the rest freely. */
const GROUPS = 4;

/** The key under which an address is counted: an IPv4 address itself, an IPv6 address by its /64, any other text unchanged. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null) return address;
  if (parsed.kind() === "ipv4") return parsed.toString();
  const groups = (parsed as ipaddr.IPv6).parts.slice(0, GROUPS);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}
