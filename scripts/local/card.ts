/** The card that a start ends with: the console, how to sign in, and how to send. */
import path from "node:path";
import { passkeySite } from "@/server/auth/passkeys/site";
import type { Credentials } from "./settings";

/**
 * The address to open the console at. Browsers allow passkeys at `localhost`, and at no IP address. Programs keep the address that the
 * service listens at, since some of them look for `localhost` at ::1 alone.
 */
export function consoleUrl(url: string): string {
  const isLocal = passkeySite(url)?.rpId === "localhost" && new URL(url).protocol === "http:";
  return isLocal ? url.replace(/^http:\/\/(?:127(?:\.\d+){3}|\[::1\])/, "http://localhost") : url;
}

export function card({ url, email, password, apiKey }: Credentials, dataDir: string): string {
  const shortest = path.relative("", dataDir).startsWith("..") ? dataDir : path.relative("", dataDir);
  return `
  The messaging service is running.

    Console   ${consoleUrl(url)}
    Sign in   ${email}   ${password}
    API key   ${apiKey}
    Logs      ${path.join(shortest, "web.log")}, worker.log

  Send a message:

    curl ${url}/api/v1/messages/send \\
      -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" \\
      -d '{"to": "+14155550123", "from": "DEMO", "body": "Hello"}'

  Ctrl-C stops everything and keeps the data.

`;
}
