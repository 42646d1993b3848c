import { describe, expect, test } from "vitest";
import type { Change } from "../load/changes";
import type { EndpointLife } from "../load/endpoints";
import type { Evidence } from "./evidence";
import { ACCOUNT, found, goodRun } from "./good-run";
import { judgeEndpoints } from "./judge-endpoints";

const [FIRST, MOVED] = ["t1-steady", "t1-moved-steady"];
const CREATED_MS = 10_000;
const CHANGED_MS = 20_000;

const changeAt = (ms: number): Change => ({ askedMs: ms - 10, answeredMs: ms, url: "", status: 200, isDone: true });
const LIFE: EndpointLife = {
  ...{ accountId: ACCOUNT, created: changeAt(CREATED_MS), receiver: FIRST, events: ["*"] },
  ...{ ids: ["whe_2", "whe_2"], changed: null, deleted: null },
};
const MOVED_LIFE = { changed: { at: changeAt(CHANGED_MS), receiver: MOVED, events: ["*"] } };
const DELETED_LIFE = { deleted: changeAt(CHANGED_MS) };

type Case = {
  life?: Partial<EndpointLife>;
  /** When the event was recorded: that the message was sent. */
  atMs: number;
  /** Its delivery to this endpoint; null: none. */
  delivery?: string | null;
  isTaken?: boolean;
  /** The receiver that got it; null: none. */
  receiver?: string | null;
  signedMs?: number;
};

/** A run with another endpoint, and one event. */
function run({
  life,
  atMs,
  delivery = "delivered",
  isTaken = true,
  receiver = FIRST,
  signedMs = atMs,
}: Case): Evidence {
  const good = goodRun();
  const [[event], [got], [answer]] = [good.database.events, good.received, good.answered];
  if (!event || !got || !answer) throw new Error("The good run has no event.");
  const final = life?.changed?.receiver ?? FIRST;
  return {
    ...good,
    endpoints: [{ ...LIFE, ...life }],
    database: {
      ...good.database,
      events: [event],
      deliveries: delivery === null ? [] : [{ eventId: event.id, receiver: final, status: delivery }],
    },
    history: { ...good.history, events: [{ id: event.id, atMs }] },
    received: receiver === null ? [] : [{ ...got, receiver, signedMs }],
    answered: receiver === null ? [] : [{ ...answer, receiver, isTaken }],
  };
}

const casesOf = (of: Case): number => judgeEndpoints(run(of)).length;
const NOTHING = { delivery: null, receiver: null };

test("a repeated creation makes one endpoint", () => {
  expect(casesOf({ atMs: 11_000, life: { ids: ["whe_2", "whe_3"] } })).toBe(1);
});

describe("an event", () => {
  test("that is recorded after the creation is delivered, and acknowledged", () => {
    expect(casesOf({ atMs: 11_000 })).toBe(0);
    expect(casesOf({ atMs: 11_000, ...NOTHING })).toBe(1);
    expect(casesOf({ atMs: 11_000, delivery: "pending" })).toBe(1);
    expect(casesOf({ atMs: 11_000, isTaken: false })).toBe(1);
    expect(casesOf({ atMs: 11_000, receiver: null })).toBe(1);
  });

  test("that was recorded before the creation is not", () => {
    expect(casesOf({ atMs: 9_000, ...NOTHING })).toBe(0);
    expect(casesOf({ atMs: 9_000 })).toBe(1);
  });

  test("may go either way while the creation is under way, or of an unknown outcome", () => {
    const created = { ...LIFE.created, isDone: false };
    for (const end of [{}, NOTHING]) {
      expect(casesOf({ atMs: 9_995, ...end })).toBe(0);
      expect(casesOf({ atMs: 11_000, life: { created }, ...end })).toBe(0);
    }
  });

  test("of another account, or of a type that is not subscribed to, is not delivered", () => {
    expect(casesOf({ atMs: 11_000, life: { accountId: "acc_2" }, ...NOTHING })).toBe(0);
    expect(casesOf({ atMs: 11_000, life: { events: ["message.failed"] }, ...NOTHING })).toBe(0);
    expect(casesOf({ atMs: 11_000, life: { events: ["message.failed"] } })).toBe(1);
  });

  test("goes by the types at its time", () => {
    const changed = { at: changeAt(CHANGED_MS), receiver: FIRST, events: ["message.failed"] };
    expect(casesOf({ atMs: 19_000, life: { changed } })).toBe(0);
    expect(casesOf({ atMs: 19_000, life: { changed }, ...NOTHING })).toBe(1);
    expect(casesOf({ atMs: 21_000, life: { changed }, ...NOTHING })).toBe(0);
    expect(casesOf({ atMs: 21_000, life: { changed } })).toBe(1);
  });
});

describe("requests", () => {
  test("go to a new URL within a second, also those of deliveries that waited", () => {
    expect(casesOf({ atMs: 19_000, life: MOVED_LIFE, receiver: FIRST, signedMs: 21_000 })).toBe(0);
    expect(casesOf({ atMs: 19_000, life: MOVED_LIFE, receiver: FIRST, signedMs: 22_000 })).toBe(1);
    expect(casesOf({ atMs: 19_000, life: MOVED_LIFE, receiver: MOVED, signedMs: 22_000 })).toBe(0);
  });

  test("end within a second of a deletion, and events are no longer queued", () => {
    expect(casesOf({ atMs: 19_000, life: DELETED_LIFE, signedMs: 21_000 })).toBe(0);
    expect(casesOf({ atMs: 19_000, life: DELETED_LIFE, signedMs: 22_000 })).toBe(1);
    expect(casesOf({ atMs: 22_000, life: DELETED_LIFE, ...NOTHING })).toBe(0);
    expect(casesOf({ atMs: 22_000, life: DELETED_LIFE, delivery: "abandoned", receiver: null })).toBe(1);
  });

  test("may be missing for a deleted endpoint, whose deliveries end", () => {
    expect(casesOf({ atMs: 19_000, life: DELETED_LIFE, delivery: "abandoned", receiver: null })).toBe(0);
    expect(casesOf({ atMs: 19_000, life: DELETED_LIFE, ...NOTHING })).toBe(0);
    expect(casesOf({ atMs: 19_000, life: DELETED_LIFE, delivery: "pending", receiver: null })).toBe(1);
  });
});

test("the proof reports changes of endpoints that were not kept, and nothing else about these endpoints", () => {
  expect(found(() => ({ endpoints: [LIFE] }))).toEqual([]);
  const missed = (good: Evidence) => ({
    endpoints: [LIFE],
    history: { ...good.history, events: good.history.events.map((event) => ({ ...event, atMs: 11_000 })) },
  });
  expect(found(missed)).toEqual(["endpoints"]);
});
