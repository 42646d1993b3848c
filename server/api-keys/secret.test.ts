import { describe, expect, it } from "vitest";
import { hashKey, keyHint, looksLikeKey, newPlainKey } from "./secret";

const KEY = "ds_live_AbCd0123456789efghijklmnopqrwXyZ";

/** A source of the given bytes, then zeros, which records the requested sizes. */
function source(bytes: readonly number[]): { take: (n: number) => Buffer; requested: number[] } {
  const rest = [...bytes];
  const requested: number[] = [];
  const take = (n: number) => {
    requested.push(n);
    return Buffer.from(Array.from({ length: n }, () => rest.shift() ?? 0));
  };
  return { take, requested };
}

describe("newPlainKey", () => {
  it("is the prefix and 32 base62 characters, new each time", () => {
    const keys = Array.from({ length: 200 }, () => newPlainKey());
    for (const key of keys) expect(key).toMatch(/^ds_live_[0-9A-Za-z]{32}$/);
    expect(newPlainKey(true)).toMatch(/^ds_test_[0-9A-Za-z]{32}$/);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("maps the bytes below 248 evenly, four to a character", () => {
    const counts = new Map<string, number>();
    for (let start = 0; start < 248; start += 31) {
      const bytes = Array.from({ length: 31 }, (_, i) => start + i);
      for (const character of newPlainKey(false, source(bytes).take).slice("ds_live_".length, -1)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    expect([...counts.values()].every((count) => count === 4)).toBe(true);
  });

  it("discards bytes from 248 up, and requests as many more", () => {
    const { take, requested } = source([248, 255, 250, ...Array.from({ length: 29 }, () => 1), 247, 61, 62]);
    expect(newPlainKey(false, take)).toBe(`ds_live_${"1".repeat(29)}zz0`);
    expect(requested).toEqual([32, 3]);
  });

  it("uses every given byte", () => {
    const key = newPlainKey(false, () => Buffer.alloc(32, 61));
    for (let i = 0; i < 32; i++) {
      const changed = Buffer.alloc(32, 61);
      changed[i] = 0;
      expect(newPlainKey(false, () => changed)).not.toBe(key);
    }
  });
});

describe("hashKey", () => {
  it("is SHA-256 in lowercase hexadecimal", () => {
    // FIPS 180-4 example.
    expect(hashKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(hashKey(KEY)).not.toBe(hashKey(KEY.toLowerCase()));
  });
});

describe("keyHint", () => {
  it("shows the first and last four characters only", () => {
    expect(keyHint(KEY)).toBe("ds_live_AbCd…wXyZ");
    expect(keyHint(KEY.replace("live", "test"))).toBe("ds_test_AbCd…wXyZ");
  });

  it.each(["", "ds_live_", "ds_live_short", "hunter2"])("refuses %j without repeating it", (text) => {
    expect(() => keyHint(text)).toThrow(/^Only a complete API key has a hint\.$/);
  });
});

describe("looksLikeKey", () => {
  it("accepts keys of newPlainKey, of live and of test mode", () => {
    expect(looksLikeKey(KEY)).toBe(true);
    expect(looksLikeKey(newPlainKey())).toBe(true);
    expect(looksLikeKey(newPlainKey(true))).toBe(true);
  });

  it.each([
    "",
    KEY.slice(0, -1),
    `${KEY}a`,
    `${KEY}\n`,
    ` ${KEY}`,
    KEY.replace("live", "sand"),
    KEY.replace("ds_", "DS_"),
    KEY.replace("A", "-"),
    KEY.replace("A", "é"),
  ])("refuses %j", (text) => {
    expect(looksLikeKey(text)).toBe(false);
  });
});
