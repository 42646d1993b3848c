import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  DateTime,
  DateTimeInput,
  DateTimeQuery,
  EmailAddress,
  firstCharacters,
  ownNamed,
  PageQuery,
  readPage,
  urlUpTo,
} from "./wire";

const accepts = (text: string): boolean => DateTime.safeParse(text).success;

test("a time must be storable in PostgreSQL, with a four-digit year", () => {
  for (const text of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-01-01T00:00:00+23:59"]) {
    expect(accepts(text), text).toBe(true);
  }
  for (const text of ["0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"]) {
    expect(accepts(text), text).toBe(false);
  }
});

test("the first characters of a text are counted in code points, and none is halved", () => {
  expect(firstCharacters("abc", 3)).toBe("abc");
  expect(firstCharacters("abcd", 3)).toBe("abc");
  expect(firstCharacters("a😀b😀c", 4)).toBe("a😀b😀");
  expect(firstCharacters("😀".repeat(9), 4)).toBe("😀".repeat(4));
  expect(firstCharacters("a\ud83d", 4)).toBe("a\uFFFD");
});

test("text that is not a time gives one issue", () => {
  expect(DateTime.safeParse("tomorrow").error?.issues).toHaveLength(1);
});

test("the letters in a caller's time may be in either case, which makes no difference", () => {
  for (const given of [DateTimeInput, DateTimeQuery]) {
    expect(given.parse("2026-01-31t12:00:00.5z")).toBe("2026-01-31T12:00:00.5Z");
    for (const text of ["2026-01-31 12:00:00z", "0000-12-31t23:59:59z", "tomorrow"]) {
      expect(given.safeParse(text).error?.issues, text).toHaveLength(1);
    }
  }
});

test("the plus of an offset in a query may be unencoded, so that it arrives as a space", () => {
  expect(DateTimeQuery.parse("2026-01-31T12:00:00 02:00")).toBe("2026-01-31T12:00:00+02:00");
  for (const text of ["2026-01-31T12:00:00+02:00", "2026-01-31T12:00:00.5-02:00", "2026-01-31T12:00:00Z"]) {
    expect(DateTimeQuery.parse(text)).toBe(text);
  }
  for (const text of [
    "2026-01-31 12:00:00Z",
    "2026-01-31T12:00:00 2",
    " 02:00",
    "tomorrow",
    "0000-12-31T23:59:59 00:00",
  ]) {
    expect(DateTimeQuery.safeParse(text).error?.issues, text).toHaveLength(1);
  }
});

describe("readPage", () => {
  /** A list of `length` rows, newest first, in pages of ten; `counts` are the results of counting, of which the last one is repeated. */
  const reader = (length: number, ...counts: number[]) => {
    const offsets: number[] = [];
    const read = async (offset: number) => {
      offsets.push(offset);
      return Array.from({ length }, (_, at) => length - at).slice(offset, offset + 10);
    };
    const count = async () => (counts.length > 1 ? counts.shift() : counts[0]) ?? length;
    return { offsets, page: (page: number) => readPage({ page, limit: 10 }, count, read) };
  };

  test("reads no rows for a page past the end", async () => {
    const { offsets, page } = reader(20);
    expect(await page(3)).toEqual({ rows: [], total: 20 });
    expect(await page(1_000_000)).toEqual({ rows: [], total: 20 });
    expect(offsets).toEqual([]);
  });

  test("reads the rows of a page within the list, and always those of the first page", async () => {
    const { offsets, page } = reader(11);
    expect(await page(2)).toEqual({ rows: [1], total: 11 });
    expect((await page(1)).total).toBe(11);
    expect(await reader(0).page(1)).toEqual({ rows: [], total: 0 });
    expect(offsets).toEqual([10, 0]);
  });

  test("does not end before a row that was pushed to the next page by one added after the count", async () => {
    for (const [length, page] of [
      [11, 1],
      [21, 2],
    ] as const) {
      const { rows, total } = await reader(length, length - 1, length).page(page);
      expect(rows).not.toContain(1);
      expect(total).toBe(length);
    }
  });

  test("reports as many rows as it reads at the end of the list, whatever was added or removed since the count", async () => {
    for (const counted of [11, 12, 14]) expect(await reader(12, counted).page(2)).toEqual({ rows: [2, 1], total: 12 });
    expect((await reader(3, 4).page(1)).total).toBe(3);
    expect(await reader(10, 11).page(2)).toEqual({ rows: [], total: 10 });
  });
});

describe("page and limit", () => {
  const { limit, page } = PageQuery;

  test.each(["0", "-1", "-0"])("%j is below the first page", (text) => {
    expect(page.safeParse(text).error?.issues).toMatchObject([{ code: "too_small" }]);
  });

  test.each(["0x10", "1e1", " 5", "5 ", "+5", "5.0", "", "-1", "٣", "Infinity"])(
    "%j is not a number of a query",
    (text) => {
      expect(limit.safeParse(text).success).toBe(false);
      expect(page.safeParse(text).success).toBe(false);
    },
  );

  test("digits and numbers are", () => {
    expect([limit.parse("007"), limit.parse("100"), limit.parse(25), page.parse("2147483647")]).toEqual([
      7, 100, 25, 2_147_483_647,
    ]);
    expect([limit.parse(undefined), page.parse(undefined)]).toEqual([50, 1]);
    expect(limit.safeParse("101").success).toBe(false);
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a URL that is too long is refused for its length, without being parsed", () => {
  const parsed: unknown[] = [];
  const Real = URL;
  class Noted extends Real {
    constructor(text: string | URL, base?: string | URL) {
      parsed.push(text);
      super(text, base);
    }
    static override canParse(text: string): boolean {
      parsed.push(text);
      return Real.canParse(text);
    }
    static override parse(text: string): URL | null {
      return Noted.canParse(text) ? new Real(text) : null;
    }
  }
  vi.stubGlobal("URL", Noted);
  const form = urlUpTo(2_048, { protocol: /^https?$/ });
  const long = `https://${"é".repeat(200_000)}`;
  expect(form.safeParse(long).error?.issues.map(({ code }) => code)).toEqual(["too_big"]);
  expect(parsed).not.toContain(long);
  expect(form.safeParse("https://example.com/").success).toBe(true);
  expect(parsed).toContain("https://example.com/");
});

test("a URL with another protocol and an invalid email address are refused", () => {
  expect(urlUpTo(2_048, { protocol: /^https?$/ }).safeParse("ftp://example.com/").success).toBe(false);
  expect(EmailAddress.safeParse("somebody").success).toBe(false);
  expect(EmailAddress.safeParse("somebody@example.com").success).toBe(true);
  expect(EmailAddress.safeParse(`a@${"b".repeat(300)}.com`).error?.issues.map(({ code }) => code)).toEqual(["too_big"]);
});

test("names that a caller chooses are kept, even those that every object has, except the name of the prototype", () => {
  const record = ownNamed(z.record(z.string(), z.string()));
  expect(record.parse({ constructor: "a", toString: "b" })).toEqual({ constructor: "a", toString: "b" });
  const result = record.safeParse(JSON.parse('{"a":"1","__proto__":"2"}'));
  expect(result.error?.issues.map(({ message }) => message)).toEqual(["names must not be __proto__"]);
  expect(record.safeParse("text").success).toBe(false);
});
