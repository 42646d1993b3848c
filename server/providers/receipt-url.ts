import { hkdfSync } from "node:crypto";
import { env, publicUrl, secretKeys } from "../core/env";
import { defineProcessValue } from "../core/process";
import { sameText } from "./http/constant-time";
import type { ProviderId } from "./schema";

export const RECEIPT_PREFIX = "/api/receipts";
const TOKEN_BYTES = 20;

const receiptTokens = defineProcessValue("providers.receipt_tokens", () => new Map<string, string>());

/** The secret part of a receipt URL; different for each provider and installation. */
function tokenOf(provider: ProviderId, secretKey: string): string {
  // Cached: every attempt needs it, and deriving it costs as much as the rest of building a request.
  const id = `${provider} ${secretKey}`;
  const cached = receiptTokens().get(id);
  if (cached !== undefined) return cached;
  const key = hkdfSync("sha256", secretKey, "", `receipt url of ${provider}`, TOKEN_BYTES);
  const token = Buffer.from(key).toString("base64url");
  receiptTokens().set(id, token);
  return token;
}

/** Receipt URL of a provider without a reference to an attempt, as operators enter it in the provider's own console. */
export const receiptUrlOf = (provider: ProviderId): string =>
  `${publicUrl()}${RECEIPT_PREFIX}/${provider}/${tokenOf(provider, env().SECRET_KEY)}`;

/** Receipt URL of one attempt. */
export const receiptUrlFor = (provider: ProviderId, reference: string): string =>
  `${receiptUrlOf(provider)}?ref=${reference}`;

/** Whether `token` is the one in the receipt URL of `provider`, by any key of the ring: old URLs outlive a change of the key. */
export const isReceiptToken = (provider: ProviderId, token: string): boolean =>
  secretKeys().some((secretKey) => sameText(token, tokenOf(provider, secretKey)));
