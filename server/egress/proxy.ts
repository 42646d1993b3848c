/**
 * The ways out of this process: through the proxies of PROVIDER_PROXY_URL and WEBHOOK_PROXY_URL, and otherwise directly. No
 * other setting, and no variable such as HTTPS_PROXY, sends anything another way (decision 0053).
 */
import { env, foreignProxies } from "../core/env";
import { log } from "../core/log";
import { metrics } from "../core/metrics";
import { defineProcessValue } from "../core/process";
import type { EgressProxyError } from "./proxy-error";
import { type ProxyAddress, type TunnelOptions, tunnelConnector } from "./tunnel";

/** Kinds of traffic: calls of providers; webhooks with their test events and alerts. */
export type EgressUse = "providers" | "webhooks";

const SETTINGS = { providers: "PROVIDER_PROXY_URL", webhooks: "WEBHOOK_PROXY_URL" } as const;
/** A proxy that is unavailable fails every connection; a line for each would bury the rest of the log. */
const LOG_EVERY_MS = 60_000;

/** `label`: the proxy as it may be shown, without its credentials. */
type EgressProxy = ProxyAddress & { label: string };

function addressOf(text: string): EgressProxy {
  const { protocol, hostname, port, username, password, host } = new URL(text);
  const isEncrypted = protocol === "https:";
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    isEncrypted,
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port) || (isEncrypted ? 443 : 80),
    authorization: username === "" && password === "" ? null : `Basic ${Buffer.from(credentials).toString("base64")}`,
    label: `${protocol}//${host}`,
  };
}

function proxyOf(use: EgressUse): EgressProxy | null {
  const text = env()[SETTINGS[use]];
  return text === undefined ? null : addressOf(text);
}

/** Whether connections for this use lead through a proxy. */
export const isProxied = (use: EgressUse): boolean => env()[SETTINGS[use]] !== undefined;

const lastLogged = defineProcessValue("egress.last_logged", () => new Map<string, number>());

/** Counts a failure of the proxy, and logs it: once a minute for each kind. */
function noteFailure(use: EgressUse, label: string, { code, message }: EgressProxyError): void {
  metrics().egressFailures.inc({ use, reason: code.replace("egress_proxy_", "") });
  const key = `${use} ${code}`;
  const at = performance.now();
  if (at - (lastLogged().get(key) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
  lastLogged().set(key, at);
  log("warn", "egress.proxy_failed", { use, proxy: label, code, error: message });
}

/** The connector that leads through the proxy for this use; null: there is none, and connections are direct. */
export function proxyConnector(use: EgressUse, options: Pick<TunnelOptions, "limitMs" | "hostsOf">) {
  const proxy = proxyOf(use);
  if (!proxy) return null;
  return tunnelConnector({ ...options, proxy, onFailure: (failure) => noteFailure(use, proxy.label, failure) });
}

/** Whether the proxy of webhooks decides on addresses in place of this process. */
export const isGuardedByProxy = (): boolean => env().WEBHOOK_PROXY_GUARDS && isProxied("webhooks");

/** Logs which proxies are in use. Warns when there are none although the environment names one for other programs. */
export function reportEgress(): void {
  const [providers, webhooks] = [proxyOf("providers"), proxyOf("webhooks")].map((proxy) => proxy?.label ?? "direct");
  const ignored = foreignProxies();
  if (providers !== "direct" || webhooks !== "direct") {
    log("info", "egress.ready", { providers, webhooks, webhook_guard: isGuardedByProxy() ? "proxy" : "own" });
  } else if (ignored.length > 0) {
    log("warn", "egress.environment_ignored", { ignored, see: "docs/operations.md, Egress proxies" });
  }
}
