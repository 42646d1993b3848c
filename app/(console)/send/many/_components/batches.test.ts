import { describe, expect, it } from "vitest";
import { readNumber } from "../../../_numbers/number-list";
import { checkRows, type Row, toBatches } from "./batches";

const row = (line: number, number: string, values: Record<string, string> = {}): Row => ({
  line,
  number,
  to: readNumber(number),
  values,
});

describe("checkRows", () => {
  it("takes each usable number once, and says why it does not take the others", () => {
    const { ready, problems } = checkRows("Hi {{name}}", [
      row(1, "+1 (415) 555-0101", { name: "Ann", city: "Rome" }),
      row(2, "0049 151 12345678", { name: "Bob" }),
      row(3, "", { name: "Cy" }),
      row(4, "no number", { name: "Di" }),
      row(5, "+14155550101", { name: "Eve" }),
      row(6, "+14155550102", {}),
      row(7, "+14155550103", { name: "x".repeat(1_600) }),
      row(8, "(415) 555-0123", { name: "Flo" }),
    ]);
    expect(ready).toEqual([
      { line: 1, to: "+14155550101", variables: { name: "Ann" } },
      { line: 2, to: "+4915112345678", variables: { name: "Bob" } },
    ]);
    expect(problems.map(({ line, problem }) => [line, problem])).toEqual([
      [3, "No number"],
      [4, "Not a number in international form, such as +14155550123"],
      [5, "The same number as in line 1"],
      [6, "No value for {{name}}"],
      [7, "The text has more than 1600 characters"],
      [8, "Not a number in international form, such as +14155550123"],
    ]);
  });
});

describe("toBatches", () => {
  const rows = (count: number, variables: Record<string, string>) =>
    Array.from({ length: count }, (_, at) => ({ line: at + 1, to: `+1415555${at + 10_000}`, variables }));

  it("keeps every row once and in order, however it is cut", () => {
    const all = rows(1_203, { name: "Ann" });
    const batches = toBatches(all);
    expect(batches.map(({ length }) => length)).toEqual([500, 500, 203]);
    expect(batches.flat()).toEqual(all);
    expect(toBatches([])).toEqual([]);
  });

  it("makes requests that the service takes: few commas, and less than a mebibyte", () => {
    const cases: Record<string, string>[] = [
      { text: ",".repeat(40) },
      { text: "ą".repeat(1_500) },
      { a: "1", b: "2", c: "3", d: "4" },
    ];
    for (const variables of cases) {
      for (const batch of toBatches(rows(700, variables))) {
        const body = JSON.stringify({
          recipients: batch.map(({ to }) => to),
          variables: batch.map((each) => each.variables),
        });
        expect(body.split(",").length - 1).toBeLessThan(4_000);
        expect(Buffer.byteLength(body)).toBeLessThan(900_000);
      }
    }
  });
});
