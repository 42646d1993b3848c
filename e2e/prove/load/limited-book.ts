/** The book of the customers with limits, as they, their operator and their owner know it. */
import { type Happened, isCrash } from "../faults/faults";
import type { Snapshots } from "../world/snapshots";
import type { World } from "../world/world";
import type { CapChange } from "./caps";
import type { Credit } from "./credits";
import type { LimitedLoad } from "./limited-load";
import type { Load } from "./load";
import type { Send } from "./sends";

export type LimitedBook = {
  /** Ids of the accounts; `trial`: of the test mode. */
  poor: string;
  capped: string;
  trial: string;
  /** Balances at the beginning, by account. */
  openingsMicros: Readonly<Record<string, number>>;
  credits: readonly Credit[];
  caps: readonly CapChange[];
  trials: readonly Send[];
  balances: LimitedLoad["balances"];
  snapshots: Snapshots;
  /** Whether the database crashed: the sandbox may then have lost receipts, which it may. */
  hasCrashed: boolean;
};

/** @returns null when there are no such customers. */
export function limitedBook(
  { limited }: World,
  load: Load,
  snapshots: Snapshots | null,
  happened: readonly Happened[],
): LimitedBook | null {
  if (!limited || !load.limited || !snapshots) return null;
  const { poor, capped, trial, openingsMicros } = limited;
  const { credits, caps, trials, balances } = load.limited;
  return {
    poor: poor.accountId,
    capped: capped.accountId,
    trial: trial.accountId,
    openingsMicros,
    credits,
    caps,
    trials,
    balances,
    snapshots,
    hasCrashed: happened.some(isCrash),
  };
}
