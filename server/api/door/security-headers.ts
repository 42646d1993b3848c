/** What browsers are told about every answer. */
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

/** The headers of every answer of the web process. */
export const securityHeaders = defineProcessValue("door.security_headers", fixedHeaders);

/**
 * The content security policy of a page. `scripts`: which inline scripts may run, as sources of the policy. Styles may be
 * inline, because the components write their measures into elements; a style cannot act.
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

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g;

/** The sources that let exactly the inline scripts of this page run. */
export function scriptHashes(html: string): string[] {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
  return [...new Set(hashes)];
}
