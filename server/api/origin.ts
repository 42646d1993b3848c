import { env, publicUrl } from "../core/env";

/** The origin under which callers know this installation; empty when it is unknown or the Host is invalid. */
export function originOf(host: string | undefined): string {
  if (host === undefined || !/^[\w.:[\]-]{1,255}$/.test(host)) return "";
  return env().PUBLIC_URL === undefined ? `http://${host}` : publicUrl();
}
