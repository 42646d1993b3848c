import { expect, test } from "vitest";
import type { Send } from "../load/sends";
import type { AccountBook, StoredMessage } from "./books";
import { ACCOUNT } from "./good-run";
import { foundIn, limitedRun, TRIAL, TRIAL_ID } from "./limited-run";

const run = limitedRun();
const { database, limited } = run;
const DELIVERED = "+15550100001";

const messages = (change: Partial<StoredMessage>) =>
  database.testMessages.map((message) => ({ ...message, ...change }));
const found = (change: Partial<StoredMessage>) => foundIn({ database: { testMessages: messages(change) } });
const trials = (change: Partial<Send>) => limited.trials.map((send) => ({ ...send, ...change }));
const numbered = (to: string) => trials({ messages: [{ to, id: TRIAL_ID, costMicros: 0 }] });

test("a test message never reaches a carrier", () => {
  const to = "+4915110000009";
  const testMessages = messages({ to, status: "delivered", errorCode: null });
  const events = ["sent", "delivered"].map((status) => ({
    ...{ id: `evt_test_${status}`, messageId: TRIAL_ID, accountId: TRIAL, status },
  }));
  const sent = {
    limited: { trials: numbered(to) },
    database: { testMessages, events: [...run.database.events.slice(0, 2), ...events] },
  };
  expect(foundIn(sent)).toEqual([]);
  const asked = { atMs: 1, carrier: "twilio", to } as const;
  expect(foundIn({ ...sent, requests: [...run.requests, { ...asked, behavior: "refuse" }] })).toEqual(["testMode"]);
  expect(foundIn({ ...sent, taken: [...run.taken, { ...asked, reference: null }] })).toContain("testMode");
});

test("a test message costs nothing, in any book", () => {
  expect(found({ costMicros: 1 })).toContain("testMode");
  const charged = { messageId: TRIAL_ID, kinds: ["reserve", "refund"], amountMicros: 0, reservedMicros: 0 };
  expect(foundIn({ database: { ledger: [...database.ledger, charged] } })).toContain("testMode");
  expect(
    foundIn({ limited: { trials: trials({ messages: [{ to: "+15550100003", id: TRIAL_ID, costMicros: 1 }] }) } }),
  ).toEqual(["testMode"]);
  const account = (change: Partial<AccountBook>) =>
    foundIn({
      database: {
        accounts: database.accounts.map((book) => (book.accountId === TRIAL ? { ...book, ...change } : book)),
      },
    });
  expect(account({ balanceMicros: 1 })).toEqual(["testMode"]);
  expect(account({ reservedMicros: 1 })).toEqual(["testMode"]);
  expect(account({ usage: { ...(database.accounts[1] as AccountBook).usage, messages: 2 } })).toEqual(["testMode"]);
});

test("a test message ends as its number says, unless its worker died or the crashed database lost its receipt", () => {
  const ended = (to: string, change: Partial<StoredMessage>) =>
    foundIn({ limited: { trials: numbered(to) }, database: { testMessages: messages({ to, ...change }) } });
  const unknown = { status: "failed", errorCode: "provider_outcome_unknown" };
  const attempts = (begun: boolean) => [
    ...database.attempts,
    { messageId: TRIAL_ID, seq: 1, provider: "sandbox", outcome: null, begun },
  ];
  expect(ended("+15550100009", { status: "failed" })).toEqual(["testMode"]);
  expect(ended(DELIVERED, { status: "failed" })).toEqual(["testMode"]);
  expect(ended(DELIVERED, unknown)).toEqual(["testMode"]);
  const died = (begun: boolean) => ({
    limited: { trials: numbered(DELIVERED) },
    database: { testMessages: messages({ to: DELIVERED, ...unknown }), attempts: attempts(begun) },
  });
  expect(foundIn(died(true))).toEqual([]);
  expect(foundIn(died(false))).toEqual(["testMode"]);
  const silent = { testMessages: messages({ to: DELIVERED, status: "sent", errorCode: null }) };
  const events = [...database.events.slice(0, 2), { id: "e", messageId: TRIAL_ID, accountId: TRIAL, status: "sent" }];
  const lost = (hasCrashed: boolean) =>
    foundIn({ limited: { trials: numbered(DELIVERED), hasCrashed }, database: { ...silent, events } });
  expect(lost(true)).toEqual([]);
  expect(lost(false)).toEqual(["testMode"]);
});

test("an accepted test message is there once, in test mode, and none is refused", () => {
  expect(foundIn({ database: { testMessages: [] } })).toContain("testMode");
  expect(found({ accountId: ACCOUNT })).toContain("testMode");
  expect(found({ to: DELIVERED, status: "delivered" })).toContain("testMode");
  const twice = [...messages({}), ...messages({ id: "msg_test_2" })];
  expect(foundIn({ database: { testMessages: twice } })).toContain("testMode");
  expect(foundIn({ limited: { trials: trials({ messages: null, refused: true }) } })).toEqual(["testMode"]);
  expect(foundIn({ limited: { trials: trials({ messages: null }) } })).toEqual(["testMode"]);
});

test("a test message has its event", () => {
  expect(foundIn({ database: { events: database.events.slice(0, 2) } })).toEqual(["eventsMissing"]);
});
