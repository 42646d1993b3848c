import { expect, test } from "vitest";
import { generateIcons, readIcons } from "./icons";

test("the icons are the ones that pages import, as `npm run icons` writes them", () => {
  expect(Object.fromEntries(readIcons())).toEqual(Object.fromEntries(generateIcons()));
});
