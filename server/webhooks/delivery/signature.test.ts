import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { newSigningSecret, signatureHeaders, signPayload, signStandard, verifySignature } from "./signature";

const SECRET = "whsec_test";
const NOW = 1_700_000_000;
const BODY = '{"id":"evt_1","text":"grüße 😀"}';

/** The scheme once more, in the words of its definition. */
function hex(secret: string, timestamp: number | string, body: Buffer): string {
  return createHmac("sha256", secret)
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), body]))
    .digest("hex");
}

const v1 = hex(SECRET, NOW, Buffer.from(BODY));
const other = hex("another secret", NOW, Buffer.from(BODY));

function verify(header: string | null | undefined, change: Partial<Parameters<typeof verifySignature>[0]> = {}) {
  return verifySignature({ header, secret: SECRET, rawBody: BODY, nowSeconds: NOW, ...change });
}

describe("signPayload", () => {
  it("matches a known answer", () => {
    // printf '1700000000.{"ok":true}' | openssl dgst -sha256 -hmac whsec_test
    expect(signPayload([SECRET], NOW, '{"ok":true}')).toBe(
      "t=1700000000,v1=85876387ad9d6be57a04653bc0729da757049f58afb10ba6cac3bedaecf4fda3",
    );
  });

  it("signs bytes and strings alike, and bytes that are not UTF-8 unchanged", () => {
    expect(signPayload([SECRET], NOW, BODY)).toBe(`t=${NOW},v1=${v1}`);
    expect(signPayload([SECRET], NOW, Buffer.from(BODY))).toBe(`t=${NOW},v1=${v1}`);
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    expect(signPayload([SECRET], NOW, bytes)).toBe(`t=${NOW},v1=${hex(SECRET, NOW, bytes)}`);
  });

  it("signs with every secret, in order, and a receiver with either one accepts", () => {
    const header = signPayload([SECRET, "another secret"], NOW, BODY);
    expect(header).toBe(`t=${NOW},v1=${v1},v1=${other}`);
    for (const secret of [SECRET, "another secret"]) expect(verify(header, { secret })).toMatchObject({ valid: true });
    expect(verify(header, { secret: "a third" })).toEqual({ valid: false, reason: "mismatch" });
  });

  it.each([1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e21])("refuses the timestamp %d", (timestamp) => {
    expect(() => signPayload([SECRET], timestamp, BODY)).toThrow(RangeError);
    expect(() => signStandard([SECRET], "evt_1", timestamp, BODY)).toThrow(RangeError);
  });
});

