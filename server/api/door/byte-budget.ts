/** How many bytes of bodies the process holds at once, over all callers and for each of them. */

export type BudgetLimits = { totalBytes: number; perOwnerBytes: number };

/** Bytes held for one request. */
export type Lease = {
  /** Takes more. @returns false when they are not to be had: what was taken before stays taken. */
  grow: (bytes: number) => boolean;
  /** Gives everything back; again is harmless, and a lease that was given back takes nothing any more. */
  release: () => void;
};

export type Budget = { open: (owner: string) => Lease };

/** A budget that no request can overdraw, and of which no owner has more than its share. */
export function openBudget({ totalBytes, perOwnerBytes }: BudgetLimits): Budget {
  let held = 0;
  const owners = new Map<string, number>();
  return {
    open: (owner) => {
      let own = 0;
      let isOver = false;
      const add = (bytes: number) => {
        held += bytes;
        own += bytes;
        const sum = (owners.get(owner) ?? 0) + bytes;
        if (sum > 0) owners.set(owner, sum);
        else owners.delete(owner);
      };
      return {
        grow: (bytes) => {
          if (isOver || held + bytes > totalBytes || (owners.get(owner) ?? 0) + bytes > perOwnerBytes) return false;
          add(bytes);
          return true;
        },
        release: () => {
          isOver = true;
          if (own > 0) add(-own);
        },
      };
    },
  };
}
