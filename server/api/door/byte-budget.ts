/** Limits the bytes of bodies that the process holds at once, in total and per caller. */

export type BudgetLimits = { totalBytes: number; perOwnerBytes: number };

/** Bytes held for one request. */
export type Lease = {
  /** Takes more bytes. @returns false when there are not enough; bytes taken before stay taken. */
  grow: (bytes: number) => boolean;
  /** Releases all bytes; may be called again. A released lease takes none any more. */
  release: () => void;
};

export type Budget = { open: (owner: string) => Lease };

/** A budget that no request can exceed, with a maximum share per owner. */
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
