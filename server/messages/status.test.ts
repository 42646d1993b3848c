import { describe, expect, it } from "vitest";
import { canMove, eventTypeFor, isFinal, MESSAGE_STATUSES } from "./status";

// One row per status moved from, one column per status moved to, both in this order.
const ORDER = ["pending", "sent", "delivered", "failed", "undelivered"] as const;
const MOVES: Readonly<Record<(typeof ORDER)[number], readonly (0 | 1)[]>> = {
  pending: [0, 1, 0, 1, 0],
  sent: [0, 0, 1, 1, 1],
  delivered: [0, 0, 0, 0, 0],
  failed: [0, 0, 0, 0, 0],
  undelivered: [0, 0, 0, 0, 0],
};

describe("message status", () => {
  it("has the five statuses of the wire", () => {
    expect(MESSAGE_STATUSES).toEqual(ORDER);
  });

  it.each(ORDER.flatMap((from) => ORDER.map((to, column) => ({ from, to, allowed: MOVES[from][column] === 1 }))))(
    "$from -> $to: $allowed",
    ({ from, to, allowed }) => {
      expect(canMove(from, to)).toBe(allowed);
    },
  );

  it("is final when no move leads out", () => {
    expect(ORDER.filter(isFinal)).toEqual(["delivered", "failed", "undelivered"]);
  });

  it("raises one event per move, and none for pending", () => {
    expect(ORDER.map(eventTypeFor)).toEqual([
      null,
      "message.sent",
      "message.delivered",
      "message.failed",
      "message.failed",
    ]);
  });
});
