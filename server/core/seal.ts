/**
 * Encrypts secrets that must be readable again, so they cannot be hashed: AES-256-GCM with a key derived by HKDF (RFC
 * 5869) from the installation's SECRET_KEY and the purpose.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { defineProcessValue } from "./process";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Version of the format, to distinguish it from later ones. */
const VERSION = "v1.";
/** Kind of the secret. Each purpose has its own key, so text sealed for one cannot be opened for another. */
export type SealPurpose =
  | "webhook signing secret"
  | "idempotent answer"
  | "provider settings"
  | "known device"
  | "second factor"
  | "mail"
  | "access token";

/** Derived keys by purpose and key material: each webhook job opens a secret, and deriving costs more than that. */
const derivedKeys = defineProcessValue("seal.keys", () => new Map<string, Buffer>());

function deriveKey(keyMaterial: string, purpose: SealPurpose): Buffer {
  const id = `${purpose} ${keyMaterial}`;
  const derived =
    derivedKeys().get(id) ?? Buffer.from(hkdfSync("sha256", keyMaterial, Buffer.alloc(0), purpose, KEY_BYTES));
  derivedKeys().set(id, derived);
  return derived;
}

/**
 * Encrypts a secret; the same secret sealed twice gives two texts.
 * @param keyMaterial the installation's SECRET_KEY.
 */
export function seal(keyMaterial: string, purpose: SealPurpose, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, deriveKey(keyMaterial, purpose), iv, { authTagLength: TAG_BYTES });
  const encrypted = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return VERSION + Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString("base64url");
}

/**
 * Decrypts the result of {@link seal}.
 * @param keyRing the installation's secret keys, the current one first; any of them may have sealed the text.
 * @throws Error when the text was altered, or was sealed with another key or for another purpose; the message does not reveal
 *   which.
 */
export function unseal(keyRing: readonly string[], purpose: SealPurpose, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
  if (!sealed.startsWith(VERSION) || bytes.length < IV_BYTES + TAG_BYTES) {
    throw new Error("The sealed text is malformed.");
  }
  for (const keyMaterial of keyRing) {
    const opened = open(deriveKey(keyMaterial, purpose), bytes);
    if (opened !== null) return opened;
  }
  throw new Error("The sealed text cannot be opened: it was altered, or SECRET_KEY has changed.");
}

/** null: it was altered, or sealed with another key. */
function open(key: Buffer, bytes: Buffer): string | null {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}
