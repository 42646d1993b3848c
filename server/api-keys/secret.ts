/** The secret of an API key: made once, shown once, stored only as its hash. */
import { createHash, randomBytes as systemRandomBytes } from "node:crypto";

const PREFIX = "ds_live_";
/** 32 characters of 62 are log2(62^32) = 190 bits: no guessing, and so no slow hash is needed either. */
const RANDOM_LENGTH = 32;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/**
 * The largest multiple of 62 in a byte; higher bytes are thrown away, or the first characters would come up more
 * often.
 */
const UNBIASED_BYTES = 256 - (256 % BASE62.length);
const KEY_PATTERN = /^ds_live_[0-9A-Za-z]{32}$/;
const HINT_LENGTH = 4;

/**
 * A new API key in plain text: `ds_live_` and 32 base62 characters, each equally likely.
 *
 * @param randomBytes source of `n` random bytes; another than the system's own is for tests only.
 */
export function newPlainKey(randomBytes: (n: number) => Buffer = systemRandomBytes): string {
  let random = "";
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH - random.length)) {
      if (byte < UNBIASED_BYTES) random += BASE62.charAt(byte % BASE62.length);
    }
  }
  return PREFIX + random;
}

/**
 * What is stored and looked up instead of the key: SHA-256 (FIPS 180-4) in 64 lowercase hexadecimal digits. Neither
 * salted nor slow on purpose: the key is random, not chosen by a person, and every request has to find its row by
 * this value.
 */
export function hashKey(plain: string): string {
  return createHash("sha256").update(plain).digest("hex");
}

/**
 * The abbreviation that people know a key by, `ds_live_AbCd…wXyZ`: prefix, first four, ellipsis, last four
 * characters.
 *
 * @throws RangeError when the text is no key, since the hint of a shorter secret could give it away whole.
 */
export function keyHint(plain: string): string {
  if (!looksLikeKey(plain)) throw new RangeError("Only a complete API key has a hint.");
  return `${plain.slice(0, PREFIX.length + HINT_LENGTH)}…${plain.slice(-HINT_LENGTH)}`;
}

/**
 * Whether a text has the shape of a key; a cheap refusal before any look-up. It says nothing about the key being
 * valid.
 */
export function looksLikeKey(text: string): boolean {
  return KEY_PATTERN.test(text);
}
