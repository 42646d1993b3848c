import { expect, test } from "vitest";
import type { StoredMessage } from "./books";
import type { Evidence } from "./evidence";
import { ACCOUNT, found, goodRun, ID, OPENING, TO } from "./good-run";
import { longestFailure } from "./judge-events";
import { foundIn } from "./limited-run";
import { isClean, judge } from "./verdict";

const asMessage = (run: Evidence, change: Partial<StoredMessage>): Evidence["database"] => ({
  ...run.database,
  messages: run.database.messages.map((message) => ({ ...message, ...change })),
});
/** A message that failed with an unknown outcome and was refunded. */
const asUnknown = (run: Evidence, begun: boolean | null): Evidence["database"] => ({
  ...asMessage(run, { status: "failed", costMicros: 0, errorCode: "provider_outcome_unknown" }),
  attempts: run.database.attempts.map((attempt) => ({ ...attempt, begun, outcome: null })),
  ledger: [{ messageId: ID, kinds: ["reserve", "refund"], amountMicros: 0, reservedMicros: 0 }],
  accounts: run.database.accounts.map((book) => ({
    ...book,
    balanceMicros: OPENING,
    ledgerMicros: OPENING,
    usage: { ...book.usage, delivered: 0, failed: 1, costMicros: 0 },
  })),
  events: [{ id: "evt_1", messageId: ID, accountId: ACCOUNT, status: "failed" }],
  deliveries: [{ eventId: "evt_1", receiver: "a", status: "delivered" }],
});
const failedEvent = (run: Evidence) => ({
  received: run.received.slice(0, 1).map((event) => ({ ...event, type: "message.failed", status: "failed" })),
  history: { ...run.history, moves: [] },
});
const twice = (run: Evidence, second: string) => ({
  taken: [...run.taken, { atMs: 5, carrier: "twilio" as const, to: TO, reference: second }],
});
const steps = (run: Evidence, first: string | null): Evidence["history"] => ({
  ...run.history,
  attempts: [1, 2].map((seq) => ({
    atMs: seq,
    process: "worker-1.1",
    op: "INSERT",
    messageId: ID,
    seq,
    provider: "twilio",
    outcome: seq === 1 ? first : null,
  })),
});

test("a run in which all four books agree has no defect", () => {
  const verdict = judge(goodRun());
  expect(verdict.defects).toEqual(Object.fromEntries(Object.keys(verdict.defects).map((name) => [name, []])));
  expect(isClean(verdict)).toBe(true);
  expect(verdict.remarks).toMatchObject({ accepted: 1, sends: 1 });
});

test("a message that was accepted and does not exist is lost", () => {
  expect(found((run) => ({ database: { ...run.database, messages: [] } }))).toContain("lost");
});

test("a message that counts as delivered and reached no carrier is lost", () => {
  expect(found(() => ({ taken: [] }))).toEqual(["lost", "empty"]);
});

test("a second message to a person is allowed only when the outcome of the first was unknown", () => {
  expect(found((run) => ({ ...twice(run, `${ID}-2`), history: steps(run, "unknown") }))).toEqual([]);
  expect(found((run) => ({ ...twice(run, `${ID}-2`), history: steps(run, null) }))).toEqual(["duplicated"]);
  expect(found((run) => ({ ...twice(run, `${ID}-1`), history: steps(run, "unknown") }))).toEqual(["duplicated"]);
});

test("the policy hold never allows a second message", () => {
  const change = (run: Evidence) => ({ ...twice(run, `${ID}-2`), history: steps(run, "unknown") });
  expect(found((run) => ({ ...change(run), policy: "hold" }))).toEqual(["duplicated"]);
});

test("balance, ledger, messages and counters must agree", () => {
  const account = (run: Evidence, change: object): Partial<Evidence> => ({
    database: { ...run.database, accounts: run.database.accounts.map((book) => ({ ...book, ...change })) },
  });
  expect(found((run) => account(run, { balanceMicros: OPENING }))).toEqual(["drift"]);
  expect(found((run) => account(run, { reservedMicros: 1 }))).toEqual(["drift"]);
  expect(found((run) => ({ database: { ...run.database, ledger: [] } }))).toEqual(["drift"]);
  expect(found(() => ({ ownCheck: '{"drifted":[{"accountId":"acc_1"}]}' }))).toEqual(["drift"]);
});

