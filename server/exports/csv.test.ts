import { expect, test } from "vitest";
import { toCsv } from "./csv";

test("cells with commas, quotes or line breaks are quoted, quotes doubled", () => {
  expect(
    toCsv([
      ["day", "note"],
      ["2026-11-21", 'a "b", c'],
      [1.5, "x\ny"],
    ]),
  ).toBe('day,note\r\n2026-11-21,"a ""b"", c"\r\n1.5,"x\ny"\r\n');
});

test.each([
  ...["=1+1", "+49 30", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("x","y")', "=1\n+2"],
  ...["＝1+1", "＋49 30", "－cmd", "＠SUM(A1)"],
])("a text that a spreadsheet would run is shown instead: %j", (text) => {
  const [cell] = toCsv([[text]]).split(/\r\n$/);
  expect(cell?.replace(/^"/, "").startsWith("'")).toBe(true);
});

test("a phone number keeps its plus, and nothing is an empty cell", () => {
  expect(toCsv([["+14155550123", null, "end"]])).toBe("+14155550123,,end\r\n");
});

test("negative numbers stay numbers, and no rows are no text", () => {
  expect(toCsv([[-1.5, 0]])).toBe("-1.5,0\r\n");
  expect(toCsv([])).toBe("");
});
