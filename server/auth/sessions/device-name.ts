/** Name of a browser in the list of sessions. */
import Bowser from "bowser";

/** No browser sends a longer one. */
const USER_AGENT_MAX = 512;
const UNKNOWN = "Unknown device";

/** "Firefox on Linux", from a User-Agent header; "Unknown device" when it names neither browser nor system. */
export function deviceName(userAgent: string): string {
  if (userAgent === "" || userAgent.length > USER_AGENT_MAX) return UNKNOWN;
  const { browser, os } = Bowser.parse(userAgent);
  return [browser.name, os.name].filter(Boolean).join(" on ") || UNKNOWN;
}
