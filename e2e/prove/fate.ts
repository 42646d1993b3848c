/** The fate of each number, by chance: how carriers treat its message on an ordinary day, and what they report. */
import type { Behaviour, Reported } from "@/e2e/support/carriers/carrier";
import { between, chanceOf, weighed } from "./chance";

/** One receipt, so long after the carrier took the message or sent the receipt before. */
export type PlannedReceipt = { afterMs: number; status: Reported };

/** Order and time of the receipts of a message. early: before the carrier's own answer. reversed: the final one first. */
type Manner = "plain" | "with-sent" | "early" | "twice" | "reversed" | "late";

const SLOW_MS = 500;

const endingOf = (seed: number, to: string): Reported =>
  weighed(chanceOf(`${seed} ending ${to}`), [
    [92, "delivered"],
    [5, "undelivered"],
    [3, "failed"],
  ]);

const mannerOf = (seed: number, to: string): Manner =>
  weighed(chanceOf(`${seed} manner ${to}`), [
    [50, "plain"],
    [20, "with-sent"],
    [8, "early"],
    [8, "twice"],
    [7, "reversed"],
    [7, "late"],
  ]);

/** The receipts of a message that a carrier took. The final one is always among them. */
export function receiptsFor(seed: number, to: string): PlannedReceipt[] {
  const chance = chanceOf(`${seed} receipts ${to}`);
  const final = endingOf(seed, to);
  const soon = between(chance, 100, 1_500);
  switch (mannerOf(seed, to)) {
    case "plain":
      return [{ afterMs: soon, status: final }];
    case "with-sent":
      return [
        { afterMs: soon, status: "sent" },
        { afterMs: between(chance, 0, 800), status: final },
      ];
    case "early":
      return [{ afterMs: 0, status: final }];
    case "twice":
      return [
        { afterMs: soon, status: final },
        { afterMs: between(chance, 0, 1_000), status: final },
      ];
    case "reversed":
      return [
        { afterMs: soon, status: final },
        { afterMs: between(chance, 0, 200), status: "sent" },
      ];
    case "late":
      return [{ afterMs: between(chance, 5_000, 15_000), status: final }];
  }
}

/**
 * What a carrier does with its request number `nth` for a number while nothing is wrong with the carrier as a whole.
 * @param timeoutMs how long the service waits for an answer.
 */
export function everydayBehaviour(
  seed: number,
  { to, carrier, nth, timeoutMs }: { to: string; carrier: string; nth: number; timeoutMs: number },
): Behaviour {
  const chance = chanceOf(`${seed} ${carrier} ${nth} ${to}`);
  // Its receipt is sent while the answer still waits.
  if (mannerOf(seed, to) === "early") return { kind: "slow", ms: SLOW_MS };
  return weighed<Behaviour>(chance, [
    [900, { kind: "accept" }],
    [50, { kind: "slow", ms: between(chance, 50, Math.floor(timeoutMs / 2)) }],
    [6, { kind: "slow", ms: timeoutMs + between(chance, 200, 1_500) }],
    [6, { kind: "hang" }],
    [3, { kind: "hang-unread" }],
    [4, { kind: "reset" }],
    [3, { kind: "reset-unread" }],
    [14, { kind: "refuse" }],
    [8, { kind: "unavailable" }],
    [6, { kind: "throttle" }],
  ]);
}
