import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { parseNetwork } from "../addresses/networks";

/** The canonical spelling of an entry, or an error message. */
type AllowedIpResult = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly error: string };

/**
 * Parses one `allowed_ips` entry: an IPv4 address or an IPv4 CIDR network (RFC 4632), without spaces.
 *
 * The value is the canonical spelling to store: host bits cleared (`10.1.2.3/8` is `10.0.0.0/8`) and no `/32`. IPv6,
 * including its IPv4-mapped form, is refused: the allowlists of keys are IPv4 only.
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
