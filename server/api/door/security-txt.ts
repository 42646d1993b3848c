/** Where to report vulnerabilities (RFC 9116). */
import { DAY_MS } from "../../core/clock";

export const SECURITY_TXT = "/.well-known/security.txt";

/** Readers treat the file as stale after this time; it is generated for each request. */
const VALID_MS = 180 * DAY_MS;

/** @param contact a mailto:, https: or tel: address. @param origin the address of the service. */
export const securityText = (contact: string, origin: string, at: Date): string =>
  [
    `Contact: ${contact}`,
    `Expires: ${new Date(at.getTime() + VALID_MS).toISOString()}`,
    "Preferred-Languages: en",
    `Canonical: ${origin}${SECURITY_TXT}`,
    "",
  ].join("\n");
