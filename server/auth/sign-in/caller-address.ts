/** Where a request that Next answers came from. */
import { clientAddress } from "../../addresses/client-address";
import { defineProcessValue } from "../../core/process";

/**
 * Internal header with the address of the socket's other end. The web process sets it on every request that it hands
 * to Next and overwrites what the client sent; Next does not show the socket itself.
 */
export const PEER_ADDRESS_HEADER = "x-peer-address";

const naming = defineProcessValue("auth.peer_naming", () => ({ isOn: false }));

/** Called by the process that sets the header on every request to Next; a header set by others is not trusted. */
export function believePeerHeader(): void {
  naming().isOn = true;
}

/**
 * The address of the socket's other end; empty when it is not known, as under `next dev` or another host of Next, where
 * the header is what the client wrote.
 * @param header reads a request header by its name in lower case.
 */
export const namedPeer = (header: (name: string) => string | null | undefined): string =>
  (naming().isOn && header(PEER_ADDRESS_HEADER)) || "";

/**
 * The caller's address, behind trusted proxies the one that they saw; empty when the web process did not say.
 * @param header reads a request header by its name in lower case.
 */
export function callerAddress(
  header: (name: string) => string | null | undefined,
  trustedProxies: readonly string[],
): string {
  return clientAddress({
    peer: namedPeer(header),
    forwardedFor: header("x-forwarded-for"),
    trustedProxies,
  });
}
