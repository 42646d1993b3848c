import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { seal, unseal } from "./seal";

const PURPOSE = "webhook signing secret";
const KEY = "a key of the installation, 32 characters or more";

test("a sealed secret opens with the same key, and reveals nothing of the secret", () => {
  const secret = randomBytes(32).toString("base64");
  const sealed = seal(KEY, PURPOSE, secret);
  expect(unseal([KEY], PURPOSE, sealed)).toBe(secret);
  expect(sealed).not.toContain(secret.slice(6));
  expect(Buffer.from(sealed.slice(3), "base64url").includes(secret)).toBe(false);
});

test("text that an earlier version sealed opens, even after others were opened", () => {
  const sealed = "v1.OOnAMVPVmBF2KGzNWJOD3d6-wlLfQdK3luBWfWu5ySlv9q7S3qo";
  expect(() => unseal([`${KEY}.`], PURPOSE, sealed)).toThrow("cannot be opened");
  expect(() => unseal([KEY], "provider settings", sealed)).toThrow("cannot be opened");
  for (let time = 0; time < 2; time += 1) expect(unseal([KEY], PURPOSE, sealed)).toBe("whsec_kept");
});

test("the same secret sealed twice gives two texts", () => {
  const secret = randomBytes(32).toString("base64");
  expect(seal(KEY, PURPOSE, secret)).not.toBe(seal(KEY, PURPOSE, secret));
});

test("a change of any byte is detected", () => {
  const sealed = seal(KEY, PURPOSE, "whsec_x");
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  for (let at = 0; at < bytes.length; at += 1) {
    const altered = Buffer.from(bytes);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(() => unseal([KEY], PURPOSE, `v1.${altered.toString("base64url")}`), `byte ${at}`).toThrow(
      "cannot be opened",
    );
  }
});

test("another key does not open it", () => {
  expect(() => unseal([`${KEY}.`], PURPOSE, seal(KEY, PURPOSE, "whsec_x"))).toThrow("cannot be opened");
});

test.each(["", "v1.", "v1.AAAA", "v2.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])("%j is malformed", (sealed) => {
  expect(() => unseal([KEY], PURPOSE, sealed)).toThrow("malformed");
});

test("text sealed for one purpose does not open for another", () => {
  expect(() => unseal([KEY], "idempotent answer", seal(KEY, PURPOSE, "x"))).toThrow("cannot be opened");
});

test("a text that any key of the ring sealed can be opened", () => {
  const [old, present] = [`${KEY} of last year`, KEY];
  for (const key of [old, present])
    expect(unseal([present, old], PURPOSE, seal(key, PURPOSE, "whsec_x"))).toBe("whsec_x");
  expect(() => unseal([present], PURPOSE, seal(old, PURPOSE, "whsec_x"))).toThrow("cannot be opened");
});
