/**
 * Receipt URLs. Each has a secret part that is derived from the key ring. Nothing else protects the callbacks of some providers, so
 * their URLs change:
 *
 * - The URL that is sent with each message changes every day, and is accepted for RECEIPT_PATH_DAYS.
 * - The URL that operators enter in a provider's own console must not change by itself: it stays until an operator rotates
 *   it, and the previous one is accepted for as many days.
 */
import { hkdfSync } from "node:crypto";
import { DAY_MS, now } from "../core/clock";
import { env, publicUrl, secretKeys } from "../core/env";
import { defineProcessValue } from "../core/process";
import { sameText } from "./http/constant-time";
import type { ProviderId } from "./schema";

export const RECEIPT_PREFIX = "/api/receipts";
const TOKEN_BYTES = 20;
/** Tokens kept; there are a few for each provider, day and key. */
const CACHED_MAX = 2_000;

/** Providers whose callbacks are, or may be, protected by the URL alone, with the way in which they learn the receipt URL. */
const PROTECTED_BY_URL: Partial<Record<ProviderId, "with each message" | "entered">> = {
  infobip: "with each message",
  sinch: "with each message",
  vonage: "with each message",
  africastalking: "entered",
  clickatell: "entered",
};

/** Whether an operator may rotate the URL that is entered in the provider's console. */
export const isRotatable = (provider: ProviderId): boolean => PROTECTED_BY_URL[provider] !== undefined;

const receiptTokens = defineProcessValue("providers.receipt_tokens", () => new Map<string, string>());

/** Cached: every attempt needs it, and deriving it costs as much as the rest of building a request. */
function derive(purpose: string, secretKey: string): string {
  const id = `${purpose} ${secretKey}`;
  const cached = receiptTokens().get(id);
  if (cached !== undefined) return cached;
  if (receiptTokens().size >= CACHED_MAX) receiptTokens().clear();
  const token = Buffer.from(hkdfSync("sha256", secretKey, "", purpose, TOKEN_BYTES)).toString("base64url");
  receiptTokens().set(id, token);
  return token;
}

/** Purpose of the derived secret. Rotation 0 has the text of versions without rotation, so their URLs are still valid. */
const enteredPurpose = (provider: ProviderId, rotation: number): string =>
  rotation === 0 ? `receipt url of ${provider}` : `receipt url of ${provider}, rotation ${rotation}`;

const datedPurpose = (provider: ProviderId, day: number): string => `receipt url of ${provider}, day ${day}`;

const isDerived = (purpose: string, token: string): boolean =>
  secretKeys().some((secretKey) => sameText(token, derive(purpose, secretKey)));

/** The number of rotations of a provider's entered URL, and whether the previous one is still accepted. */
export type ReceiptRotation = { receiptRotation: number; isFormerReceiptUrlValid: boolean };

/** The URL without a reference to an attempt, as operators enter it in the provider's own console. */
export const receiptUrlOf = (provider: ProviderId, rotation: number): string =>
  `${publicUrl()}${RECEIPT_PREFIX}/${provider}/${derive(enteredPurpose(provider, rotation), env().SECRET_KEY)}`;

/** The number of a UTC day, from 1970. */
const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

/** The URL for the receipts of one attempt. */
export function receiptUrlFor(provider: ProviderId, reference: string): string {
  if (PROTECTED_BY_URL[provider] !== "with each message") return `${receiptUrlOf(provider, 0)}?ref=${reference}`;
  const day = dayOf(now());
  const token = derive(datedPurpose(provider, day), env().SECRET_KEY);
  return `${publicUrl()}${RECEIPT_PREFIX}/${provider}/${day}.${token}?ref=${reference}`;
}

/** The day of a dated path is in plain text, so that one derivation is enough, made only for accepted days. */
const DATED = /^(\d{5})\.([\w-]{27})$/;

/** Null: not a dated path. */
function isDatedToken(provider: ProviderId, text: string, at: Date): boolean | null {
  const [, dayText, token = ""] = DATED.exec(text) ?? [];
  if (dayText === undefined) return null;
  const [day, latest] = [Number(dayText), dayOf(at)];
  // A day ahead is allowed, because the clocks of two processes may differ at midnight.
  if (day > latest + 1 || day < latest - env().RECEIPT_PATH_DAYS) return false;
  return isDerived(datedPurpose(provider, day), token);
}

/**
 * Whether `token` is the secret part of a receipt URL of `provider`, by any key of the ring: URLs outlive a change of the key.
 * @param rotationOf called only for tokens of the entered URL.
 */
export async function isReceiptToken(
  provider: ProviderId,
  token: string,
  rotationOf: () => Promise<ReceiptRotation>,
): Promise<boolean> {
  const isDated = isDatedToken(provider, token, now());
  if (isDated !== null) return isDated;
  const { receiptRotation, isFormerReceiptUrlValid } = await rotationOf();
  if (isDerived(enteredPurpose(provider, receiptRotation), token)) return true;
  return isFormerReceiptUrlValid && isDerived(enteredPurpose(provider, receiptRotation - 1), token);
}
