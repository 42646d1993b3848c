import { describe, expect, test } from "vitest";
import { type CountryLimits, countriesSharing, countryRefusal } from "./country-rules";
import { countryOf } from "./fraud-rules";

const NONE: CountryLimits = { allowedCountries: [], ownCountryRule: null, ownCountries: null };
const operatorOf = (...allowedCountries: string[]): CountryLimits => ({ ...NONE, allowedCountries });
const only = (...ownCountries: string[]): CountryLimits => ({ ...NONE, ownCountryRule: "only", ownCountries });
const except = (...ownCountries: string[]): CountryLimits => ({ ...NONE, ownCountryRule: "except", ownCountries });

const [DE, US, CA, NOWHERE] = ["+4915112345678", "+14155550123", "+16135550123", "+88216045550101"] as const;
const refused = (limits: CountryLimits, numbers: readonly string[] = [DE, US, CA, NOWHERE]) =>
  numbers.filter((number) => countryRefusal(limits, number) !== null);

describe("the operator's countries", () => {
  test("are all without a list; with a list, numbers that are certainly in it", () => {
    expect(refused(NONE)).toEqual([]);
    expect(refused(operatorOf("US", "DE"))).toEqual([CA, NOWHERE]);
  });

  test("are named as the operator's, who can change them", () => {
    expect(countryRefusal(operatorOf("US"), CA)).toEqual({
      code: "country_not_allowed",
      message:
        "The operator does not let this account send to numbers of the country CA. Ask the operator to allow it.",
    });
  });
});

describe("the owners' rule", () => {
  test("allows only its countries, or all but them and numbers of no known country", () => {
    expect(refused(only("US", "DE"))).toEqual([CA, NOWHERE]);
    expect(refused(except("US", "DE"))).toEqual([DE, US]);
  });

  test("narrows what the operator allows and never widens it", () => {
    expect(refused({ ...only("US", "CA"), allowedCountries: ["US", "DE"] })).toEqual([DE, CA, NOWHERE]);
    expect(refused({ ...except("DE"), allowedCountries: ["US", "DE"] })).toEqual([DE, CA, NOWHERE]);
  });

  test("is named as the owners', unless the operator does not allow the country either", () => {
    expect(countryRefusal(except("DE"), DE)?.message).toBe(
      "The owners of this account do not let it send to numbers of the country DE. An owner can change this in the console: Settings, Sending.",
    );
    expect(countryRefusal({ ...except("DE"), allowedCountries: ["US"] }, DE)?.message).toMatch(/^The operator /);
    expect(countryRefusal(only("US"), NOWHERE)?.message).toContain("a number of no known country");
  });
});

test("a number that is not parsed gets the answer that parsing it would give", () => {
  const starts = [
    "+1415",
    "+1613",
    "+1876",
    "+4415",
    "+447",
    "+49",
    "+234",
    "+372",
    "+7",
    "+77",
    "+39",
    "+5999",
    "+882",
    "+999",
    "+262",
  ];
  const numbers = starts.flatMap((start, row) =>
    Array.from({ length: 12 }, (_, at) => `${start}${String(1_234_567 * (row + 1) * (at + 3)).slice(0, 4 + (at % 5))}`),
  );
  const lists = [["US"], ["DE", "GB"], ["US", "CA", "JM"], ["NG", "RU", "KZ"], ["IT", "CW", "YT"]];
  for (const number of numbers) {
    const country = countryOf(number);
    for (const list of lists) {
      const isListed = country !== null && list.includes(country);
      expect([number, list, refused(only(...list), [number]).length]).toEqual([number, list, isListed ? 0 : 1]);
      expect([number, list, refused(except(...list), [number]).length]).toEqual([number, list, isListed ? 1 : 0]);
    }
  }
});

test("the countries that share a calling code are known without parsing", () => {
  expect(["+49151", "+7701", "+88216", "+999155"].map((number) => [...countriesSharing(number)].sort())).toEqual([
    ["DE"],
    ["KZ", "RU"],
    [],
    [],
  ]);
});
