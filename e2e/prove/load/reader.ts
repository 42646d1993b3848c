/** Customers' programs that read their messages: accepted messages exist, and no status goes back. */
import { between, type Chance } from "../faults/chance";
import type { Customer } from "../world/customers";
import { type Exchange, exchange } from "../world/exchange";

/** Findings of the readers that must never occur. */
export type Reading = { reads: number; missing: string[]; backwards: string[] };

type Known = { customer: Customer; id: string };
type Seen = { status: string; atMs: number };

export type Reader = {
  /** Adds an accepted message. */
  know: (customer: Customer, id: string) => void;
  /** An accepted message; null: there is none yet. */
  any: (chance: Chance) => Known | null;
  /** @returns null when there is nothing to read yet. */
  read: (
    what: "message" | "list" | "balance",
    customer: Customer,
    url: string,
    chance: Chance,
  ) => Promise<Exchange | null>;
  readings: () => Reading;
};

const RECENT = 2_000;
const NEXT: Readonly<Record<string, readonly string[]>> = {
  pending: ["pending", "sent", "delivered", "failed", "undelivered"],
  sent: ["sent", "delivered", "failed", "undelivered"],
};

/** Whether one status may follow another. */
export const mayFollow = (before: string, after: string): boolean => (NEXT[before] ?? [before]).includes(after);

export function createReader(): Reader {
  const known: Known[] = [];
  const seen = new Map<string, Seen>();
  const result: Reading = { reads: 0, missing: [], backwards: [] };

  /** Only a request made after another response can contradict that response. */
  function compare(id: string, status: string, askedAtMs: number): void {
    const before = seen.get(id);
    if (before && before.atMs < askedAtMs && !mayFollow(before.status, status)) {
      result.backwards.push(`${id}: ${before.status}, then ${status}`);
    }
    if (!before || before.atMs < askedAtMs) seen.set(id, { status, atMs: performance.now() });
  }

  const any = (chance: Chance): Known | null => known[between(chance, 0, known.length - 1)] ?? null;

  return {
    any,
    know: (customer, id) => {
      known.push({ customer, id });
      if (known.length > RECENT) known.shift();
    },
    read: async (what, customer, url, chance) => {
      const askedAtMs = performance.now();
      const some = what === "message" ? any(chance) : null;
      if (what === "message" && !some) return null;
      const path = some ? `/messages/${some.id}` : what === "list" ? "/messages?limit=20" : "/balance";
      const apiKey = (some?.customer ?? customer).apiKey;
      const answer = await exchange({ method: "GET", url: `${url}/api/v1${path}`, apiKey });
      result.reads += 1;
      if (some && answer.status === 404) result.missing.push(some.id);
      const data = answer.status === 200 ? answer.body?.data : null;
      const messages = (Array.isArray(data) ? data : [data]) as ({ id?: string; status?: string } | null)[];
      if (what !== "balance") {
        for (const message of messages) {
          if (message?.id && message.status) compare(message.id, message.status, askedAtMs);
        }
      }
      return answer;
    },
    readings: () => result,
  };
}
