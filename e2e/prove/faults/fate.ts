/** The fate of each number, chosen at random: how carriers treat its message without a fault, and their receipts. */
import type { Behavior, Reported } from "@/test/carriers/carrier";
import { between, chanceOf, weighed } from "./chance";

/** One receipt, with its delay after the acceptance or after the previous receipt. */
export type PlannedReceipt = { afterMs: number; status: Reported };

/** Order of a message's receipts. early: before the carrier's response. reversed: the final one first. */
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

/** The receipts of a message that a carrier took, always including the final one. */
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
 * A carrier's behavior for the `nth` request of a number while the carrier itself has no fault.
 * @param timeoutMs the service's timeout for a response.
 */
export function everydayBehavior(
  seed: number,
  { to, carrier, nth, timeoutMs }: { to: string; carrier: string; nth: number; timeoutMs: number },
): Behavior {
  const chance = chanceOf(`${seed} ${carrier} ${nth} ${to}`);
  // Its receipt is sent before the response.
  if (mannerOf(seed, to) === "early") return { kind: "slow", ms: SLOW_MS };
  return weighed<Behavior>(chance, [
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
