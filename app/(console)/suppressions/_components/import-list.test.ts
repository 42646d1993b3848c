import { expect, it } from "vitest";
import { readList, readNumber } from "../../_numbers/number-list";
import { checkList, type ReadyNumber, senderColumn, toSlices } from "./import-list";

const OWN = new Set(["ACME", "SHOP"]);

it("takes each number once, counts repeats, and names the lines of the file that it refuses", () => {
  const list = readList(
    "phone,name\n+1 (415) 555-0101,Ann\n\n0049 151 12345678,Bob\nunknown,Cy\n,Di\n+14155550101,Eve\n(415) 555-0102,Flo\n",
  );
  expect(checkList(list, { numberColumn: 0, readNumber, senderColumn: null, senderId: "" }, OWN)).toEqual({
    ready: [
      { line: 2, number: "+14155550101", senderId: "" },
      { line: 4, number: "+4915112345678", senderId: "" },
    ],
    duplicates: 1,
    problems: [
      { line: 5, number: "unknown", problem: "Not a number in international form, such as +14155550123" },
      { line: 6, number: "", problem: "No number" },
      {
        line: 8,
        number: "(415) 555-0102",
        problem: "Not a number in international form, such as +14155550123",
      },
    ],
  });
});

it("reads the service's own export, in which a number counts once per sender and once for all senders", () => {
  const list = readList(
    [
      "number,sender_id,reason,note,created_at,id",
      "+14155550101,,manual,,2026-11-20T10:00:00.000Z,sup_1",
      "+14155550101,ACME,stop,,2026-11-20T10:00:00.000Z,sup_2",
      "+14155550101,ACME,manual,,2026-11-20T10:00:00.000Z,sup_3",
      "+14155550102,OTHER,manual,,2026-11-20T10:00:00.000Z,sup_4",
    ].join("\r\n"),
  );
  expect(senderColumn(list)).toBe(1);
  expect(senderColumn(readList("phone,name\n+14155550101,Ann"))).toBeNull();
  const { ready, duplicates, problems } = checkList(
    list,
    { numberColumn: 0, readNumber, senderColumn: 1, senderId: "" },
    OWN,
  );
  expect(ready.map(({ line, senderId }) => [line, senderId])).toEqual([
    [2, ""],
    [3, "ACME"],
  ]);
  expect(duplicates).toBe(1);
  expect(problems).toEqual([{ line: 5, number: "+14155550102", problem: "“OTHER” is not one of your sender IDs" }]);
});

it("cuts numbers into calls of one sender and a limited size, and loses none", () => {
  const ready: ReadyNumber[] = Array.from({ length: 25 }, (_, at) => ({
    line: at + 1,
    number: `+1415555${1_000 + at}`,
    senderId: at % 5 === 0 ? "ACME" : "",
  }));
  const slices = toSlices(ready, 8);
  expect(slices.map(({ senderId, rows }) => [senderId, rows.length])).toEqual([
    ["ACME", 5],
    ["", 8],
    ["", 8],
    ["", 4],
  ]);
  expect(slices.flatMap(({ rows }) => rows).sort((a, b) => a.line - b.line)).toEqual(ready);
  expect(toSlices([])).toEqual([]);
});

it("makes calls that the service reads: within a mebibyte and 16,384 values", () => {
  const ready = Array.from({ length: 25_000 }, (_, at) => ({
    line: at + 1,
    number: `+${100_000_000_000_000 + at}`,
    senderId: "",
  }));
  const slices = toSlices(ready);
  expect(slices.map(({ rows }) => rows.length)).toEqual([10_000, 10_000, 5_000]);
  const body = JSON.stringify({
    numbers: slices[0]?.rows.map(({ number }) => number),
    sender_id: null,
    note: "ą".repeat(255),
  });
  expect(Buffer.byteLength(body)).toBeLessThan(1_048_576);
  expect(body.split(",").length).toBeLessThan(16_384);
});
