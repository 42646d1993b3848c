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