test("the audit log has digests, and is as they say", () => {
  expect(found(() => ({ auditCheck: '{"digests":1,"faults":[{"number":"1","problem":"entries_differ"}]}' }))).toEqual([
    "audit",
  ]);
  expect(found(() => ({ auditCheck: '{"digests":0,"faults":[]}' }))).toEqual(["audit"]);
});

test("no status goes back: not in the database, not in reads, not in events", () => {
  const back = { atMs: 4, process: null, messageId: ID, former: "delivered", status: "sent" };
  expect(found((run) => ({ history: { ...run.history, moves: [...run.history.moves, back] } }))).toEqual(["backwards"]);
  expect(found(() => ({ reading: { reads: 1, missing: [], backwards: ["it did"] } }))).toEqual(["backwards"]);
  expect(
    found((run) => ({
      received: run.received.map((event, at) => ({ ...event, createdAt: `2026-01-01T00:00:0${9 - at}.000Z` })),
    })),
  ).toEqual(["backwards"]);
});

test("failures of attempts that never began are distinguished from those whose process died", () => {
  const change = (begun: boolean | null) => (run: Evidence) => ({
    ...failedEvent(run),
    database: asUnknown(run, begun),
    requests: [],
    taken: [],
  });
  // No message was taken in this run.
  expect(found(change(false))).toEqual(["neverBegun", "empty"]);
  expect(found(change(null))).toEqual(["neverBegun", "empty"]);
  expect(found(change(true))).toEqual(["empty"]);
  expect(judge({ ...goodRun(), ...change(true)(goodRun()) }).remarks.diedBeforeLeaving).toHaveLength(1);
});

test("a message of which the carrier took only some parts waits for its receipt", () => {
  const sent = (isTaken: boolean) => {
    const run = goodRun();
    return { ...run, database: asMessage(run, { status: "sent" }), taken: isTaken ? run.taken : [] };
  };
  expect(judge(sent(true)).defects.unfinished).toHaveLength(1);
  expect(judge(sent(false)).defects.unfinished).toEqual([]);
  expect(judge(sent(false)).remarks.waitForParts).toHaveLength(1);
});

test("a message also waits when the id of a part was lost and receipts carry nothing else", () => {
  const sent = (segments: number, knownParts: number, reference: string | null) => {
    const run = goodRun();
    const taken = run.taken.map((each) => ({ ...each, reference }));
    return judge({ ...run, database: asMessage(run, { status: "sent", segments, knownParts }), taken }).defects
      .unfinished;
  };
  expect(sent(2, 1, null)).toEqual([]);
  expect(sent(2, 1, `${ID}-1`)).toHaveLength(1);
  expect(sent(2, 2, null)).toHaveLength(1);
  expect(sent(1, 0, null)).toHaveLength(1);
});

test("an endpoint may be disabled for its own failures, not for ours", () => {
  const answered = (count: number) =>
    Array.from({ length: count }, () => ({
      receiver: "a",
      atMs: 1,
      eventId: "x",
      isTaken: false,
      manner: "fail" as const,
    }));
  const change = (count: number) => (run: Evidence) => ({
    disabled: new Map([["a", "no answer 25 times"]]),
    answered: [...answered(count), ...run.answered],
  });
  expect(found(change(24))).toEqual(["disabledByUs"]);
  expect(found(change(25))).toEqual([]);
});

test("nothing stays unfinished: no message, no caller, no job, no queue", () => {
  expect(found((run) => ({ database: asMessage(run, { status: "pending" }) }))).toContain("unfinished");
  expect(
    found((run) => ({ sends: [...run.sends, { ...run.sends[0], key: "other", messages: null } as never] })),
  ).toEqual(["unfinished"]);
  expect(found((run) => ({ database: { ...run.database, deadJobs: 1 } }))).toEqual(["unfinished"]);
  expect(found(() => ({ stuckJobs: 2 }))).toEqual(["unfinished"]);
  expect(found(() => ({ unserved: ["send: 503"] }))).toEqual(["unserved"]);
  expect(found(() => ({ frozen: [{ process: "worker-1.1", queue: "dispatch" }] }))).toEqual(["frozen"]);
});

