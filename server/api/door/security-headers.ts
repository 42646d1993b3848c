/** Security headers of every response. */
import { createHash } from "node:crypto";
import { env, publicUrl } from "../../core/env";
import { defineProcessValue } from "../../core/process";

const HSTS_S = 365 * 24 * 60 * 60;

const fixedHeaders = (): [name: string, value: string][] => [
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "strict-origin-when-cross-origin"],
  ["permissions-policy", "camera=(), microphone=(), geolocation=(), payment=()"],
  ["cross-origin-opener-policy", "same-origin"],
  ...(publicUrl().startsWith("https://")
    ? [["strict-transport-security", `max-age=${HSTS_S}; includeSubDomains`] as [string, string]]
    : []),
];

/** The headers of every response of the web process. */
export const securityHeaders = defineProcessValue("door.security_headers", fixedHeaders);

/**
 * The content security policy of a page. `scripts`: the inline scripts that may run, as sources of the policy. Styles may be
 * inline, because components write their measures into elements, and a style cannot run code.
 */
export function contentSecurityPolicy(scripts: readonly string[]): string {
  const isDevelopment = env().NODE_ENV === "development";
  const allowed = isDevelopment ? ["'unsafe-inline'", "'unsafe-eval'"] : scripts;
  return [
    "default-src 'self'",
    `script-src ${["'self'", ...allowed].join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const OPENING = "<script";
const CLOSING = "</script>";

/** The texts of a page's inline scripts, found in one pass. */
function inlineScripts(html: string): string[] {
  const scripts: string[] = [];
  for (let at = html.indexOf(OPENING); at !== -1; at = html.indexOf(OPENING, at)) {
    const tagEnd = html.indexOf(">", at);
    const end = tagEnd === -1 ? -1 : html.indexOf(CLOSING, tagEnd);
    if (end === -1) break;
    if (!html.slice(at, tagEnd).includes(" src=")) scripts.push(html.slice(tagEnd + 1, end));
    at = end + CLOSING.length;
  }
  return scripts;
}

/** The sources that let exactly the inline scripts of this page run. */
export const scriptHashes = (html: string): string[] => [
  ...new Set(inlineScripts(html).map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`)),
];
