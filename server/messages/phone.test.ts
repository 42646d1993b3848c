import { describe, expect, it } from "vitest";
import { asInternational, E164_PATTERN, isE164, isRecipient, otherSpellingOf, senderKind, withoutPlus } from "./phone";

describe("isE164", () => {
  it.each(["+1234567", "+14155550123", "+447700900123", "+123456789012345"])("accepts %s", (text) => {
    expect(isE164(text)).toBe(true);
  });

  it.each([
    "",
    "+",
    "14155550123",
    "+04155550123",
    "+123456",
    "+1234567890123456",
    "0014155550123",
    "+1 415 555 0123",
    "+1-415-555-0123",
    " +14155550123",
    "+14155550123\n",
    "x\n+14155550123",
    "++14155550123",
    "+1415555012a",
    "+١٢٣٤٥٦٧٨",
  ])("refuses %j", (text) => {
    expect(isE164(text)).toBe(false);
  });

  it("is a pattern that a schema can publish unchanged", () => {
    expect(E164_PATTERN.source).toBe("^\\+[1-9]\\d{6,14}$");
    expect(E164_PATTERN.flags).toBe("");
  });
});

describe("otherSpellingOf", () => {
  it.each([
    ["14155550123", "+14155550123"],
    ["1234567", "+1234567"],
  ])("of %s is %s, and the other way round", (without, plus) => {
    expect(otherSpellingOf(without)).toBe(plus);
    expect(otherSpellingOf(plus)).toBe(without);
  });

  it.each(["123456", "+123456", "04155550123", "ACME", "1234567A", "", "+"])("%j has none", (senderId) => {
    expect(otherSpellingOf(senderId)).toBeNull();
  });
});

describe("withoutPlus", () => {
  it("drops the plus and nothing else", () => {
    expect(withoutPlus("+14155550123")).toBe("14155550123");
    expect(withoutPlus("14155550123")).toBe("14155550123");
  });
});

describe("senderKind", () => {
  it.each(["A", "Acme", "ACME Bank 1", "A.b_c-d&e f", "1A", "12345678901".replace("1", "x"), "&a", "-a."])(
    "%j is alphanumeric",
    (from) => {
      expect(senderKind(from)).toBe("alphanumeric");
    },
  );

  it.each(["123", "12345", "+123", "14155550123", "+14155550123", "123456789012345", "+123456789012345", "000"])(
    "%j is numeric",
    (from) => {
      expect(senderKind(from)).toBe("numeric");
    },
  );

  it.each([
    "",
    " ",
    "1",
    "12",
    "+",
    "+12",
    "1234567890123456",
    "+1234567890123456",
    "ABCDEFGHIJKL",
    " Acme",
    "Acme ",
    "A+B",
    "Acmé",
    "Ac,me",
    "Acme\n",
    "123\n",
    "12 34",
    "1-2-3",
    "...",
    "😀a",
  ])("%j is neither", (from) => {
    expect(senderKind(from)).toBeNull();
  });
});

describe("asInternational", () => {
  it.each([
    "+14155550123",
    "14155550123",
    "0014155550123",
    "tel:+14155550123",
    " +1 (415) 555-0123 ",
    "1.415.555.0123",
    "+1\u00a0415\u2010555\u20110123",
    "+1 415\u2013555\u20120123",
    "+1\u2014415\u2212555\u20150123",
    "\u202a+1 (415) 555-0123\u202c",
    "\u061c+14155550123\u061c",
    "\u200e\u2066+1\u200b4155\u00ad550123\u2069\ufeff",
  ])("parses %j", (text) => {
    expect(asInternational(text)).toBe("+14155550123");
  });

  it.each(["", "ACME", "12345", "04155550123", "+", "1415555012345678", "+1415x5550123", "\0"])(
    "reads no number from %j",
    (text) => {
      expect(asInternational(text)).toBeNull();
    },
  );
});

describe("isRecipient", () => {
  it.each(["+491511234567", "491511234567", "00491511234567", "01511234567", "1511234567"])(
    "takes %s for +491511234567",
    (claimed) => {
      expect(isRecipient("+491511234567", claimed)).toBe(true);
    },
  );

  it.each(["", "Shop", "4567", "234567", "+491511234568", "+44491511234567", "1511234567890"])(
    "does not take %s for +491511234567",
    (claimed) => {
      expect(isRecipient("+491511234567", claimed)).toBe(false);
    },
  );
});
