import { hkdfSync } from "node:crypto";
import { env, publicUrl } from "../core/env";
import { sameText } from "./http/constant-time";
import type { ProviderId } from "./schema";

export const RECEIPT_PREFIX = "/api/receipts";
const TOKEN_BYTES = 20;

/** The secret part of a receipt URL; different for each provider and installation. */
const tokenOf = (provider: string): string =>
  Buffer.from(hkdfSync("sha256", env().SECRET_KEY, "", `receipt url of ${provider}`, TOKEN_BYTES)).toString(
    "base64url",
  );

/** Receipt URL of a provider without a reference to an attempt, as operators enter it in the provider's own console. */
export const receiptUrlOf = (provider: ProviderId): string =>
  `${publicUrl()}${RECEIPT_PREFIX}/${provider}/${tokenOf(provider)}`;

/** Receipt URL of one attempt. */
export const receiptUrlFor = (provider: ProviderId, reference: string): string =>
  `${receiptUrlOf(provider)}?ref=${reference}`;

/** Whether `token` is the one in the receipt URL of `provider`. */
export const isReceiptToken = (provider: ProviderId, token: string): boolean => sameText(token, tokenOf(provider));
