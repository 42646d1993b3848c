import { expect, test } from "vitest";
import { enteredOf, ruleOf, usualCountries, without } from "./country-rule";

test("a country is taken out of every kind of rule", () => {
  expect(without(enteredOf(null), "NG")).toEqual({ rule: "except", countries: ["NG"] });
  expect(without({ rule: "except", countries: ["RU"] }, "NG")).toEqual({ rule: "except", countries: ["NG", "RU"] });
  expect(without({ rule: "except", countries: ["NG"] }, "NG")).toEqual({ rule: "except", countries: ["NG"] });
  expect(without({ rule: "only", countries: ["DE", "NG"] }, "NG")).toEqual({ rule: "only", countries: ["DE"] });
});

test("what is stored is in order, and nothing for all countries", () => {
  expect(ruleOf({ rule: "only", countries: ["NG", "DE"] })).toEqual({ rule: "only", countries: ["DE", "NG"] });
  expect(ruleOf({ rule: "all", countries: ["NG"] })).toBeNull();
});

test("the suggestion leaves out unusual traffic, the country that is to be removed, and numbers of no country", () => {
  const sent = [
    { country: "NG", messages: 900, is_unusual: true },
    { country: "US", messages: 40, is_unusual: false },
    { country: null, messages: 9, is_unusual: false },
    { country: "EE", messages: 5, is_unusual: false },
    { country: "DE", messages: 3, is_unusual: false },
  ];
  expect(usualCountries(sent, "EE")).toEqual(["DE", "US"]);
  expect(usualCountries(sent, null)).toEqual(["DE", "EE", "US"]);
});
