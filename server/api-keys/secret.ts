/** The secret of an API key: shown once, stored only as its hash. */
import { hash, randomBytes as systemRandomBytes } from "node:crypto";

const LIVE_PREFIX = "ds_live_";
const TEST_PREFIX = "ds_test_";
const PREFIX_LENGTH = LIVE_PREFIX.length;
/** 32 base62 characters are log2(62^32) = 190 bits: impossible to guess, so a fast hash is enough. */
const RANDOM_LENGTH = 32;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/**
 * The largest multiple of 62 in a byte. Bytes from there on are discarded, or the first characters would be more
 * frequent.
 */
const UNBIASED_BYTES = 256 - (256 % BASE62.length);
const KEY_PATTERN = /^ds_(?:live|test)_[0-9A-Za-z]{32}$/;
const HINT_LENGTH = 4;

/**
 * A new API key in plain text: `ds_live_`, in test mode `ds_test_`, and 32 base62 characters, each equally likely.
 *
 * @param randomBytes source of `n` random bytes; only tests replace the system's.
 */
export function newPlainKey(isTest = false, randomBytes: (n: number) => Buffer = systemRandomBytes): string {
  let random = "";
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH - random.length)) {
      if (byte < UNBIASED_BYTES) random += BASE62.charAt(byte % BASE62.length);
    }
  }
  return (isTest ? TEST_PREFIX : LIVE_PREFIX) + random;
}

/**
 * The stored form of a key: SHA-256 (FIPS 180-4) in 64 lowercase hexadecimal digits. Deliberately neither salted nor
 * slow: the key is random, and every request looks up its row by this value.
 */
export function hashKey(plain: string): string {
  return hash("sha256", plain);
}

/**
 * The displayed abbreviation of a key, `ds_live_AbCd…wXyZ`: prefix, first four characters, ellipsis, last four.
 *
 * @throws RangeError when the text is not a key, since the hint of a shorter secret could reveal all of it.
 */
export function keyHint(plain: string): string {
  if (!looksLikeKey(plain)) throw new RangeError("Only a complete API key has a hint.");
  return `${plain.slice(0, PREFIX_LENGTH + HINT_LENGTH)}…${plain.slice(-HINT_LENGTH)}`;
}

/**
 * Whether a text has the format of a key: a cheap check before any look-up, which does not imply that the key is valid.
 */
export function looksLikeKey(text: string): boolean {
  return KEY_PATTERN.test(text);
}
