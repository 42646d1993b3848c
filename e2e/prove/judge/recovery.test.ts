import { expect, test } from "vitest";
import type { Life } from "../world/fleet";
import type { AttemptStep } from "./history";
import { afterKills, afterReturns } from "./recovery";

const life = (process: string, end: Life["end"], untilMs: number | null): Life => ({
  name: "worker-1",
  process,
  fromMs: 0,
  untilMs,
  signaledMs: untilMs,
  end,
  output: null,
});
const step = (atMs: number, messageId: string, more: Partial<AttemptStep> = {}): AttemptStep => ({
  atMs,
  messageId,
  process: "worker-1.1",
  op: "INSERT",
  seq: 1,
  provider: "twilio",
  outcome: null,
  ...more,
});
const move = (atMs: number, messageId: string) => ({
  atMs,
  messageId,
  process: "worker-2.1",
  former: "pending",
  status: "sent",
});

test("each claim of a killed worker is listed with the time until it continued, or as ended only by time", () => {
  const attempts = [
    step(100, "ended before"),
    step(150, "ended before", { op: "UPDATE", outcome: "accepted" }),
    step(200, "another's", { process: "worker-2.1" }),
    step(200, "by receipt"),
    step(200, "taken back"),
    step(200, "begun, no more"),
    step(210, "begun, no more", { op: "UPDATE" }),
    step(200, "swept"),
    step(2_000, "taken back", { op: "DELETE" }),
    step(9_500, "swept", { op: "UPDATE", outcome: "unknown" }),
  ];
  const history = { attempts, moves: [move(1_500, "by receipt")], events: [], work: [] };
  expect(afterKills([life("worker-1.1", "killed", 1_000)], history, 9_000)).toEqual([
    { process: "worker-1.1", claimed: 4, movedOnMs: [500, 1_000], waited: 2 },
  ]);
});

test("processes that were stopped regularly do not count as killed", () => {
  const history = { attempts: [step(200, "left")], moves: [], events: [], work: [] };
  expect(afterKills([life("worker-1.1", "stopped", 1_000)], history, 9_000)).toEqual([]);
});

test("the report says when each queue of each process works after the database is back, or that it never does", () => {
  const work = [
    { atMs: 900, process: "worker-1.1", queue: "dispatch" as const, count: 1 },
    { atMs: 1_300, process: "worker-1.1", queue: "dispatch" as const, count: 1 },
    { atMs: 1_700, process: "worker-1.1", queue: "receipts" as const, count: 1 },
  ];
  const restart = { fault: { kind: "restart", mode: "fast", downMs: 0, atMs: 0 }, atMs: 500, untilMs: 1_000, note: "" };
  const lives = [
    life("worker-1.1", null, null),
    life("worker-1.2", "killed", 2_000),
    { ...life("worker-1.3", "stopped", 30_000), signaledMs: 800 },
  ];
  const found = afterReturns([restart as never], lives, { attempts: [], moves: [], events: [], work }, 60_000);
  expect(found).toEqual([
    {
      mode: "fast restart",
      first: [
        { process: "worker-1.1", queue: "dispatch", afterMs: 300 },
        { process: "worker-1.1", queue: "receipts", afterMs: 700 },
        { process: "worker-1.1", queue: "webhooks", afterMs: null },
      ],
    },
  ]);
});
