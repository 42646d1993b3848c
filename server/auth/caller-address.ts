/** Where a request that Next answers came from. */
import { clientAddress } from "../api-keys/ip-allowlist";

/**
 * Internal header with the address of the socket's other end. The web process sets it on every request that it hands
 * to Next and overwrites what the client sent; Next does not show the socket itself.
 */
export const PEER_ADDRESS_HEADER = "x-peer-address";

/**
 * The caller's address, behind trusted proxies the one that they saw; empty when the web process did not say.
 * @param header reads a request header by its name in lower case.
 */
export function callerAddress(
  header: (name: string) => string | null | undefined,
  trustedProxies: readonly string[],
): string {
  return clientAddress({
    peer: header(PEER_ADDRESS_HEADER) ?? "",
    forwardedFor: header("x-forwarded-for"),
    trustedProxies,
  });
}
