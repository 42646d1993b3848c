import { createHmac, generateKeyPairSync, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readSignedToken, rsaKeyOf, signToken } from "./json-web-token";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const tokenOf = (header: unknown, claims: unknown, secret = "secret", digest = "sha256") => {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac(digest, secret).update(text).digest("base64url")}`;
};

describe("a token with a shared secret", () => {
  it("returns its claims", () => {
    // The example of jwt.io.
    const token =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c";
    const claims = { sub: "1234567890", name: "John Doe", iat: 1_516_239_022 };
    expect(readSignedToken(token, "your-256-bit-secret", ["HS256"])).toEqual({ claims });
    expect(readSignedToken(token, "another-secret", ["HS256"])).toBeNull();
  });

  it.each([
    ["no algorithm", tokenOf({ typ: "JWT" }, {})],
    ["no signature", `${encode({ alg: "none" })}.${encode({})}.`],
    ["an algorithm that its issuer does not use", tokenOf({ alg: "HS512" }, {}, "secret", "sha512")],
    ["a header that is not an object", tokenOf("HS256", {})],
    ["a fourth part", `${tokenOf({ alg: "HS256" }, {})}.x`],
    ["nothing", ""],
  ])("is not accepted with %s", (_, token) => {
    expect(readSignedToken(token, "secret", ["HS256"])).toBeNull();
  });
});

describe("a private key", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const pem = String(privateKey.export({ format: "pem", type: "pkcs8" }));

  it.each([
    ["unchanged", pem],
    ["of PKCS #1", String(privateKey.export({ format: "pem", type: "pkcs1" }))],
    ["with escaped line breaks", pem.replaceAll("\n", "\\n")],
    ["without line breaks", pem.replaceAll("\n", "")],
    ["with spaces for line breaks", pem.replaceAll("\n", " ")],
  ])("is read %s, and signs a token that its public key verifies", (_, text) => {
    const key = rsaKeyOf(text);
    if (!key) throw new Error("The key was not read.");
    const [head, claims, signature] = signToken({ iat: 1 }, key).split(".") as [string, string, string];
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ typ: "JWT", alg: "RS256" });
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({ iat: 1 });
    expect(verify("sha256", Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, "base64url"))).toBe(
      true,
    );
  });

  it.each(["", "no key", pem.replace("MII", "AAA"), pem.slice(0, 200)])(
    "is not read from something else: %#",
    (text) => {
      expect(rsaKeyOf(text)).toBeNull();
    },
  );

  it("of another kind than RSA is refused", () => {
    const ec = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
    expect(rsaKeyOf(String(ec))).toBeNull();
  });
});
