import { expect, test } from "vitest";
import type { CapChange } from "../load/caps";
import type { Send } from "../load/sends";
import type { LedgerEntry } from "./books";
import { possibleCaps } from "./caps-in-force";
import { ACCOUNT, ID } from "./good-run";
import { foundIn, limitedRun, PRICE, TRIAL } from "./limited-run";

const { database, limited, sends } = limitedRun();
const [, credit, reserve] = database.entries as [LedgerEntry, LedgerEntry, LedgerEntry];
const entries = (...more: LedgerEntry[]) => ({ database: { entries: [...database.entries, ...more] } });
const cap = (whose: CapChange["whose"], micros: number | null, fromMs = 0, knownMs: number | null = 0) => ({
  whose,
  micros,
  fromMs,
  knownMs,
});

test("no balance is below zero after any entry, even if it is right at the end", () => {
  const taken = { ...credit, note: null, amountMicros: -5_000_000 };
  const back = { ...reserve, kind: "refund", amountMicros: 5_000_000, day: "2025-12-31" };
  expect(foundIn(entries({ ...taken, kind: "reserve", messageIds: [], day: "2025-12-31" }, back))).toEqual([
    "overspent",
  ]);
});

test("no balance below zero is told: not to a customer, and not to the operator", () => {
  expect(foundIn({ limited: { balances: [{ accountId: TRIAL, micros: -1 }] } })).toEqual(["overspent"]);
  const credits = limited.credits.map((each) => ({ ...each, balanceMicros: -1 }));
  expect(foundIn({ limited: { credits } })).toEqual(["overspent"]);
});

test("the spending of a day stays within the lower cap, net of refunds", () => {
  expect(foundIn({ limited: { caps: [cap("operator", PRICE), cap("owner", null)] } })).toEqual([]);
  expect(foundIn({ limited: { caps: [cap("operator", PRICE - 1), cap("owner", null)] } })).toEqual(["overspent"]);
  expect(foundIn({ limited: { caps: [cap("operator", PRICE), cap("owner", 0)] } })).toEqual(["overspent"]);
  // A message of the same day that was refunded counts no more, one that was not does; one of another day never does.
  const before = { ...reserve, messageIds: ["msg_0"] };
  const refund = { ...before, kind: "refund", amountMicros: PRICE };
  const spentBefore = (...more: LedgerEntry[]) => {
    const [opening, credited, ...rest] = database.entries as [LedgerEntry, LedgerEntry];
    return foundIn({ database: { entries: [opening, credited, ...more, ...rest] } });
  };
  expect(spentBefore(before)).toEqual(["overspent"]);
  expect(spentBefore(before, refund)).toEqual([]);
  expect(spentBefore({ ...before, day: "2025-12-31" })).toEqual([]);
});

test("a cap counts while it may be in force", () => {
  const caps = [cap("operator", null), cap("owner", 1), cap("owner", 2, 100, 200), cap("owner", 3, 300, null)];
  expect(possibleCaps(caps, 0, 99)).toEqual([1]);
  expect(possibleCaps(caps, 50, 100)).toEqual([1, 2]);
  expect(possibleCaps(caps, 200, 210)).toEqual([1, 2]);
  expect(possibleCaps(caps, 201, 210)).toEqual([2]);
  // A change without a response may take effect whenever, so the one before it stays possible too.
  expect(possibleCaps(caps, 900, 910)).toEqual([2, 3]);
  expect(possibleCaps([...caps, cap("operator", 0, 400, 500)], 900, 910)).toEqual([0, 0]);
  expect(possibleCaps([cap("operator", null), cap("owner", null)], 0, 1)).toEqual([Number.POSITIVE_INFINITY]);
});

/** The message of the good run fails by a cap; so do others, whose refunds are in the ledger before and after its own. */
function failedByCap({
  dueMs = 1 as number | null,
  accountId = ACCOUNT,
  caps = [] as CapChange[],
  refunds = [ID],
} = {}) {
  const messages = refunds.flatMap((id) =>
    database.messages.map((message) => ({ ...message, id, accountId, errorCode: "daily_spend_cap" })),
  );
  const refund = (id: string) => ({ ...reserve, kind: "refund", amountMicros: PRICE, messageIds: [id], atMs: 5 });
  return foundIn({
    sends: sends.map((send) => ({ ...send, dueMs })),
    limited: { caps: [cap("operator", null), cap("owner", PRICE), ...caps] },
    database: { messages, entries: [...database.entries, ...refunds.map(refund)] },
  }).includes("refusedWrongly");
}

test("only a scheduled message of the customer with caps fails by a cap, and only if that was passed", () => {
  const lowered = cap("owner", PRICE - 1, 1, 2);
  expect(failedByCap({ caps: [lowered] })).toBe(false);
  expect(failedByCap({ caps: [lowered], dueMs: null })).toBe(true);
  expect(failedByCap({ caps: [lowered], accountId: "acc_2" })).toBe(true);
  expect(failedByCap()).toBe(true);
  // Lowered after it had failed, which was at 3.
  expect(failedByCap({ caps: [cap("owner", PRICE - 1, 4, 5)] })).toBe(true);
});

test("of messages that fail by a cap together, each counts as spent no longer for those after it", () => {
  expect(failedByCap({ caps: [cap("owner", PRICE - 1, 1, 2)], refunds: [ID, "msg_2"] })).toBe(true);
  expect(failedByCap({ caps: [cap("owner", -1, 1, 2)], refunds: [ID, "msg_2"] })).toBe(false);
});

test("a scheduled message does not go while the cap is used up for certain", () => {
  // Two messages for one price each were accepted long before this one was due, and claimed at 1.
  const [send] = sends;
  const told = send?.messages ?? [];
  const before = {
    ...send,
    atMs: -100,
    acceptedMs: 1,
    messages: [...told, ...told].map((message) => ({ ...message, id: "msg_0" })),
  };
  const went = (lowered: CapChange, ...refunds: LedgerEntry[]) => {
    const made = sends.map((each) => ({ ...each, atMs: -100, dueMs: 0 }));
    const caps = [cap("operator", null, -200, -200), cap("owner", null, -200, -200), lowered];
    return foundIn({ ...entries(...refunds), sends: [before as Send, ...made], limited: { caps } }).includes(
      "overspent",
    );
  };
  expect(went(cap("owner", 3 * PRICE - 1, -50, -40))).toBe(true);
  expect(went(cap("owner", 3 * PRICE, -50, -40))).toBe(false);
  expect(went(cap("owner", 0, -50, 1))).toBe(false);
  expect(went(cap("owner", 3 * PRICE - 1, -50, -40), { ...reserve, kind: "refund", amountMicros: PRICE })).toBe(false);
});
