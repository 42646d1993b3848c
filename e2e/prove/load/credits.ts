/** The operator credits an account at the console, and repeats a credit whose response was lost. */
import { between, type Chance, weighed } from "../faults/chance";
import { call, type Person } from "../world/console";
import type { Customer } from "../world/customers";
import { type Caller, detailsOf, note, untilAnswered } from "./sends";

/** A credit as the operator knows it. */
export type Credit = {
  accountId: string;
  /** Unique among all credits; the ledger keeps it. */
  note: string;
  /** Negative: money is taken off the balance. */
  amountMicros: number;
  /** booked: a 200. refused: a 4xx. null: no response told. */
  result: "booked" | "refused" | null;
  /** The reason of the refusal; null: none. */
  reason: string | null;
  /** The balance that a response named; null: none did. */
  balanceMicros: number | null;
};

type CreditOrder = Omit<Caller, "customer"> & { operator: Person; customer: Customer; number: string; chance: Chance };

/** The beginning of each note. */
export const CREDIT_NOTE = "credit-";
const MICROS = 1_000_000;
const STEP_MICROS = 10_000;
/** Share of the credits whose first response the operator does not wait for. */
const IMPATIENT_SHARE = 0.3;

/** Mostly enough for a few messages, sometimes for a large bulk, and sometimes a correction downwards. */
const amountOf = (chance: Chance): number =>
  STEP_MICROS *
  weighed(chance, [
    [80, between(chance, 1, 5)],
    [2, between(chance, 50, 150)],
    [18, -between(chance, 2, 15)],
  ]);

/** Credits a customer once, however often the request is repeated with its key. @returns the credit as the operator knows it. */
export async function credit({
  operator,
  customer,
  number,
  chance,
  urlAt,
  turn,
  answers,
}: CreditOrder): Promise<Credit> {
  const { accountId } = customer;
  const amountMicros = amountOf(chance);
  const made = { accountId, note: `${CREDIT_NOTE}${number}`, amountMicros };
  const input = { account_id: accountId, amount: amountMicros / MICROS, note: made.note };
  const firstAbort = chance() < IMPATIENT_SHARE ? between(chance, 1, 60) : null;
  const answer = await untilAnswered(async (at) => {
    const abortAfterMs = at === 0 ? firstAbort : null;
    const request = { procedure: "operator.credit", input, idempotencyKey: `key-${made.note}`, abortAfterMs };
    const tried = await call({ url: urlAt(turn + at), person: operator, ...request });
    if (abortAfterMs === null || tried.status !== null) note(answers, "credit", tried);
    return tried;
  });
  const { status, body } = answer;
  const { reason, balance: left } = detailsOf(answer);
  const balance = (body?.data as { balance?: number } | undefined)?.balance ?? left;
  const result = status === 200 ? "booked" : status !== null && status >= 400 && status < 500 ? "refused" : null;
  return {
    ...made,
    result,
    reason: typeof reason === "string" ? reason : null,
    balanceMicros: typeof balance === "number" ? Math.round(balance * MICROS) : null,
  };
}
