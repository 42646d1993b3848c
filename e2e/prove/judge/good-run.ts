/** A run without a defect, for tests that change one thing in it. */
import type { StoredMessage } from "./books";
import type { Evidence } from "./evidence";
import { type Defects, judge } from "./verdict";

export const ACCOUNT = "acc_1";
const PRICE = 10_000;
export const OPENING = 1_000_000;
export const TO = "+4915110000001";
export const ID = "msg_1";

/** A run in which one message was accepted, sent, delivered and reported, in all four books. */
export function goodRun(): Evidence {
  const message: StoredMessage = {
    id: ID,
    accountId: ACCOUNT,
    to: TO,
    hasText: true,
    status: "delivered",
    segments: 1,
    costMicros: PRICE,
    errorCode: null,
    reference: "order-1",
    facts: null,
    knownParts: null,
  };
  const event = (id: string, status: string) => ({ id, messageId: ID, accountId: ACCOUNT, status });
  const received = (eventId: string, status: string, at: number) => ({
    receiver: "a",
    atMs: at,
    eventId,
    type: `message.${status}`,
    createdAt: `2026-01-01T00:00:0${at}.000Z`,
    messageId: ID,
    status,
    reference: "order-1",
    to: TO,
    signedMs: at,
    problem: null,
  });
  return {
    policy: "fallback",
    openingMicros: OPENING,
    pricesMicros: [PRICE],
    unresolved: [],
    frozen: [],
    unserved: [],
    disabled: new Map(),
    stuckJobs: 0,
    ownCheck: '{"accounts":1,"drifted":[]}',
    auditCheck: '{"digests":1,"entries":1,"faults":[]}',
    sends: [
      {
        accountId: ACCOUNT,
        key: "k",
        reference: "order-1",
        atMs: 0,
        firstMs: 1,
        acceptedMs: 1,
        web: 0,
        tries: 1,
        messages: [{ to: TO, id: ID, costMicros: PRICE }],
        refused: false,
        refusedFor: null,
        from: "+14155550100",
        dueMs: null,
        validityS: null,
      },
    ],
    cancellations: [],
    paced: { senders: ["+14155550101"], segmentsPerSecond: 2 },
    replies: [],
    redactions: [],
    bans: [],
    keys: [],
    quotas: [],
    rates: [],
    endpoints: [],
    happened: [],
    reading: { reads: 0, missing: [], backwards: [] },
    limited: null,
    requests: [{ atMs: 1, carrier: "twilio", to: TO, behavior: "accept" }],
    taken: [{ atMs: 1, carrier: "twilio", to: TO, reference: `${ID}-1` }],
    database: {
      messages: [message],
      testMessages: [],
      entries: [],
      creditAudits: [],
      attempts: [{ messageId: ID, seq: 1, provider: "twilio", outcome: "accepted", begun: true }],
      ledger: [{ messageId: ID, kinds: ["reserve", "settle"], amountMicros: -PRICE, reservedMicros: 0 }],
      accounts: [
        {
          accountId: ACCOUNT,
          balanceMicros: OPENING - PRICE,
          reservedMicros: 0,
          ledgerMicros: OPENING - PRICE,
          ledgerReservedMicros: 0,
          usage: { messages: 1, pending: 0, sent: 0, delivered: 1, failed: 0, undelivered: 0, costMicros: PRICE },
        },
      ],
      events: [event("evt_1", "sent"), event("evt_2", "delivered")],
      inbound: [],
      deliveries: ["evt_1", "evt_2"].map((eventId) => ({ eventId, receiver: "a", status: "delivered" })),
      endpoints: [{ id: "whe_1", receiver: "a", accountId: ACCOUNT, isActive: true, failureCount: 0 }],
      quotas: [],
      deadJobs: 0,
    },
    history: {
      attempts: [
        {
          atMs: 1,
          process: "worker-1.1",
          op: "INSERT",
          messageId: ID,
          seq: 1,
          provider: "twilio",
          outcome: null,
        },
      ],
      moves: [
        { atMs: 2, process: "worker-1.1", messageId: ID, former: "pending", status: "sent" },
        { atMs: 3, process: "worker-1.1", messageId: ID, former: "sent", status: "delivered" },
      ],
      events: [
        { id: "evt_1", atMs: 2 },
        { id: "evt_2", atMs: 3 },
      ],
      work: [],
    },
    received: [received("evt_1", "sent", 1), received("evt_2", "delivered", 2)],
    answered: ["evt_1", "evt_2"].map((eventId) => ({
      receiver: "a",
      atMs: 1,
      eventId,
      isTaken: true,
      manner: "ok",
    })),
  } satisfies Evidence;
}

/** Names of the lists with cases, after one change to a good run. */
export function found(change: (run: Evidence) => Partial<Evidence>): (keyof Defects)[] {
  const run = goodRun();
  const { defects } = judge({ ...run, ...change(run) });
  return (Object.keys(defects) as (keyof Defects)[]).filter((name) => defects[name].length > 0);
}
