/** Checks, from the ledger in the order of its COMMITs, that no account spent more than its balance and its daily caps allowed. */
import type { Send } from "../load/sends";
import type { LedgerEntry } from "./books";
import { possibleCaps } from "./caps-in-force";
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";

const OVER_CAP = "daily_spend_cap";
/** Longest time from the decision on an entry to its COMMIT. */
const COMMITTED_WITHIN_MS = 40_000;

/** No balance was below zero after any entry, or in any response. */
function judgeBalances({ database, limited }: Evidence): string[] {
  const entries = [...groupBy(database.entries, ({ accountId }) => accountId)].flatMap(([accountId, own]) => {
    let balance = 0;
    const below = own.flatMap(({ kind, amountMicros, note, messageIds: [id] }) => {
      balance += amountMicros;
      return balance < 0 ? [`${accountId}: ${balance} after ${kind} of ${-amountMicros} ${id ?? note ?? ""}`] : [];
    });
    return below;
  });
  const credited = (limited?.credits ?? []).map(({ accountId, balanceMicros }) => ({
    accountId,
    micros: balanceMicros,
  }));
  const told = [...(limited?.balances ?? []), ...credited].flatMap(({ accountId, micros }) =>
    micros !== null && micros < 0 ? [`${accountId}: a balance of ${micros} was told`] : [],
  );
  return [...entries, ...told];
}

/** When each accepted message was accepted, as its caller knows. */
function acceptanceOf(sends: readonly Send[]): Map<string, { fromMs: number; toMs: number }> {
  return new Map(
    sends.flatMap(({ atMs, acceptedMs, messages }) =>
      (messages ?? []).map(({ id }) => [id, { fromMs: atMs, toMs: Math.ceil(atMs + (acceptedMs ?? 0)) + 1 }] as const),
    ),
  );
}

/** The spending of each day after each entry, net of refunds. */
function spendingOf(entries: readonly LedgerEntry[]): { entry: LedgerEntry; spentMicros: number }[] {
  const spent = new Map<string, number>();
  return entries
    .filter(({ kind }) => kind === "reserve" || kind === "refund")
    .map((entry) => {
      const spentMicros = (spent.get(entry.day ?? "") ?? 0) - entry.amountMicros;
      spent.set(entry.day ?? "", spentMicros);
      return { entry, spentMicros };
    });
}

/** Nothing was accepted that made the spending of its UTC day exceed the lower cap. */
function judgeCaps({ limited, database, sends }: Evidence): string[] {
  if (!limited) return [];
  const { capped, caps } = limited;
  const acceptances = acceptanceOf(sends);
  const spending = spendingOf(database.entries.filter(({ accountId }) => accountId === capped));
  return spending.flatMap(({ entry: { kind, messageIds }, spentMicros }) => {
    // All messages of an entry were accepted in one moment, with one cap.
    const known = kind === "reserve" ? messageIds.flatMap((id) => acceptances.get(id) ?? []) : [];
    const most = Math.min(...known.map(({ fromMs, toMs }) => Math.max(...possibleCaps(caps, fromMs, toMs))));
    return spentMicros > most ? [`${messageIds[0]}: ${spentMicros} were spent then, with a cap of ${most}`] : [];
  });
}

/**
 * A scheduled message fails by a cap only if the spending passed it: the most that was spent lately, less what the messages gave back
 * that failed just before it in the same transaction.
 */
export function judgeCapFailures({ limited, database, sends, history }: Evidence): string[] {
  if (!limited) return [];
  const { capped, caps } = limited;
  const spending = spendingOf(database.entries.filter(({ accountId }) => accountId === capped));
  const failed = new Map(database.messages.flatMap((each) => (each.errorCode === OVER_CAP ? [[each.id, each]] : [])));
  const dues = new Map(sends.flatMap(({ dueMs, messages }) => (messages ?? []).map(({ id }) => [id, dueMs] as const)));
  const ends = new Map(history.moves.map(({ messageId, atMs }) => [messageId, atMs]));
  const foreign = [...failed.values()].flatMap(({ id, accountId }) =>
    accountId === capped && dues.get(id) !== null ? [] : [`${id} failed by a cap, and was not scheduled or has none`],
  );
  let together = 0;
  const unjust = spending.flatMap(({ entry }, at) => {
    const [id = ""] = entry.messageIds;
    if (entry.kind !== "refund" || !failed.has(id)) return [];
    const before = spending.slice(0, at);
    const last = before.at(-1)?.entry;
    const isTogether = last?.kind === "refund" && failed.has(last.messageIds[0] ?? "") && last.atMs === entry.atMs;
    together = isTogether ? together + last.amountMicros : 0;
    // Costs that were there for certain when the message was checked, and all since.
    const from = before.findLastIndex((each) => each.entry.atMs <= entry.atMs - COMMITTED_WITHIN_MS);
    const spent = Math.max(0, ...before.slice(Math.max(0, from)).map(({ spentMicros }) => spentMicros)) - together;
    const least = Math.min(...possibleCaps(caps, dues.get(id) ?? 0, ends.get(id) ?? Number.POSITIVE_INFINITY));
    return spent > least ? [] : [`${id} failed by a cap of ${least} or more, when at most ${spent} were spent`];
  });
  return [...foreign, ...unjust];
}

/** No scheduled message went although its account's spending had exceeded every cap that may have been in force since it was due. */
function judgeDue({ limited, database, sends, history }: Evidence): string[] {
  if (!limited) return [];
  const { capped, caps } = limited;
  const own = sends.filter(({ accountId }) => accountId === capped);
  const entries = database.entries.filter(({ accountId, day }) => accountId === capped && day !== null);
  // Spending begins anew with a day.
  if (new Set(entries.map(({ day }) => day)).size > 1) return [];
  const refunds = entries.filter(({ kind }) => kind === "refund").reduce((sum, each) => sum + each.amountMicros, 0);
  const claims = new Map<string, number>();
  for (const { op, outcome, messageId, atMs } of history.attempts)
    if (op === "INSERT" && outcome !== "withdrawn" && !claims.has(messageId)) claims.set(messageId, atMs);
  return own.flatMap(({ dueMs, messages }) => {
    if (dueMs === null) return [];
    const before = own.filter(({ atMs, acceptedMs }) => acceptedMs !== null && atMs + acceptedMs < dueMs);
    const accepted = before.flatMap((send) => send.messages ?? []).reduce((sum, each) => sum + each.costMicros, 0);
    return (messages ?? []).flatMap(({ id }) => {
      const claimedMs = claims.get(id);
      if (claimedMs === undefined) return [];
      const most = Math.max(...possibleCaps(caps, dueMs, claimedMs));
      const least = accepted - refunds;
      return least > most ? [`${id} went with a cap of ${most}, after ${least} or more were spent`] : [];
    });
  });
}

export const judgeSpending = (evidence: Evidence): string[] => [
  ...judgeBalances(evidence),
  ...judgeCaps(evidence),
  ...judgeDue(evidence),
];
