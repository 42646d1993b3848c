import { expect, test } from "vitest";
import { type DueMessage, refuseDue } from "./due-rules";

const due = (id: string, given: Partial<DueMessage> = {}): DueMessage => ({
  id,
  accountId: "one",
  toNumber: "+14155550123",
  costMicros: 10n,
  isOfEarlierDay: true,
  allowedCountries: [],
  ownCountryRule: null,
  ownCountries: null,
  dailySpendCapMicros: null,
  ownDailySpendCapMicros: null,
  spentMicros: 0n,
  letThroughMicros: 0n,
  isLetThrough: false,
  ...given,
});

const codesOf = (...messages: DueMessage[]) => [...refuseDue(messages)].map(([id, { code }]) => [id, code]);

test("an account without limits may send everything that is due", () => {
  expect(codesOf(due("a"), due("b"))).toEqual([]);
});

test("a number in a country that the account no longer sends to is refused, and does not count towards the cap", () => {
  const limits = { allowedCountries: ["US"], dailySpendCapMicros: 10n };
  expect(codesOf(due("a", { ...limits, toNumber: "+491701234567" }), due("b", limits))).toEqual([
    ["a", "country_not_allowed"],
  ]);
});

test("a number of a country that the owners have taken out since is refused, and named as theirs", () => {
  const limits = { ownCountryRule: "except", ownCountries: ["US"] };
  expect(refuseDue([due("a", limits), due("b", { ...limits, toNumber: "+491701234567" })])).toEqual(
    new Map([
      ["a", { code: "country_not_allowed", message: expect.stringMatching(/^The owners .*Settings, Sending/) }],
    ]),
  );
});

test("the lower cap counts, and is named as whose it is; of two equal ones the operator's", () => {
  const whose = (dailySpendCapMicros: bigint | null, ownDailySpendCapMicros: bigint | null) => {
    const message = refuseDue([due("a", { dailySpendCapMicros, ownDailySpendCapMicros })]).get("a")?.message ?? "goes";
    return /goes|operator|owners/.exec(message)?.[0];
  };
  expect([whose(9n, 10n), whose(10n, 9n), whose(null, 9n), whose(9n, null)]).toEqual([
    "operator",
    "owners",
    "owners",
    "operator",
  ]);
  expect([whose(9n, 9n), whose(10n, 10n), whose(null, null)]).toEqual(["operator", "goes", "goes"]);
});

test("messages of earlier days are refused once they would exceed the cap of the day on which they are due", () => {
  const limits = { dailySpendCapMicros: 35n, spentMicros: 10n };
  expect(
    codesOf(due("a", limits), due("b", limits), due("c", limits), due("d", { ...limits, accountId: "two" })),
  ).toEqual([["c", "daily_spend_cap"]]);
});

test("messages of earlier days that were let through before count as well, and are not refused themselves when they are checked again", () => {
  const limits = { dailySpendCapMicros: 35n, spentMicros: 5n, letThroughMicros: 20n };
  expect(codesOf(due("a", limits), due("b", limits))).toEqual([["b", "daily_spend_cap"]]);
  expect(codesOf(due("a", { ...limits, isLetThrough: true, letThroughMicros: 40n }))).toEqual([]);
});

test("a message of the same day is already in the day's spending, so it is refused only if the cap was lowered since", () => {
  const ofToday = { isOfEarlierDay: false, spentMicros: 30n };
  expect(codesOf(due("a", { ...ofToday, dailySpendCapMicros: 30n }))).toEqual([]);
  expect(codesOf(due("a", { ...ofToday, dailySpendCapMicros: 29n }))).toEqual([["a", "daily_spend_cap"]]);
});

test("a message of the same day that fails is not spent, so those after it are compared with less", () => {
  const limits = { isOfEarlierDay: false, spentMicros: 40n, dailySpendCapMicros: 25n };
  expect(codesOf(due("a", limits), due("b", limits), due("c", limits), due("d", limits))).toEqual([
    ["a", "daily_spend_cap"],
    ["b", "daily_spend_cap"],
  ]);
  const abroad = due("a", { ...limits, allowedCountries: ["DE"], dailySpendCapMicros: 30n });
  expect(codesOf(abroad, due("b", { ...limits, dailySpendCapMicros: 30n }))).toEqual([["a", "country_not_allowed"]]);
});

test("a message that costs nothing is never refused by a cap", () => {
  expect(codesOf(due("a", { costMicros: 0n, dailySpendCapMicros: 5n, spentMicros: 6n }))).toEqual([]);
});
