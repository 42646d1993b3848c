/** Checks that test messages reach no carrier, cost nothing, and end as their numbers say (docs/scenario-numbers.md). */

import type { LimitedBook } from "../load/limited-book";
import type { StoredMessage } from "./books";
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";

const UNKNOWN = "provider_outcome_unknown";
const PLAY_MONEY_MICROS = 1_000_000_000;
const ENDINGS: Readonly<Record<string, StoredMessage["status"]>> = {
  "+15550100003": "failed",
  "+15550100004": "failed",
  "+15550100005": "failed",
  "+15550100009": "undelivered",
};

/** Whether a message ended as its number says, or as faults allow. */
function endedRightly(
  { id, to, status, errorCode }: StoredMessage,
  { hasCrashed }: LimitedBook,
  evidence: Evidence,
): boolean {
  if (status === (ENDINGS[to] ?? "delivered")) return true;
  // The worker died while it was being sent.
  if (status === "failed" && errorCode === UNKNOWN)
    return evidence.database.attempts.some(({ messageId, begun }) => messageId === id && begun !== false);
  return status === "sent" && hasCrashed;
}

function judgeMessages(evidence: Evidence, limited: LimitedBook): string[] {
  const { requests, taken, database } = evidence;
  const asked = new Set([...requests, ...taken].map(({ to }) => to));
  const charged = new Set(database.ledger.map(({ messageId }) => messageId));
  return database.testMessages.flatMap((message) => {
    const { id, to, accountId, costMicros, status, errorCode, facts } = message;
    return [
      ...(asked.has(to) ? [`${id} to ${to} was given to a carrier`] : []),
      ...(costMicros !== 0 || charged.has(id) ? [`${id} costs ${costMicros}, or has entries in the ledger`] : []),
      ...(accountId === limited.trial ? [] : [`${id} is of ${accountId}`]),
      ...(endedRightly(message, limited, evidence) ? [] : [`${id} to ${to} is ${status} ${errorCode ?? facts ?? ""}`]),
    ];
  });
}

/** Each accepted send is stored, and each request once. */
function judgeAccepted({ database }: Evidence, { trials }: LimitedBook): string[] {
  const stored = new Map(database.testMessages.map((message) => [message.id, message]));
  const sent = trials.flatMap(({ key, reference, messages, refused }) => [
    ...(messages ?? []).flatMap(({ id, to, costMicros }) =>
      stored.get(id)?.to === to && costMicros === 0
        ? []
        : [`${id} to ${to} was accepted for ${costMicros} and is not so`],
    ),
    ...(refused ? [`${reference} was refused`] : []),
    ...(key !== null && messages === null && !refused ? [`${reference} never got a response`] : []),
  ]);
  const twice = [...groupBy(database.testMessages, ({ reference }) => reference ?? "")].flatMap(([reference, own]) =>
    own.length > 1 ? [`${reference} is there ${own.length} times`] : [],
  );
  return [...sent, ...twice];
}

/** The play money stays, and usage counts the messages. */
function judgeAccount({ database }: Evidence, { trial }: LimitedBook): string[] {
  const book = database.accounts.find(({ accountId }) => accountId === trial);
  const pairs: [what: string, is: number | undefined, must: number][] = [
    ["balance", book?.balanceMicros, PLAY_MONEY_MICROS],
    ["balance, by the ledger", book?.ledgerMicros, PLAY_MONEY_MICROS],
    ["held", book?.reservedMicros, 0],
    ["usage: cost", book?.usage.costMicros, 0],
    ["usage: messages", book?.usage.messages, database.testMessages.length],
  ];
  return pairs.flatMap(([what, is, must]) => (is === must ? [] : [`test mode: ${what} is ${is}, not ${must}`]));
}

export function judgeTestMode(evidence: Evidence): string[] {
  const { limited } = evidence;
  if (!limited) return evidence.database.testMessages.map(({ id }) => `${id} was sent by nobody`);
  return [...judgeMessages(evidence, limited), ...judgeAccepted(evidence, limited), ...judgeAccount(evidence, limited)];
}
