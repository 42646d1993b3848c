/**
 * Inserts the messages of a large batch before it takes the admission locks. Inserting a thousand messages takes far longer than
 * deciding on them, and under the locks nothing else of their account could be accepted meanwhile. So the decision is made twice:
 * first without the locks, for the rows to insert, then under them. If the results differ, because money was spent or a quota used up
 * in between, the transaction is rolled back and the batch is accepted in the usual order.
 * docs/decisions/0048-large-batches-are-inserted-ahead.md
 */
import { SECOND_MS } from "../../core/clock";
import type { Defer, Tx } from "../../core/db";
import { metrics } from "../../core/metrics";
import { defineProcessValue } from "../../core/process";
import {
  type Acceptance,
  type AcceptedRequest,
  type AdmissionState,
  acceptedOf,
  decideAll,
  loadAdmissionState,
} from "./decide";
import { insertMessages, type NewMessage } from "./insert";

/** Below this many messages, deciding twice costs more than it gains. */
const AHEAD_FROM = 250;
/**
 * After a miss, batches take the usual order for a while, so that a caller that provokes misses cannot make the database insert
 * messages in vain all the time.
 */
const PAUSE_AFTER_MISS_MS = SECOND_MS;

/** The decision under the locks differs from the one before them. */
export class DecidedOtherwise extends Error {}

/** `until`: milliseconds of the process's monotonic clock. */
const pause = defineProcessValue("messages.insert_ahead", () => ({ until: Number.NEGATIVE_INFINITY }));

/** Notes that a batch was decided otherwise. */
export function noteMiss(): void {
  metrics().insertedInVain.inc();
  pause().until = performance.now() + PAUSE_AFTER_MISS_MS;
}

export const isWorthInsertingAhead = (batch: readonly Acceptance[]): boolean =>
  performance.now() >= pause().until && batch.reduce((sum, { messages }) => sum + messages.length, 0) >= AHEAD_FROM;

/** Decides on a batch without locks, and inserts the messages of the requests that would be accepted. */
export async function insertAhead(
  tx: Tx,
  defer: Defer,
  batch: readonly Acceptance[],
): Promise<{ requests: AcceptedRequest[]; state: AdmissionState }> {
  const state = await loadAdmissionState(tx, batch, { isAhead: true });
  const unanswered = batch.map((item) => ({ ...item, respond: () => null }));
  const requests = acceptedOf(decideAll(unanswered, state));
  const messages = messagesOf(requests);
  if (messages.length > 0) insertMessages(tx, defer, messages);
  return { requests, state };
}

const messagesOf = (requests: readonly AcceptedRequest[]): NewMessage[] =>
  requests.flatMap((request) => request.messages);

/** @throws DecidedOtherwise when the messages to store are not those that were inserted. */
export function requireSame(inserted: readonly AcceptedRequest[], decided: readonly AcceptedRequest[]): void {
  const [before, now] = [messagesOf(inserted), messagesOf(decided)];
  const isSame =
    before.length === now.length && before.every((message, at) => now[at] !== undefined && areSame(message, now[at]));
  if (!isSame) throw new DecidedOtherwise("The batch was decided otherwise under the locks.");
}

/** Compares what a decision gives a message; everything else comes from its request. */
const areSame = (one: NewMessage, other: NewMessage): boolean =>
  one.id === other.id &&
  one.status === other.status &&
  one.currency === other.currency &&
  one.errorCode === other.errorCode &&
  one.errorMessage === other.errorMessage &&
  one.scheduledAt?.getTime() === other.scheduledAt?.getTime();
