/** Time-based one-time passwords (RFC 6238) as every authenticator app makes them: HMAC-SHA-1, six digits, 30 seconds. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const STEP_S = 30;
const DIGITS = 6;
/** RFC 4226 recommends 160 bits, the length of the hash. */
const SECRET_BYTES = 20;
/** Clocks of phones may differ from ours by a step. */
const DRIFT_STEPS = 1;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes in base32 (RFC 4648), without padding. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let carry = 0;
  let bits = 0;
  for (const byte of bytes) {
    carry = (carry << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((carry >>> bits) & 31);
    }
    carry &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET.charAt((carry << (5 - bits)) & 31);
}

function bytesOf(text: string): Buffer {
  const bytes: number[] = [];
  let carry = 0;
  let bits = 0;
  for (const character of text) {
    carry = ((carry << 5) | ALPHABET.indexOf(character)) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((carry >>> bits) & 255);
  }
  return Buffer.from(bytes);
}

/** A secret in base32, as people type it into an app. */
export const newTotpSecret = (): string => base32(randomBytes(SECRET_BYTES));

/** The number of the 30-second step of a time in seconds since 1970. */
export const stepAt = (epochS: number): number => Math.floor(epochS / STEP_S);

/** The code of a step. @param secret in base32. */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** The step that a code belongs to: the current one, the one before or the one after; null when it belongs to none of them. */
export function stepOfCode(secret: string, code: string, epochS: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const present = stepAt(epochS);
  for (let step = present - DRIFT_STEPS; step <= present + DRIFT_STEPS; step += 1) {
    if (timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code))) return step;
  }
  return null;
}

/** The address that apps read from the QR code (Key URI Format). */
export const totpUri = (secret: string, account: string, issuer: string): string =>
  `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
