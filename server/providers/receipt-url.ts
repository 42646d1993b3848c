import { hkdfSync } from "node:crypto";
import { env, publicUrl } from "../core/env";
import { perProcess } from "../core/process";
import { sameText } from "./http/constant-time";
import type { ProviderId } from "./schema";

export const RECEIPT_PREFIX = "/api/receipts";
const TOKEN_BYTES = 20;

/** The part of a receipt URL that nobody can guess; another one for each provider and installation. */
function tokenOf(provider: ProviderId): string {
  // Kept: every attempt needs it, and deriving it costs as much as the rest of building a request.
  const tokens = perProcess("providers.receipt_tokens", () => new Map<string, string>());
  const id = `${provider} ${env().SECRET_KEY}`;
  const known = tokens.get(id);
  if (known !== undefined) return known;
  const key = hkdfSync("sha256", env().SECRET_KEY, "", `receipt url of ${provider}`, TOKEN_BYTES);
  const token = Buffer.from(key).toString("base64url");
  tokens.set(id, token);
  return token;
}

/** Where a provider is to report, without reference to a message: what an operator enters in the provider's own console. */
export const receiptUrlOf = (provider: ProviderId): string =>
  `${publicUrl()}${RECEIPT_PREFIX}/${provider}/${tokenOf(provider)}`;

/** Where a provider is to report on one attempt. */
export const receiptUrlFor = (provider: ProviderId, reference: string): string =>
  `${receiptUrlOf(provider)}?ref=${reference}`;

/** Whether `token` is the one in the receipt URL of `provider`. */
export const isReceiptToken = (provider: ProviderId, token: string): boolean => sameText(token, tokenOf(provider));
