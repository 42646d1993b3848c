import { expect, test } from "vitest";
import { compareMigrations, tooNewLine } from "./migration-state";

const KNOWN = ["20260101000000_init", "20260201000000_add_more"];
const done = (name: string) => ({ name, isFinished: true });

test("an empty database has everything pending", () => {
  expect(compareMigrations(KNOWN, [])).toEqual({ applied: [], pending: KNOWN, newer: [], tooNew: [], broken: [] });
});

test("a migration that is not known and takes nothing away leaves the older version working", () => {
  const state = compareMigrations(KNOWN, [...KNOWN, "20260301000000_add_column"].map(done));
  expect(state).toMatchObject({ pending: [], newer: ["20260301000000_add_column"], tooNew: [] });
  expect(tooNewLine(state)).toBeNull();
});

test("a migration that is not known and takes something away makes the database too new, and is named", () => {
  const state = compareMigrations(KNOWN, [...KNOWN, "20260401000000_contract_old_column"].map(done));
  expect(state.tooNew).toEqual(["20260401000000_contract_old_column"]);
  expect(tooNewLine(state)).toMatch(/newer than this version.*20260401000000_contract_old_column/);
});

test("a migration that was begun and not finished is broken, unless it was finished later", () => {
  const [first = "", second = ""] = KNOWN;
  const begun = { name: second, isFinished: false };
  expect(compareMigrations(KNOWN, [done(first), begun])).toMatchObject({ pending: [second], broken: [second] });
  expect(compareMigrations(KNOWN, [done(first), begun, done(second)])).toMatchObject({ pending: [], broken: [] });
});
