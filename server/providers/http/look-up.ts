/** DNS look-ups of providers' names, which may take longer than the limit of a connection. */
import dns from "node:dns";
import type { LookupFunction } from "node:net";

/** Number of look-ups under way by name. */
const underWay = new Map<string, number>();

const count = (name: string, change: 1 | -1): void => {
  const next = (underWay.get(name) ?? 0) + change;
  if (next > 0) underWay.set(name, next);
  else underWay.delete(name);
};

/** Asks the system's resolver, for a connection. */
export const lookUp: LookupFunction = (name, options, callback) => {
  count(name, 1);
  dns.lookup(name, options, (...result) => {
    count(name, -1);
    callback(...result);
  });
};

/** Whether a name is being looked up. */
export const isBeingLookedUp = (name: string): boolean => underWay.has(name);
