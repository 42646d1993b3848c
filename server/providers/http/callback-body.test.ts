import { describe, expect, test } from "vitest";
import { plivo } from "../adapters/plivo";
import { twilio } from "../adapters/twilio";
import { vonage } from "../adapters/vonage";
import type { Callback } from "../port";
import { fieldsOf, formOf, jsonOf, queryOf, sortedFields } from "./callback-body";

const RECEIPTS = "https://sms.example.test/receipts";
const pairs = (count: number): string => Array.from({ length: count }, (_, at) => `f${at}=${at}`).join("&");

const byForm = (body: string, headers: Record<string, string> = {}): Callback => ({
  method: "POST",
  url: RECEIPTS,
  headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  body: Buffer.from(body),
});
const byQuery = (query: string): Callback => ({
  method: "GET",
  url: `${RECEIPTS}?${query}`,
  headers: {},
  body: Buffer.alloc(0),
});
const byJson = (count: number): Callback => ({
  method: "POST",
  url: RECEIPTS,
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at])))),
});

describe("a callback has at most 500 fields", () => {
  test("in a form", () => {
    expect(formOf(byForm(pairs(500))).size).toBe(500);
    expect(() => formOf(byForm(pairs(501)))).toThrow("more than 500 fields");
    expect(() => formOf(byForm("&".repeat(1_000_000)))).toThrow("more than 500 fields");
  });

  test("in a query", () => {
    expect(queryOf(byQuery(pairs(500))).size).toBe(500);
    expect(() => queryOf(byQuery(pairs(501)))).toThrow("more than 500 fields");
  });

  test("in JSON", () => {
    expect(fieldsOf(byJson(500)).size).toBe(500);
    expect(() => fieldsOf(byJson(501))).toThrow("more than 500 fields");
  });

  test("whatever its signature", () => {
    const many = pairs(40_000);
    const at = new Date();
    const signed = (name: string) => byForm(many, { [name]: "c2lnbmF0dXJl", [`${name}-nonce`]: "1" });
    const ofTwilio = twilio.settings.parse({ accountSid: "AC1", authToken: "token" });
    const ofPlivo = plivo.settings.parse({ authId: "MA1", authToken: "token" });
    const ofVonage = vonage.settings.parse({ apiKey: "key", apiSecret: "secret", signatureSecret: "secret" });
    expect(() => twilio.authenticate(signed("x-twilio-signature"), ofTwilio, at)).toThrow("more than 500 fields");
    expect(() => plivo.authenticate(signed("x-plivo-signature-v3"), ofPlivo, at)).toThrow("more than 500 fields");
    expect(vonage.authenticate(byForm(`${many}&sig=1`), ofVonage, at)).toMatchObject({
      kind: "forged",
      detail: "The body cannot be read.",
    });
  });
});

test("fields are sorted by name and then by value, each name once", () => {
  expect(sortedFields(new URLSearchParams("b=2&a=9&b=10&B=1&b=2&__proto__=x"))).toEqual([
    ["B", ["1"]],
    ["__proto__", ["x"]],
    ["a", ["9"]],
    ["b", ["10", "2", "2"]],
  ]);
});

test("JSON has at most 65,536 values", () => {
  const list = (count: number) => byForm(`[${Array.from({ length: count }, () => 0).join()}]`);
  expect(jsonOf(list(65_537))).toHaveLength(65_537);
  expect(() => jsonOf(list(65_538))).toThrow("more than 65536 values");
});

test("JSON is nested at most 100 levels deep", () => {
  const nested = (depth: number) => byForm("[".repeat(depth) + "]".repeat(depth));
  expect(jsonOf(nested(100))).toHaveLength(1);
  expect(() => jsonOf(nested(101))).toThrow("nested more than 100 levels deep");
});

test("JSON may begin with a byte order mark", () => {
  expect(jsonOf(byForm('\ufeff{"id":"m1"}'))).toEqual({ id: "m1" });
});
