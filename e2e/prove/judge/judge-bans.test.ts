import { describe, expect, test } from "vitest";
import type { Aim, Ban } from "../load/bans";
import type { Change } from "../load/changes";
import type { Evidence } from "./evidence";
import { ACCOUNT, found, goodRun, TO } from "./good-run";
import { judgeBans } from "./judge-bans";

const [WEB, OTHER] = ["http://web-1", "http://web-2"];
const IMPOSED_MS = 10_000;
const LIFTED_MS = 20_000;

const changeAt = (ms: number, change: Partial<Change> = {}): Change => ({
  ...{ askedMs: ms - 10, answeredMs: ms, url: WEB, status: 200, isDone: true },
  ...change,
});

type Case = {
  what?: Ban["what"];
  imposed?: Partial<Change>;
  lifted?: Partial<Change> | null;
  when?: Aim["when"];
  url?: string;
  send?: Partial<Aim["send"]>;
  /** Of the message; null: there is none. */
  message?: { status: string; errorCode: string | null; costMicros?: number } | null;
  /** When a carrier was asked; null: never. */
  askedMs?: number | null;
  /** When its attempt was begun; null: there was none. */
  begunMs?: number | null;
};

const SENT = { status: "delivered", errorCode: null };

/** A run with a ban, and one send to its number. */
function banned(of: Case): Evidence {
  const run = goodRun();
  const { what = "suppression", imposed, lifted = null, when = "before", url = WEB, message = SENT } = of;
  const { askedMs = null, begunMs = askedMs } = of;
  const [send] = run.sends;
  if (!send) throw new Error("The good run has no send.");
  const aims: Aim[] = [{ when, to: TO, url, send: { ...send, ...of.send } }];
  return {
    ...run,
    requests: askedMs === null ? [] : [{ atMs: askedMs, carrier: "twilio", to: TO, behavior: "accept" }],
    database: {
      ...run.database,
      messages: message ? run.database.messages.map((each) => ({ ...each, costMicros: 0, ...message })) : [],
    },
    history: {
      ...run.history,
      attempts: begunMs === null ? [] : run.history.attempts.map((step) => ({ ...step, atMs: begunMs })),
    },
    bans: [
      {
        ...{ what, accountId: ACCOUNT, imposed: changeAt(IMPOSED_MS, imposed), aims },
        lifted: lifted && changeAt(LIFTED_MS, lifted),
      },
    ],
  };
}

const casesOf = (of: Case): number => judgeBans(banned(of)).length;
const failed = (errorCode: string) => ({ status: "failed", errorCode });

describe("requests to carriers", () => {
  test("may be those of an attempt that had begun within a second of the ban", () => {
    expect(casesOf({ askedMs: 9_000 })).toBe(0);
    expect(casesOf({ askedMs: 15_000, begunMs: 11_000 })).toBe(0);
    expect(casesOf({ askedMs: 15_000, begunMs: 12_000 })).toBe(1);
  });

  test("are made when the ban has ended, or was never acknowledged", () => {
    expect(casesOf({ askedMs: 21_000, lifted: {} })).toBe(0);
    expect(casesOf({ askedMs: 15_000, lifted: {} })).toBe(1);
    expect(casesOf({ askedMs: 15_000, imposed: { isDone: false } })).toBe(0);
  });
});

describe("a message that waited", () => {
  test("fails for the reason of its ban, and costs nothing", () => {
    expect(casesOf({ message: failed("blocklisted") })).toBe(0);
    expect(casesOf({ what: "sender", message: failed("sender_not_approved") })).toBe(0);
    expect(casesOf({ what: "account", message: failed("account_not_active") })).toBe(0);
    expect(casesOf({ what: "account", message: failed("blocklisted") })).toBe(1);
    expect(casesOf({ message: { ...failed("blocklisted"), costMicros: 1 } })).toBe(1);
    expect(casesOf({ message: { status: "pending", errorCode: null } })).toBe(1);
  });

  test("may end otherwise if it was tried before", () => {
    expect(casesOf({ message: failed("no_provider_available"), begunMs: 9_000 })).toBe(0);
  });

  test("and is due after the ban is sent", () => {
    const message = failed("blocklisted");
    expect(casesOf({ message, lifted: {}, send: { dueMs: LIFTED_MS - 1 } })).toBe(0);
    expect(casesOf({ message, lifted: {}, send: { dueMs: LIFTED_MS + 1 } })).toBe(1);
  });
});

describe("a send during the ban", () => {
  const when = "during";
  const refused = (refusedFor: string) => ({ refused: true, refusedFor, messages: null });

  test("to a suppressed number is accepted, and fails", () => {
    expect(casesOf({ when, message: failed("blocklisted") })).toBe(0);
    expect(casesOf({ when })).toBe(1);
    expect(casesOf({ when, message: null, send: refused("blocklisted") })).toBe(1);
  });

  test("from a suspended account is refused", () => {
    const what = "account";
    expect(casesOf({ what, when, message: null, send: refused("account_not_active") })).toBe(0);
    expect(casesOf({ what, when, message: null, send: refused("sender_not_approved") })).toBe(1);
    expect(casesOf({ what, when, message: failed("account_not_active") })).toBe(1);
    const late = refused("send_at_in_the_past");
    expect(casesOf({ what, when, message: null, send: late })).toBe(1);
    expect(casesOf({ what, when, message: null, send: { ...late, dueMs: 1 } })).toBe(0);
  });

  test("from a deleted sender ID is refused at once by the process that deleted it, and within a second by the others", () => {
    const what = "sender";
    const message = failed("sender_not_approved");
    const sentAt = (atMs: number) => ({ atMs, tries: 1 });
    expect(casesOf({ what, when, message: null, send: refused("sender_not_approved") })).toBe(0);
    expect(casesOf({ what, when, message, url: WEB, send: sentAt(10_001) })).toBe(1);
    expect(casesOf({ what, when, message, url: OTHER, send: sentAt(10_900) })).toBe(0);
    expect(casesOf({ what, when, message, url: OTHER, send: sentAt(11_001) })).toBe(1);
    expect(casesOf({ what, when, url: OTHER, send: sentAt(10_900) })).toBe(1);
    const imposed = { status: 404 };
    expect(casesOf({ what, when, message, imposed, send: sentAt(10_001) })).toBe(0);
  });
});

test("a send after the ban is accepted, and does not fail for its reason", () => {
  const when = "after";
  expect(casesOf({ when, lifted: {} })).toBe(0);
  expect(casesOf({ when, lifted: {}, message: failed("blocklisted") })).toBe(1);
  expect(casesOf({ when, lifted: {}, message: null, send: { refused: true, refusedFor: "x" } })).toBe(1);
  expect(casesOf({ when, lifted: { isDone: false }, message: failed("blocklisted") })).toBe(0);
});

test("the proof reports a ban that was not kept", () => {
  expect(found(() => ({ bans: banned({ when: "during" }).bans }))).toEqual(["bans"]);
});
