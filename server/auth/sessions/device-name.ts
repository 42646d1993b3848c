/** Name of a browser in the list of sessions. */
import Bowser from "bowser";

/** No browser sends a longer one. */
const USER_AGENT_MAX = 512;
const UNKNOWN = "Unknown device";

/** A product of a User-Agent header that one of our own clients sends, with its version. */
const CLIENT = /(?:^| )messaging-service-(cli|typescript|python)\/(\d[\w.+-]{0,31})(?= |$)/;
const CLIENTS: Readonly<Record<string, string>> = {
  cli: "Command line",
  typescript: "TypeScript client",
  python: "Python client",
};

/**
 * "Firefox on Linux", or "TypeScript client 1.2.0", from a User-Agent header; "Unknown device" when it names neither browser nor system nor
 * one of our clients. The command line comes before the client that it uses.
 */
export function deviceName(userAgent: string): string {
  if (userAgent === "" || userAgent.length > USER_AGENT_MAX) return UNKNOWN;
  const [, client = "", version = ""] = CLIENT.exec(userAgent) ?? [];
  if (CLIENTS[client]) return `${CLIENTS[client]} ${version}`;
  const { browser, os } = Bowser.parse(userAgent);
  return [browser.name, os.name].filter(Boolean).join(" on ") || UNKNOWN;
}
