import { expect, test } from "vitest";
import { numberPrefixOf, openCountries } from "./country";

test("a calling code of one country names it, and one of none names none, without parsing", () => {
  const { known } = openCountries();
  expect(["+2348031234567", "+4915112345678", "+3725123456", "+88216001234", "+999100000001"].map(known)).toEqual([
    "NG",
    "DE",
    "EE",
    "",
    "",
  ]);
});

test("where countries share a calling code, a number is parsed once for its prefix", () => {
  const { known, find } = openCountries();
  const numbers = ["+18765551234", "+14155550123", "+447400123456", "+447781123456", "+77011234567", "+79161234567"];
  expect(numbers.map(known)).toEqual(numbers.map(() => undefined));
  expect(numbers.map(find)).toEqual(["JM", "US", "GB", "GG", "KZ", "RU"]);
  expect(["+18769998888", "+14158887777", "+447400199999", "+77011239999"].map(known)).toEqual([
    "JM",
    "US",
    "GB",
    "KZ",
  ]);
});

test("a number that is no country's says nothing about its prefix", () => {
  const { known, find } = openCountries();
  expect(find("+14150000000")).toBe("");
  expect(known("+14155550123")).toBeUndefined();
});

test("the prefixes that are remembered are bounded", () => {
  const { known, find } = openCountries(1);
  find("+18765551234");
  find("+14155550123");
  expect([known("+18765551234"), known("+14155550123")]).toEqual([undefined, "US"]);
});

test("a list is filtered by a calling code, unless that is too short", () => {
  expect(["NG", "DE", "JM", ""].map(numberPrefixOf)).toEqual(["+234", null, null, null]);
});
