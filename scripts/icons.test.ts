import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generateIcons, ICONS_FILE } from "./icons";

test("the file of icons holds each icon that a page imports, as `npm run icons` writes it", () => {
  expect(readFileSync(ICONS_FILE, "utf8")).toBe(generateIcons());
});
