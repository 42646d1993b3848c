/** The spending caps that may have been in force at a time, as far as the people who set them know. */
import type { CapChange } from "../load/caps";

/** Caps of one person that may have been in force between two times; null: none. */
function capsOf(
  changes: readonly CapChange[],
  whose: CapChange["whose"],
  fromMs: number,
  toMs: number,
): (number | null)[] {
  const own = changes.filter((change) => change.whose === whose);
  return own
    .filter((change, at) => {
      if (change.fromMs > toMs) return false;
      // A try without a response may take effect at any later time.
      if (change.knownMs === null) return true;
      const replaced = own.slice(at + 1).find(({ knownMs }) => knownMs !== null);
      return !replaced?.knownMs || replaced.knownMs >= fromMs;
    })
    .map(({ micros }) => micros);
}

/** Lower caps of both that may have been in force at some moment between two times; infinity: none. */
export function possibleCaps(changes: readonly CapChange[], fromMs: number, toMs: number): number[] {
  const operators = capsOf(changes, "operator", fromMs, toMs);
  const owners = capsOf(changes, "owner", fromMs, toMs);
  const orNone = (cap: number | null) => cap ?? Number.POSITIVE_INFINITY;
  return operators.flatMap((operator) => owners.map((owner) => Math.min(orNone(operator), orNone(owner))));
}
