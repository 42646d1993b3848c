/** Checks that no cent has drifted: ledger, balance, messages and counters of each account agree. */
import type { AccountBook, MessageLedger, StoredMessage } from "./books";
import type { Evidence } from "./evidence";
import { creditedMicros } from "./judge-credits";

/** Ledger entries that a message must have. */
function expectedKinds({ status, costMicros }: StoredMessage): string {
  if (status === "pending") return "reserve";
  return status === "failed" && costMicros === 0 ? "reserve,refund" : "reserve,settle";
}

function judgeMessage(
  message: StoredMessage,
  ledger: MessageLedger | undefined,
  pricesMicros: readonly number[],
): string[] {
  const { id, status, costMicros, segments } = message;
  const problems: string[] = [];
  const kinds = ledger?.kinds.join(",") ?? "none";
  // A message refused at acceptance was never charged.
  if (kinds === "none" && status === "failed" && costMicros === 0) return [];
  if (kinds !== expectedKinds(message)) problems.push(`${id} is ${status} and has the entries ${kinds}`);
  if ((ledger?.amountMicros ?? 0) !== -costMicros)
    problems.push(`${id} costs ${costMicros}, its entries say otherwise`);
  if ((ledger?.reservedMicros ?? 0) !== (status === "pending" ? costMicros : 0)) problems.push(`${id} holds money`);
  if (costMicros !== 0 && !pricesMicros.some((price) => costMicros === segments * price))
    problems.push(`${id} has a wrong price`);
  return problems;
}

/** @param paidInMicros the opening balance and all credits. */
function judgeAccount(book: AccountBook, messages: readonly StoredMessage[], paidInMicros: number): string[] {
  const { accountId, balanceMicros, reservedMicros, ledgerMicros, ledgerReservedMicros, usage } = book;
  const cost = messages.reduce((sum, message) => sum + message.costMicros, 0);
  const held = messages.reduce((sum, { status, costMicros }) => sum + (status === "pending" ? costMicros : 0), 0);
  const countOf = (status: string) => messages.filter((message) => message.status === status).length;
  const pairs: [what: string, is: number, must: number][] = [
    ["balance, by the ledger", balanceMicros, ledgerMicros],
    ["balance, by the messages", balanceMicros, paidInMicros - cost],
    ["held, by the ledger", reservedMicros, ledgerReservedMicros],
    ["held, by the messages", reservedMicros, held],
    ["usage: cost", usage.costMicros, cost],
    ["usage: messages", usage.messages, messages.length],
    ...(["pending", "sent", "delivered", "failed", "undelivered"] as const).map((status): [string, number, number] => [
      `usage: ${status}`,
      usage[status],
      countOf(status),
    ]),
  ];
  return pairs.flatMap(([what, is, must]) => (is === must ? [] : [`${accountId}: ${what} is ${is}, not ${must}`]));
}

/** A message costs the price that its caller was told at acceptance, or nothing. */
function judgeTold(sends: Evidence["sends"], messages: readonly StoredMessage[]): string[] {
  const told = new Map(sends.flatMap((send) => (send.messages ?? []).map(({ id, costMicros }) => [id, costMicros])));
  return messages.flatMap(({ id, costMicros }) => {
    const own = told.get(id);
    return own === undefined || costMicros === 0 || costMicros === own
      ? []
      : [`${id} costs ${costMicros}, its caller was told ${own}`];
  });
}

/** Sums that differ, described. */
export function judgeMoney(evidence: Evidence): string[] {
  const { database, openingMicros, pricesMicros, sends, limited, ownCheck } = evidence;
  const paidInMicros = (accountId: string) =>
    (limited?.openingsMicros[accountId] ?? openingMicros) + creditedMicros(evidence, accountId);
  const customers = new Set(sends.map(({ accountId }) => accountId));
  const ledgers = new Map(database.ledger.map((ledger) => [ledger.messageId, ledger]));
  const known = new Set(database.messages.map(({ id }) => id));
  return [
    ...(/"drifted":\s*\[\]/.test(ownCheck) ? [] : [`the service's own check: ${ownCheck.trim().slice(0, 300)}`]),
    ...database.messages.flatMap((message) => judgeMessage(message, ledgers.get(message.id), pricesMicros)),
    ...judgeTold(sends, database.messages),
    ...database.ledger.flatMap(({ messageId }) =>
      known.has(messageId) ? [] : [`${messageId} was charged and is not there`],
    ),
    ...database.accounts
      .filter(({ accountId }) => customers.has(accountId))
      .flatMap((book) =>
        judgeAccount(
          book,
          database.messages.filter(({ accountId }) => accountId === book.accountId),
          paidInMicros(book.accountId),
        ),
      ),
    ...(limited?.snapshots.drifted ?? []),
  ];
}
