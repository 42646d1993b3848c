import { expect, test } from "vitest";
import { moneyOf } from "./money-history";

const createdAt = new Date("2026-11-22T08:00:00.000Z");
const sentAt = new Date("2026-11-22T08:00:01.000Z");
const later = new Date("2026-11-22T08:00:02.000Z");
const reserve = { kind: "reserve", amountMicros: -10n, reservedMicros: 10n, createdAt };
const settle = { kind: "settle", amountMicros: 0n, reservedMicros: -10n, createdAt: sentAt };
const refund = { kind: "refund", amountMicros: 10n, reservedMicros: -10n, createdAt: later };

test("the money of a message follows from the message and its refund", () => {
  expect(moneyOf({ costMicros: 10n, createdAt, sentAt: null }, [])).toEqual([reserve]);
  expect(moneyOf({ costMicros: 10n, createdAt, sentAt }, [])).toEqual([reserve, settle]);
  expect(moneyOf({ costMicros: 0n, createdAt, sentAt: null }, [refund])).toEqual([reserve, refund]);
});

test("a message that was refunded and then delivered after all was not charged", () => {
  expect(moneyOf({ costMicros: 0n, createdAt, sentAt }, [refund])).toEqual([reserve, refund]);
});

test("a message that cost nothing has no money", () => {
  expect(moneyOf({ costMicros: 0n, createdAt, sentAt: null }, [])).toEqual([]);
});

test("the message's own entries, as earlier versions wrote them, take precedence", () => {
  const own = { ...reserve, createdAt: new Date("2026-11-22T08:00:00.003Z") };
  expect(moneyOf({ costMicros: 10n, createdAt, sentAt: null }, [own])).toEqual([own]);
  expect(moneyOf({ costMicros: 10n, createdAt, sentAt }, [own])).toEqual([own, settle]);
  expect(moneyOf({ costMicros: 10n, createdAt, sentAt }, [own, { ...settle, createdAt: later }])).toEqual([
    own,
    { ...settle, createdAt: later },
  ]);
});
