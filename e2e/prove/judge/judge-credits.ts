/** Checks that each credit is in the ledger once, as the operator was told, and that every refusal for lack of money had a reason. */
import { CREDIT_NOTE, type Credit } from "../load/credits";
import type { Shortage } from "../load/sends";
import type { LedgerEntry } from "./books";
import { possibleCaps } from "./caps-in-force";
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";

const MICROS = 1_000_000;
const WOULD_BE_NEGATIVE = "balance_would_be_negative";

const microsOf = (value: unknown): number => (typeof value === "number" ? Math.round(value * MICROS) : Number.NaN);

function judgeCredit({ note, accountId, amountMicros, result }: Credit, found: readonly LedgerEntry[]): string[] {
  const strange = found.filter((entry) => entry.accountId !== accountId || entry.amountMicros !== amountMicros);
  const most = result === "refused" ? 0 : 1;
  const least = result === "booked" ? 1 : 0;
  return [
    ...strange.map(
      (entry) => `${note} of ${amountMicros} is in the ledger as ${entry.amountMicros} of ${entry.accountId}`,
    ),
    ...(found.length > most || found.length < least
      ? [`${note} of ${amountMicros}, ${result ?? "without a response"}, is in the ledger ${found.length} times`]
      : []),
  ];
}

/** Each credit is in the ledger once if it was booked, never if it was refused, and no other is there but the opening balance. */
export function judgeCredits({ limited, database }: Evidence): string[] {
  if (!limited) return [];
  const { credits, openingsMicros } = limited;
  const booked = database.entries.filter(({ kind, accountId }) => kind === "credit" && accountId in openingsMicros);
  const notes = new Set(credits.map(({ note }) => note));
  const byNote = groupBy(booked, ({ note }) => note ?? "");
  const others = booked.filter(({ note }) => !notes.has(note ?? ""));
  return [
    ...judgeAudits(database),
    ...credits.flatMap((credit) => judgeCredit(credit, byNote.get(credit.note) ?? [])),
    ...Object.entries(openingsMicros).flatMap(([accountId, opening]) => {
      const found = others.filter((entry) => entry.accountId === accountId).map(({ amountMicros }) => amountMicros);
      return found.length === 1 && found[0] === opening
        ? []
        : [
            `${accountId} has the credits ${found.join(", ") || "none"} that nobody made, not its opening of ${opening}`,
          ];
    }),
  ];
}

/** The audit log names each booked credit once, with the balances before and after it. */
function judgeAudits({ entries, creditAudits }: Evidence["database"]): string[] {
  const audits = groupBy(creditAudits, ({ note }) => note);
  const balances = new Map<string, number>();
  const booked = new Set<string>();
  const wrong = entries.flatMap(({ accountId, kind, amountMicros, note }) => {
    const before = balances.get(accountId) ?? 0;
    const after = before + amountMicros;
    balances.set(accountId, after);
    if (kind !== "credit" || note === null || !note.startsWith(CREDIT_NOTE)) return [];
    booked.add(note);
    const own = audits.get(note) ?? [];
    const isRight = own.length === 1 && own[0]?.beforeMicros === before && own[0].afterMicros === after;
    return isRight
      ? []
      : [`${note} moved ${accountId} from ${before} to ${after}, and was audited ${JSON.stringify(own)}`];
  });
  const unbooked = [...audits.keys()].filter((note) => !booked.has(note));
  return [...wrong, ...unbooked.map((note) => `${note} was audited, and is not in the ledger`)];
}

/** The sum of the credits of an account that were booked, or may have been and are in the ledger. */
export function creditedMicros({ limited, database }: Evidence, accountId: string): number {
  const notes = new Set(database.entries.map(({ note }) => note));
  return (limited?.credits ?? [])
    .filter((credit) => credit.accountId === accountId)
    .filter(({ result, note }) => result === "booked" || (result === null && notes.has(note)))
    .reduce((sum, { amountMicros }) => sum + amountMicros, 0);
}

/** Whether a refusal by the cap is justified by its own words, and names a cap that may have been in force. */
function isJustified({ kind, details, atMs, knownMs }: Shortage, caps: Parameters<typeof possibleCaps>[0]): boolean {
  if (kind === "balance") {
    const [required, balance] = [microsOf(details.required), microsOf(details.balance)];
    return balance >= 0 && required > balance;
  }
  const [limit, spent, requested] = [microsOf(details.limit), microsOf(details.spent), microsOf(details.requested)];
  return spent >= 0 && spent + requested > limit && possibleCaps(caps, atMs, knownMs).includes(limit);
}

/** Refusals for lack of money that had no reason. */
export function judgeRefusals({ limited, sends }: Evidence): string[] {
  const credits = (limited?.credits ?? []).flatMap(({ note, amountMicros, result, reason, balanceMicros }) => {
    if (result !== "refused") return [];
    const isRight = reason === WOULD_BE_NEGATIVE && balanceMicros !== null && balanceMicros + amountMicros < 0;
    return isRight ? [] : [`${note} of ${amountMicros} was refused: ${reason}, at a balance of ${balanceMicros}`];
  });
  const shortages = sends.flatMap(({ accountId, reference, key, shortages: own }) =>
    (own ?? []).flatMap((shortage) => {
      const { kind, details } = shortage;
      // See judge-quotas.ts.
      if (kind === "quota") return [];
      const hasLimits = kind === "cap" ? accountId === limited?.capped : limited && accountId in limited.openingsMicros;
      return hasLimits && isJustified(shortage, limited?.caps ?? [])
        ? []
        : [`${reference ?? key} of ${accountId} was refused for its ${kind}: ${JSON.stringify(details)}`];
    }),
  );
  return [...credits, ...shortages];
}
