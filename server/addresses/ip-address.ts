import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export type IpAddress = ReturnType<typeof ipaddr.process>;

/**
 * An address as the network has it; null for any other text.
 *
 * `isIP` comes first: it refuses shortened, octal and hexadecimal IPv4 forms, which the library would accept.
 * IPv4-mapped IPv6 (`::ffff:1.2.3.4`, an IPv4 address on a dual-stack socket) becomes the IPv4 address. The library
 * mistakes IPv4-compatible `::1.2.3.4` for it, unless its zeros are written out.
 */
export function parseAddress(text: string): IpAddress | null {
  return isIP(text) === 0 ? null : ipaddr.process(text.replace(/^::(?=\d+\.)/, "0:0:0:0:0:0:"));
}
