/** JSON Web Tokens (RFC 7519): those that providers sign for us with a shared secret, and those that we sign. */
import { createHmac, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { sameText } from "./constant-time";
import { jsonOrNull } from "./response";

const DIGESTS = { HS256: "sha256", HS384: "sha384", HS512: "sha512" } as const;

/** Algorithms with a shared secret. */
export type SecretAlgorithm = keyof typeof DIGESTS;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decoded = (part: string): unknown => jsonOrNull(Buffer.from(part, "base64url").toString("utf8"));

/** The algorithm that a token names; "" if its header is anything but an object with a text there. */
function algorithmOf(head: string): string {
  const header = decoded(head);
  const alg = typeof header === "object" && header !== null && "alg" in header ? header.alg : "";
  return typeof alg === "string" ? alg : "";
}

/**
 * Reads a token that is signed with a shared secret.
 * @param algorithms those that its issuer uses: the token alone must not decide.
 * @returns its claims, not validated yet; null when it is no such token, or another secret signed it.
 */
export function readSignedToken(
  token: string,
  secret: string,
  algorithms: readonly SecretAlgorithm[],
): { claims: unknown } | null {
  const [head = "", payload = "", signature = "", ...more] = token.split(".");
  const algorithm = algorithms.find((one) => one === algorithmOf(head));
  if (!algorithm || more.length > 0) return null;
  const expected = createHmac(DIGESTS[algorithm], secret).update(`${head}.${payload}`).digest("base64url");
  return sameText(signature, expected) ? { claims: decoded(payload) } : null;
}

/** The text between the lines that begin and end the key in a PEM file. */
function betweenLines(text: string): string {
  const [, rest = ""] = text.split("PRIVATE KEY-----", 2);
  return rest.split("-----END", 1)[0] ?? "";
}

/**
 * An RSA private key from the text of a PEM file (PKCS #8 or #1), whose line breaks may have been lost or escaped on the way
 * through a form or an environment variable; null when it is something else.
 */
export function rsaKeyOf(text: string): KeyObject | null {
  const der = Buffer.from(betweenLines(text.replaceAll("\\n", "\n")).replace(/\s/g, ""), "base64");
  for (const type of ["pkcs8", "pkcs1"] as const) {
    try {
      const key = createPrivateKey({ key: der, format: "der", type });
      if (key.asymmetricKeyType === "rsa") return key;
    } catch {
      // The other format, or no key at all.
    }
  }
  return null;
}

/** Signs claims by RS256. */
export function signToken(claims: Record<string, unknown>, key: KeyObject): string {
  const text = `${encoded({ typ: "JWT", alg: "RS256" })}.${encoded(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}
