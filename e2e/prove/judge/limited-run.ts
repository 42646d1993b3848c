/** A run of the customers with limits without a defect, for tests that change one thing in it. */
import type { LimitedBook } from "../load/limited-book";
import type { DatabaseBook, LedgerEntry, StoredMessage } from "./books";
import type { Evidence } from "./evidence";
import { ACCOUNT, goodRun, ID, OPENING } from "./good-run";
import { type Defects, judge } from "./verdict";

export const TRIAL = "tac_1";
export const TRIAL_ID = "msg_test";
export const PRICE = 10_000;
const PLAY_MONEY = 1_000_000_000;
export const CREDITED = 30_000;
export const NOTE = "credit-1";

const entry = (kind: string, amountMicros: number, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  atMs: 0,
  accountId: ACCOUNT,
  kind,
  amountMicros,
  note: null,
  messageIds: [],
  day: null,
  ...change,
});

const testMessage: StoredMessage = {
  id: TRIAL_ID,
  accountId: TRIAL,
  to: "+15550100003",
  hasText: true,
  status: "failed",
  segments: 1,
  costMicros: 0,
  errorCode: "invalid_recipient",
  facts: null,
  knownParts: null,
  reference: "order-other-1",
};

/** The good run, whose account is both poor and capped: it was credited once, and one test message failed as its number says. */
export function limitedRun(): Evidence & { limited: LimitedBook } {
  const run = goodRun();
  const [send] = run.sends;
  if (!send) throw new Error("The good run has a send.");
  const [book] = run.database.accounts;
  if (!book) throw new Error("The good run has an account.");
  const balance = OPENING + CREDITED - PRICE;
  const caps = (["operator", "owner"] as const).map((whose) => ({ whose, micros: PRICE, fromMs: 0, knownMs: 0 }));
  const usage = { messages: 1, pending: 0, sent: 0, delivered: 0, failed: 1, undelivered: 0, costMicros: 0 };
  const trial = { accountId: TRIAL, reservedMicros: 0, ledgerReservedMicros: 0, usage };
  return {
    ...run,
    limited: {
      poor: ACCOUNT,
      capped: ACCOUNT,
      trial: TRIAL,
      openingsMicros: { [ACCOUNT]: OPENING },
      credits: [
        {
          accountId: ACCOUNT,
          note: NOTE,
          amountMicros: CREDITED,
          result: "booked",
          reason: null,
          balanceMicros: OPENING + CREDITED,
        },
      ],
      caps,
      trials: [
        {
          ...send,
          accountId: TRIAL,
          key: "key-other-1",
          reference: "order-other-1",
          messages: [{ to: testMessage.to, id: TRIAL_ID, costMicros: 0 }],
        },
      ],
      balances: [{ accountId: ACCOUNT, micros: balance }],
      snapshots: { count: 1, drifted: [] },
      hasCrashed: false,
    },
    database: {
      ...run.database,
      testMessages: [testMessage],
      entries: [
        entry("credit", OPENING),
        entry("credit", CREDITED, { note: NOTE }),
        entry("reserve", -PRICE, { messageIds: [ID], day: "2026-01-01" }),
        entry("settle", 0, { messageIds: [ID], day: "2026-01-01" }),
        entry("credit", PLAY_MONEY, { accountId: TRIAL }),
      ],
      creditAudits: [{ note: NOTE, beforeMicros: OPENING, afterMicros: OPENING + CREDITED }],
      accounts: [
        { ...book, balanceMicros: balance, ledgerMicros: balance },
        { ...trial, balanceMicros: PLAY_MONEY, ledgerMicros: PLAY_MONEY },
      ],
      events: [...run.database.events, { id: "evt_test", messageId: TRIAL_ID, accountId: TRIAL, status: "failed" }],
    },
  } satisfies Evidence;
}

/** Names of the lists with cases, after a change to the run; `limited` and `database` replace fields of those. */
export function foundIn(
  change: Partial<Omit<Evidence, "limited" | "database">> & {
    limited?: Partial<LimitedBook>;
    database?: Partial<DatabaseBook>;
  },
): (keyof Defects)[] {
  const run = limitedRun();
  const { defects } = judge({
    ...run,
    ...change,
    limited: { ...run.limited, ...change.limited },
    database: { ...run.database, ...change.database },
  });
  return (Object.keys(defects) as (keyof Defects)[]).filter((name) => defects[name].length > 0);
}
