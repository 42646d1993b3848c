/** How the client names itself to the service. */
import { VERSION } from "./version.js";

type Globals = {
  document?: unknown;
  importScripts?: unknown;
  process?: { versions?: { node?: string; bun?: string } };
  Deno?: { version?: { deno?: string } };
};

/** Pages and their workers. A browser names itself; where it let a page do so, the service would have to allow that to each origin. */
const isBrowser = ({ document, importScripts }: Globals): boolean =>
  document !== undefined || typeof importScripts === "function";

/** Bun and Deno say that they are Node, too. */
function runtimeOf({ Deno, process }: Globals): string[] {
  if (Deno?.version?.deno) return [`deno/${Deno.version.deno}`];
  if (process?.versions?.bun) return [`bun/${process.versions.bun}`];
  return process?.versions?.node ? [`node/${process.versions.node}`] : [];
}

/**
 * `<caller> messaging-service-typescript/<version> <runtime>/<version>`; null in browsers.
 * @param caller how the caller's own program names itself, such as `shop/1.2`.
 * @throws TypeError for characters that no header has.
 */
export function userAgentOf(caller: string | undefined, globals: object = globalThis): string | null {
  if (caller !== undefined && !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(caller)) {
    throw new TypeError("userAgent must be visible ASCII characters, such as shop/1.2.");
  }
  if (isBrowser(globals)) return null;
  const own = [`messaging-service-typescript/${VERSION}`, ...runtimeOf(globals)];
  return [...(caller === undefined ? [] : [caller]), ...own].join(" ");
}
