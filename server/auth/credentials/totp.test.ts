import { expect, test } from "vitest";
import { base32, codeAt, newTotpSecret, stepAt, stepOfCode, totpUri } from "./totp";

/** The secret of the test vectors of RFC 6238, appendix B. */
const SECRET = base32(Buffer.from("12345678901234567890"));

test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
])("at %i s the code is %s (RFC 6238)", (epochS, code) => {
  expect(codeAt(SECRET, stepAt(epochS))).toBe(code);
  expect(stepOfCode(SECRET, code, epochS)).toBe(stepAt(epochS));
});

test.each([
  ["", ""],
  ["f", "MY"],
  ["foobar", "MZXW6YTBOI"],
])("%j is %j in base32 (RFC 4648)", (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

test("codes of the step before and after are taken, older and later ones are not", () => {
  const secret = newTotpSecret();
  const at = 1_800_000_000;
  const found = [-2, -1, 0, 1, 2].map((off) => stepOfCode(secret, codeAt(secret, stepAt(at) + off), at));
  expect(found).toEqual([null, stepAt(at) - 1, stepAt(at), stepAt(at) + 1, null]);
});

test.each(["", "12345", "1234567", "12345a", "-12345", " 123456"])("%j is no code", (code) => {
  expect(stepOfCode(SECRET, code, 59)).toBeNull();
});

test("secrets have 160 bits, and differ", () => {
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(newTotpSecret());
});

test("the address for apps names the account and who issued it", () => {
  expect(totpUri("ABC", "ann@example.com", "Messages, 1")).toBe(
    "otpauth://totp/Messages%2C%201:ann%40example.com?secret=ABC&issuer=Messages%2C%201",
  );
});