describe("signStandard", () => {
  /** The scheme once more, in the words of its definition. */
  const expected = (key: Buffer, id: string, body: Buffer) =>
    `v1,${createHmac("sha256", key)
      .update(Buffer.concat([Buffer.from(`${id}.${NOW}.`), body]))
      .digest("base64")}`;

  it("matches a known answer of the Standard Webhooks libraries", () => {
    expect(
      signStandard(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1_614_265_330,
        '{"test": 2432232314}',
      ),
    ).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("is keyed with the decoded secret, in either base64 alphabet, with or without the prefix", () => {
    const key = Buffer.from("fbff".repeat(16), "hex");
    const body = Buffer.from([0xff, 0x00, 0xfe]);
    for (const encoding of ["base64", "base64url"] as const) {
      const text = key.toString(encoding);
      for (const secret of [`whsec_${text}`, text]) {
        expect(signStandard([secret], "evt_1", NOW, body)).toBe(expected(key, "evt_1", body));
      }
    }
  });

  it("lists one signature per secret, separated by spaces", () => {
    const secrets = [newSigningSecret(), newSigningSecret()] as const;
    const [current, previous] = secrets.map((secret) =>
      expected(Buffer.from(secret.slice("whsec_".length), "base64"), "evt_1", Buffer.from(BODY)),
    );
    expect(signStandard(secrets, "evt_1", NOW, BODY)).toBe(`${current} ${previous}`);
  });
});

test("the example in docs/webhooks.md is correct", () => {
  const secrets = ["whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="] as const;
  const body = '{"id":"evt_1","object":"event","type":"message.delivered"}';
  expect(signPayload(secrets, NOW, body)).toBe(
    "t=1700000000,v1=36fca8e37bbe470a58eac4567ce863dafa25ca150bda3f1b3ba0f8967dbd1913",
  );
  expect(signStandard(secrets, "evt_1", NOW, body)).toBe("v1,o5naV6ITaSBv5vfM294z9dW8j+k+hJSY/j36jizCe8s=");
});

test("a request carries both signatures, over the same time and bytes", () => {
  const secret = newSigningSecret();
  const body = Buffer.from(BODY);
  expect(signatureHeaders([secret], "evt_1", NOW, body)).toEqual({
    "Service-Signature": signPayload([secret], NOW, body),
    "webhook-id": "evt_1",
    "webhook-timestamp": String(NOW),
    "webhook-signature": signStandard([secret], "evt_1", NOW, body),
  });
});

describe("verifySignature", () => {
  const valid = { valid: true, timestamp: NOW };

  it.each([
    ["its own header", `t=${NOW},v1=${v1}`],
    ["the fields in another order", `v1=${v1},t=${NOW}`],
    ["spaces after the commas", `t=${NOW}, v1=${v1}`],
    ["the right one of two, first", `t=${NOW},v1=${v1},v1=${other}`],
    ["the right one of two, last", `t=${NOW},v1=${other},v1=${v1}`],
    ["fields of another version", `t=${NOW},v0=abc,v1=${v1},v2=`],
  ])("accepts %s", (_, header) => {
    expect(verify(header)).toEqual(valid);
    expect(verify(header, { rawBody: Buffer.from(BODY) })).toEqual(valid);
  });

  it.each([
    ["no header", undefined],
    ["a null header", null],
    ["an empty header", ""],
    ["no fields", "garbage"],
    ["no timestamp", `v1=${v1}`],
    ["no digest", `t=${NOW}`],
    ["two timestamps", `t=${NOW},t=${NOW},v1=${v1}`],
    ["an empty timestamp", `t=,v1=${v1}`],
    ["a negative timestamp", `t=-${NOW},v1=${v1}`],
    ["a fractional timestamp", `t=${NOW}.0,v1=${v1}`],
    ["a timestamp with an exponent", `t=1e9,v1=${v1}`],
    ["an endless timestamp", `t=${"9".repeat(40)},v1=${v1}`],
    ["a short digest", `t=${NOW},v1=${v1.slice(1)}`],
    ["a long digest", `t=${NOW},v1=${v1}0`],
    ["an uppercase digest", `t=${NOW},v1=${v1.toUpperCase()}`],
    ["a short digest beside the right one", `t=${NOW},v1=abcd,v1=${v1}`],
    ["an empty digest", `t=${NOW},v1=`],
    ["another version only", `t=${NOW},v0=${v1}`],
    ["a trailing comma", `t=${NOW},v1=${v1},`],
  ])("calls %s malformed", (_, header) => {
    expect(verify(header)).toEqual({ valid: false, reason: "malformed" });
  });

  it.each([
    ["another secret", { secret: "another secret" }],
    ["another body", { rawBody: `${BODY} ` }],
    ["an empty body", { rawBody: "" }],
  ])("finds a mismatch with %s", (_, change) => {
    expect(verify(`t=${NOW},v1=${v1}`, change)).toEqual({ valid: false, reason: "mismatch" });
  });

  it("covers the timestamp with the digest", () => {
    expect(verify(`t=${NOW + 1},v1=${v1}`)).toEqual({ valid: false, reason: "mismatch" });
    expect(verify(`t=0${NOW},v1=${v1}`)).toEqual({ valid: false, reason: "mismatch" });
  });

  it("does not accept a shifted boundary between timestamp and body", () => {
    const header = signPayload([SECRET], 17, "0.body");
    expect(verifySignature({ header, secret: SECRET, rawBody: "body", nowSeconds: 17 })).toMatchObject({
      valid: false,
    });
  });

  it.each([
    [-300, undefined, true],
    [300, undefined, true],
    [-301, undefined, false],
    [301, undefined, false],
    [10, 10, true],
    [-11, 10, false],
    [0, 0, true],
    [1, 0, false],
    [Number.NaN, undefined, false],
  ])("with the clock %d s off and tolerance %s: %s", (offset, toleranceSeconds, isValid) => {
    const result = verify(`t=${NOW},v1=${v1}`, { nowSeconds: NOW + offset, toleranceSeconds });
    expect(result).toEqual(isValid ? valid : { valid: false, reason: "outside_tolerance" });
  });

  it("reports a forged old header as a mismatch, not as old", () => {
    expect(verify(`t=${NOW - 10_000},v1=${v1}`)).toEqual({ valid: false, reason: "mismatch" });
  });

  it("verifies everything that is signed, and nothing with a changed byte", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.nat({ max: 4e9 }), (bytes, at, timestamp) => {
        const body = Buffer.from(bytes);
        const header = signPayload([SECRET], timestamp, body);
        expect(verify(header, { rawBody: body, nowSeconds: timestamp })).toEqual({ valid: true, timestamp });
        const changed = Buffer.from(body);
        changed.writeUInt8((changed.readUInt8(at % changed.length) + 1) & 0xff, at % changed.length);
        const refused = verify(header, { rawBody: changed, nowSeconds: timestamp });
        expect(refused).toEqual({ valid: false, reason: "mismatch" });
      }),
    );
  });
});
