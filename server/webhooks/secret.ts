/**
 * Signing secrets at rest. A secret must be readable again to sign, so it is encrypted, not hashed: AES-256-GCM with a
 * key derived from the installation's SECRET_KEY by HKDF (RFC 5869).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;
/** Names the way of sealing, so that another one can be told apart later. */
const VERSION = "v1.";
/** Keeps this key apart from whatever else is derived from the same SECRET_KEY. */
const PURPOSE = "webhook signing secret";

/** A new signing secret: `whsec_` and 256 random bits in base64url. */
export const newSigningSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64url")}`;

const deriveKey = (keyMaterial: string): Buffer =>
  Buffer.from(hkdfSync("sha256", keyMaterial, Buffer.alloc(0), PURPOSE, KEY_BYTES));

/**
 * Encrypts a signing secret; the same secret sealed twice gives two texts.
 * @param keyMaterial the installation's SECRET_KEY.
 */
export function sealSecret(keyMaterial: string, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, deriveKey(keyMaterial), iv, { authTagLength: TAG_BYTES });
  const encrypted = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return VERSION + Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString("base64url");
}

/**
 * Decrypts what {@link sealSecret} made.
 * @throws Error when it was altered, or sealed with another SECRET_KEY; the message holds nothing of either.
 */
export function openSecret(keyMaterial: string, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
  if (!sealed.startsWith(VERSION) || bytes.length < IV_BYTES + TAG_BYTES) {
    throw new Error("The sealed signing secret is malformed.");
  }
  const decipher = createDecipheriv(ALGORITHM, deriveKey(keyMaterial), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    throw new Error("The sealed signing secret cannot be opened: it was altered, or SECRET_KEY has changed.");
  }
}
