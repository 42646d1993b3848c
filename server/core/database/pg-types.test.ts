import pg from "pg";
import { expect, test } from "vitest";
import { types } from "./pg-types";

const TEXT_ARRAY = 1009;
const TIMESTAMPTZ = 1184;
const own = (oid: number, text: string) => types.getTypeParser(oid, "text")(text);
const ofDriver = (oid: number, text: string) => pg.types.getTypeParser(oid, "text")(text);

test.each([
  "2026-11-24 10:43:11+00",
  "2026-11-24 10:43:11.5+00",
  "2026-02-28 23:59:59.999999+00",
  "0001-01-01 00:00:00+00",
  "0099-12-31 00:00:00+00 BC",
  "10000-01-01 00:00:00+00",
  "2026-11-24 10:43:11.123+05:30",
  "2026-11-24 10:43:11-08",
  "infinity",
  "-infinity",
])("the time %s is parsed as by the driver", (text) => {
  expect(own(TIMESTAMPTZ, text)).toEqual(ofDriver(TIMESTAMPTZ, text));
});

test("fractions of a second are cut to milliseconds", () => {
  for (let micros = 0; micros < 1_000_000; micros += 97) {
    const text = `2026-11-24 10:43:11.${String(micros).padStart(6, "0")}+00`;
    expect((own(TIMESTAMPTZ, text) as Date).getMilliseconds()).toBe(Math.floor(micros / 1_000));
  }
});

test.each([
  "{}",
  "{twilio}",
  "{twilio,vonage}",
  '{""}',
  "{NULL,a}",
  '{"a,b","c\\"d","e\\\\f"}',
  "{{a,b},{c,d}}",
  "[2:3]={a,b}",
  '{"NULL"}',
  "{null}",
])("the array %s is parsed as by the driver", (text) => {
  expect(own(TEXT_ARRAY, text)).toEqual(ofDriver(TEXT_ARRAY, text));
});

test("an int8 is parsed as a bigint, and other types as by the driver", () => {
  expect(own(20, "9007199254740993")).toBe(9_007_199_254_740_993n);
  expect(own(23, "7")).toBe(7);
});