test("every event reaches every endpoint, with correct content", () => {
  expect(found((run) => ({ database: { ...run.database, events: run.database.events.slice(1) } }))).toEqual([
    "eventsMissing",
    "eventsForged",
  ]);
  expect(found((run) => ({ answered: run.answered.slice(1) }))).toEqual(["eventsMissing"]);
  const received = (change: object) => (run: Evidence) => ({
    received: run.received.map((event) => ({ ...event, ...change })),
  });
  expect(found(received({ problem: "The signature is not that of the body." }))).toEqual(["eventsForged"]);
  expect(found(received({ reference: "order-2" }))).toEqual(["eventsForged"]);
  expect(found(received({ to: "+4915110000002" }))).toEqual(["eventsForged"]);
});

test("one key makes one message", () => {
  const again = (run: Evidence) => ({ ...run.database.messages[0], id: "msg_2" }) as StoredMessage;
  expect(
    found((run) => ({ database: { ...run.database, messages: [...run.database.messages, again(run)] } })),
  ).toContain("keyedTwice");
});

test("a send that was refused made no message", () => {
  const refusedAs = (reference: string) =>
    found(({ sends }) => ({
      sends: [...sends, ...sends.map((send) => ({ ...send, messages: null, refused: true, reference }))],
    }));
  expect(refusedAs("order-2")).toEqual([]);
  expect(refusedAs("order-1")).toEqual(["sentThoughRefused"]);
});

test("a run in which nothing happened proves nothing", () => {
  const { defects } = judge({ ...goodRun(), sends: [], received: [] });
  expect(defects.empty).toEqual(["nothing accepted", "nothing received"]);
});

test("consecutive failures are counted from the last 2xx response", () => {
  const answers = [false, false, true, false, false, false, true].map((isTaken) => ({ isTaken }));
  expect(longestFailure(answers)).toBe(3);
  expect(longestFailure([])).toBe(0);
});

test("only deleted texts must be gone; the outcome of a request without a response is unknown", () => {
  const without = (run: Evidence) => asMessage(run, { hasText: false });
  const redactions = (isDeleted: boolean | null) => [{ id: ID, isDeleted }];
  expect(found((run) => ({ database: without(run), redactions: redactions(true) }))).toEqual([]);
  expect(found((run) => ({ database: without(run), redactions: redactions(null) }))).toEqual([]);
  expect(found((run) => ({ database: without(run) }))).toEqual(["texts"]);
  expect(found(() => ({ redactions: redactions(true) }))).toEqual(["texts"]);
});

test("a message whose cost differs from the price that its caller was told is a drift", () => {
  const told = (run: Evidence, costMicros: number) =>
    run.sends.map((send) => ({ ...send, messages: [{ to: TO, id: ID, costMicros }] }));
  expect(found((run) => ({ sends: told(run, 1) }))).toEqual(["drift"]);
});

test("an event whose text was deleted need not be sent any more if it was parked by disabling, or abandoned", () => {
  const ended = (run: Evidence, status: string) => ({
    ...asMessage(run, { hasText: false }),
    deliveries: run.database.deliveries.map((each) => ({ ...each, status })),
  });
  const redactions = [{ id: ID, isDeleted: true }];
  const disabled = new Map([["a", "no answer 25 times"]]);
  const failures = Array.from({ length: 25 }, () => ({
    receiver: "a",
    atMs: 1,
    eventId: "x",
    isTaken: false,
    manner: "fail" as const,
  }));
  const byDisabling = (run: Evidence) => ({ disabled, answered: [...failures, ...run.answered] });
  expect(found((run) => ({ database: ended(run, "held"), redactions, ...byDisabling(run) }))).toEqual([]);
  expect(found((run) => ({ database: ended(run, "abandoned"), redactions }))).toEqual([]);
  // A pause parked it.
  expect(found((run) => ({ database: ended(run, "held"), redactions }))).toEqual(["eventsMissing"]);
  const withText = (run: Evidence) => ({ ...ended(run, "held"), messages: run.database.messages });
  expect(found((run) => ({ database: withText(run), ...byDisabling(run) }))).toEqual(["eventsMissing"]);
});

test("books that disagree in a snapshot are a drift", () => {
  expect(foundIn({ limited: { snapshots: { count: 1, drifted: ["acc_1: held is 1, not 0"] } } })).toEqual(["drift"]);
});
