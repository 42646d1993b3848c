/** Detects a reverse proxy missing from TRUSTED_PROXIES: all callers through it share its address, and its limits. */
import { isNetworkWithin } from "../../addresses/networks";
import { MINUTE_MS } from "../../core/clock";
import { env } from "../../core/env";
import { log } from "../../core/log";
import { defineProcessValue } from "../../core/process";
import { namedPeer } from "./caller-address";

/**
 * Whether a peer that is no trusted proxy forwards for others. Next itself adds the header with the peer's own address where
 * there is none.
 */
export const isUndeclaredProxy = (
  peer: string,
  forwardedFor: string | null | undefined,
  trustedProxies: readonly string[],
): boolean => peer !== "" && Boolean(forwardedFor) && forwardedFor !== peer && !isNetworkWithin(peer, trustedProxies);

const lastWarning = defineProcessValue("auth.proxy_warning", () => ({ at: Number.NEGATIVE_INFINITY }));

/** Logs an undeclared proxy, once a minute at most. @param header reads a request header by its name in lower case. */
export const warnOfUndeclaredProxy = (header: (name: string) => string | null | undefined): void =>
  warnOfUndeclaredPeer(namedPeer(header), header("x-forwarded-for"));

/** The same for the socket's other end and its `X-Forwarded-For`. */
export function warnOfUndeclaredPeer(peer: string, forwardedFor: string | null | undefined): void {
  if (!isUndeclaredProxy(peer, forwardedFor, env().TRUSTED_PROXIES)) return;
  const warning = lastWarning();
  if (performance.now() - warning.at < MINUTE_MS) return;
  warning.at = performance.now();
  log("warn", "auth.proxy_not_trusted", {
    peer,
    advice: "Its X-Forwarded-For is not believed. If it is your reverse proxy, name it in TRUSTED_PROXIES.",
  });
}
