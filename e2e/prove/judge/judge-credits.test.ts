import { expect, test } from "vitest";
import type { Credit } from "../load/credits";
import type { Shortage } from "../load/sends";
import type { CreditAudit } from "./books";
import { ACCOUNT } from "./good-run";
import { CREDITED, foundIn, limitedRun, NOTE } from "./limited-run";

const { limited, database, sends } = limitedRun();
const credits = (change: Partial<Credit>) => limited.credits.map((credit) => ({ ...credit, ...change }));
const withoutCredit = database.entries.filter(({ note }) => note !== NOTE);
const again = database.entries.filter(({ note }) => note === NOTE);

test("a run in which every credit and every refusal is right has no defect", () => {
  expect(foundIn({})).toEqual([]);
});

test("a credit that the operator was told is in the ledger once; one that was refused is not", () => {
  expect(foundIn({ database: { entries: withoutCredit } })).toContain("credits");
  expect(foundIn({ database: { entries: [...database.entries, ...again] } })).toContain("credits");
  expect(foundIn({ limited: { credits: credits({ amountMicros: 1 }) } })).toContain("credits");
  expect(foundIn({ limited: { credits: credits({ accountId: "acc_2" }) } })).toContain("credits");
  expect(foundIn({ limited: { credits: credits({ result: "refused" }) } })).toContain("credits");
});

test("a credit without a response may be there or not; the balance agrees with what is", () => {
  const unknown = credits({ result: null, balanceMicros: null });
  const creditAudits: never[] = [];
  const accounts = database.accounts.map((book) =>
    book.accountId === ACCOUNT
      ? { ...book, balanceMicros: book.balanceMicros - CREDITED, ledgerMicros: book.ledgerMicros - CREDITED }
      : book,
  );
  expect(foundIn({ limited: { credits: unknown } })).toEqual([]);
  expect(
    foundIn({ limited: { credits: unknown }, database: { accounts, creditAudits, entries: withoutCredit } }),
  ).toEqual([]);
  expect(foundIn({ limited: { credits: unknown }, database: { accounts } })).toEqual(["drift"]);
});

test("the audit log names each credit once, with the balances before and after it", () => {
  const [audit] = database.creditAudits as [CreditAudit];
  const audited = (...creditAudits: CreditAudit[]) => foundIn({ database: { creditAudits } });
  expect(audited(audit)).toEqual([]);
  expect(audited()).toEqual(["credits"]);
  expect(audited(audit, audit)).toEqual(["credits"]);
  expect(audited({ ...audit, beforeMicros: 0 })).toEqual(["credits"]);
  expect(audited({ ...audit, afterMicros: 0 })).toEqual(["credits"]);
  expect(audited(audit, { ...audit, note: "credit-2" })).toEqual(["credits"]);
});

test("a credit that nobody made is found", () => {
  expect(foundIn({ limited: { credits: [] } })).toContain("credits");
  expect(foundIn({ limited: { openingsMicros: { [ACCOUNT]: 1 } } })).toContain("credits");
});

test("a credit is refused only if it would make the balance negative", () => {
  const refused = (change: Partial<Credit>) => {
    const credit = {
      accountId: ACCOUNT,
      note: "credit-2",
      amountMicros: -100,
      result: "refused",
      reason: null,
    } as const;
    return foundIn({ limited: { credits: [...limited.credits, { ...credit, balanceMicros: 99, ...change }] } });
  };
  const reason = "balance_would_be_negative";
  expect(refused({ reason })).toEqual([]);
  expect(refused({ reason: "key_reused" })).toEqual(["refusedWrongly"]);
  expect(refused({ reason, balanceMicros: 100 })).toEqual(["refusedWrongly"]);
  expect(refused({ reason, balanceMicros: null })).toEqual(["refusedWrongly"]);
});

const refusedSend = (kind: Shortage["kind"], details: object, change: object = {}) => {
  const shortage = { atMs: 10, knownMs: 20, kind, details: { ...details } };
  const more = sends.map((send) => ({
    ...send,
    key: "k2",
    reference: "order-2",
    messages: null,
    refused: true,
    ...change,
    shortages: [shortage],
  }));
  return foundIn({ sends: [...sends, ...more] });
};

test("a send is refused for the balance only if that does not cover it", () => {
  expect(refusedSend("balance", { required: 0.02, balance: 0.01 })).toEqual([]);
  expect(refusedSend("balance", { required: 0.01, balance: 0.01 })).toEqual(["refusedWrongly"]);
  expect(refusedSend("balance", { required: 0.02, balance: -0.01 })).toEqual(["refusedWrongly"]);
  expect(refusedSend("balance", {})).toEqual(["refusedWrongly"]);
  expect(refusedSend("balance", { required: 0.02, balance: 0.01 }, { accountId: "acc_rich" })).toEqual([
    "refusedWrongly",
  ]);
});

test("a send is refused for the cap only if it would pass one that may have been in force", () => {
  expect(refusedSend("cap", { limit: 0.01, spent: 0.01, requested: 0.01 })).toEqual([]);
  expect(refusedSend("cap", { limit: 0.01, spent: 0, requested: 0.01 })).toEqual(["refusedWrongly"]);
  expect(refusedSend("cap", { limit: 0.02, spent: 0.02, requested: 0.01 })).toEqual(["refusedWrongly"]);
  expect(refusedSend("cap", { limit: 0.01, spent: 0.01, requested: 0.01 }, { accountId: "acc_rich" })).toEqual([
    "refusedWrongly",
  ]);
});
