/** The operator and an owner change the daily spending caps of a customer, while it sends. */
import { between, type Chance, weighed } from "../faults/chance";
import { call } from "../world/console";
import { FIRST_CAPS, type Limited } from "../world/limited";
import { type Caller, note, untilAnswered } from "./sends";

/** A cap as those who set it know it. */
export type CapChange = {
  whose: "operator" | "owner";
  /** null: no cap. */
  micros: number | null;
  /** When it was first asked for: it cannot be in force earlier. */
  fromMs: number;
  /** When its response arrived: from then on it was in force; null: no response told, or an earlier try may take effect later. */
  knownMs: number | null;
};

type CapOrder = Omit<Caller, "customer">;

export type Caps = {
  /** In the order in which each person made them. */
  changes: CapChange[];
  /** Sets a cap, unless that person waits for a response. */
  change: (whose: CapChange["whose"], micros: number | null, order: CapOrder) => Promise<void>;
  /** Sets one of the caps to about what is spent. */
  changeByChance: (order: CapOrder & { spentMicros: number; chance: Chance }) => Promise<void>;
};

const MICROS = 1_000_000;
const STEP_MICROS = 10_000;

/** Mostly a little more than is spent, sometimes less, none, or nothing at all. */
const capFor = (spentMicros: number, chance: Chance): number | null =>
  weighed<number | null>(chance, [
    [70, spentMicros + STEP_MICROS * between(chance, 10, 60)],
    [18, Math.max(0, spentMicros - STEP_MICROS * between(chance, 1, 20))],
    [7, null],
    [5, 0],
  ]);

/** The caps of a customer, from the beginning on. */
export function createCaps({ capped, operator, owner }: Limited): Caps {
  const changes = (["operator", "owner"] as const).map(
    (whose): CapChange => ({ whose, micros: FIRST_CAPS[whose], fromMs: 0, knownMs: 0 }),
  );
  const waiting = new Set<CapChange["whose"]>();
  const callOf = (whose: CapChange["whose"], cap: number | null) =>
    whose === "owner"
      ? ({ person: owner, procedure: "accounts.setDailySpendCap", input: { daily_spend_cap: cap } } as const)
      : ({
          person: operator,
          procedure: "operator.limitAccount",
          input: {
            account_id: capped.accountId,
            allowed_countries: [],
            flood_identical: null,
            flood_total: null,
            daily_spend_cap: cap,
          },
        } as const);

  const change: Caps["change"] = async (whose, micros, { urlAt, turn, answers }) => {
    if (waiting.has(whose)) return;
    waiting.add(whose);
    const made: CapChange = { whose, micros, fromMs: Date.now(), knownMs: null };
    changes.push(made);
    let tries = 0;
    const { status } = await untilAnswered(async (at) => {
      tries += 1;
      const answer = await call({ url: urlAt(turn + at), ...callOf(whose, micros === null ? null : micros / MICROS) });
      note(answers, `cap by ${whose}`, answer);
      return answer;
    });
    if (status === 200 && tries === 1) made.knownMs = Date.now();
    waiting.delete(whose);
  };

  return {
    changes,
    change,
    changeByChance: ({ spentMicros, chance, ...order }) => {
      const whose = weighed<CapChange["whose"]>(chance, [
        [2, "owner"],
        [1, "operator"],
      ]);
      return change(whose, capFor(spentMicros, chance), order);
    },
  };
}
