import { expect, test } from "vitest";
import { newSigningSecret, openSecret, sealSecret } from "./secret";

const KEY = "a key of the installation, 32 characters or more";

test("a sealed secret opens with the same key, and shows nothing of the secret", () => {
  const secret = newSigningSecret();
  const sealed = sealSecret(KEY, secret);
  expect(openSecret(KEY, sealed)).toBe(secret);
  expect(sealed).not.toContain(secret.slice(6));
  expect(Buffer.from(sealed.slice(3), "base64url").includes(secret)).toBe(false);
});

test("the same secret sealed twice gives two texts", () => {
  const secret = newSigningSecret();
  expect(sealSecret(KEY, secret)).not.toBe(sealSecret(KEY, secret));
});

test("a change of any byte is detected", () => {
  const sealed = sealSecret(KEY, "whsec_x");
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  for (let at = 0; at < bytes.length; at += 1) {
    const altered = Buffer.from(bytes);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(() => openSecret(KEY, `v1.${altered.toString("base64url")}`), `byte ${at}`).toThrow("cannot be opened");
  }
});

test("another key does not open it", () => {
  expect(() => openSecret(`${KEY}.`, sealSecret(KEY, "whsec_x"))).toThrow("cannot be opened");
});

test.each(["", "v1.", "v1.AAAA", "v2.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])("%j is malformed", (sealed) => {
  expect(() => openSecret(KEY, sealed)).toThrow("malformed");
});

test("a signing secret has 256 random bits", () => {
  const secret = newSigningSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  expect(newSigningSecret()).not.toBe(secret);
});
