/** The site that passkeys are made for. */
import { isIP } from "node:net";

/** `rpId`: the host that passkeys belong to. `origin`: the only one that they are used at. */
export type PasskeySite = { rpId: string; origin: string };

const isLocal = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || /^127\./.test(host) || host === "[::1]";

/**
 * The site of a service under this address; null where browsers allow no passkeys: they require a host name, and https anywhere but on
 * the machine itself. A local address counts as `localhost`, which browsers allow.
 * @param address of the service, as `publicUrl` gives it.
 */
export function passkeySite(address: string): PasskeySite | null {
  const { protocol, hostname, port, origin } = new URL(address);
  if (isLocal(hostname)) {
    const rpId = hostname.endsWith("localhost") ? hostname : "localhost";
    return { rpId, origin: `${protocol}//${rpId}${port && `:${port}`}` };
  }
  const isAddress = hostname.startsWith("[") || isIP(hostname) !== 0;
  return protocol === "https:" && !isAddress ? { rpId: hostname, origin } : null;
}
