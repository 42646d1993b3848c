/**
 * The only place where a message's status moves. A change writes the message, its ledger entries, its counters, its
 * events with their deliveries and jobs, all in the caller's transaction.
 */
import { lockAccounts, postMoney } from "../accounts/store";
import { now, utcDay } from "../core/clock";
import { beforeCommit, onCommit, type Tx } from "../core/db";
import { noteChange } from "../core/live";
import { textArray, unnest } from "../core/unnest";
import { observeMoves } from "../observability/messages";
import { recordEvents } from "../webhooks/delivery/outbox";
import { uncountDue } from "./due/due-spending";
import { applySuperseded } from "./receipts/superseded";
import type { MessageStatus } from "./status";
import { type Folded, foldSteps, type LockedMessage, type Step, timeOfStep } from "./steps";

/** Steps of a message, in order. `attempts`: how many were made so far. */
export type Change = { message: LockedMessage; attempts: number; steps: Step[] };

/** Locks messages in the order of their ids; ids that do not exist are left out. */
export async function lockMessages(tx: Tx, ids: Iterable<string>): Promise<Map<string, LockedMessage>> {
  const { rows } = await tx.query<LockedMessage>({
    name: "messages.lock",
    text: `SELECT id, account_id AS "accountId", status, cost_micros AS "costMicros", chain, created_at AS "createdAt",
             scheduled_at AS "scheduledAt", sent_at AS "sentAt"
           FROM messages WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`,
    values: [textArray(new Set(ids))],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** A change with at least one step that applies. */
type AppliedChange = Folded & { message: LockedMessage; attempts: number; isRefunded: boolean };

/** Whether the message would fail as one that no provider took, after an attempt. */
const failsUntaken = ({ message, attempts, steps: [first] }: Change): boolean =>
  message.status === "pending" && first?.to === "failed" && attempts > 0;

/**
 * Replaces the steps of messages that would fail untaken, although a receipt shows that a provider took them: they fail as
 * that receipt says. To be awaited before {@link applyChanges}. The messages must be locked.
 */
export async function withSuperseded(tx: Tx, changes: readonly Change[]): Promise<Change[]> {
  const failing = changes.filter(failsUntaken).map(({ message }) => message.id);
  if (failing.length === 0) return [...changes];
  const steps = await applySuperseded(tx, failing, now());
  return changes.map((change) => ({ ...change, steps: steps.get(change.message.id) ?? change.steps }));
}

/**
 * Applies the steps that move their message forward, and drops the others (late or repeated receipts). The messages must
 * be locked, and each may appear once. Its statements are sent before it returns control: whatever a caller sends next, such
 * as the joining of parked receipts, finds the messages moved. Money and counters follow right before COMMIT.
 * @returns the steps that were applied, by identity the ones of `changes`.
 */
export async function applyChanges(tx: Tx, changes: readonly Change[]): Promise<Step[]> {
  const applied = changes.flatMap(({ message, attempts, steps }): AppliedChange[] => {
    const { status, steps: applicable, moves, events } = foldSteps(message, steps);
    const isRefunded = moves.some(({ kind }) => kind === "refund");
    return applicable.length === 0 ? [] : [{ message, attempts, status, steps: applicable, moves, events, isRefunded }];
  });
  if (applied.length === 0) return [];
  onCommit(tx, () => {
    observeMoves(applied);
    for (const { message } of applied) noteChange(message.accountId, "messages");
  });
  moveBooksLater(tx, applied);
  // Pipelined: the statements reach the database in this order.
  await Promise.all([
    updateMessages(tx, applied),
    recordEvents(
      tx,
      applied.flatMap((change) => change.events),
    ),
  ]);
  return applied.flatMap(({ steps }) => steps);
}

const waitingBooks = new WeakMap<Tx, AppliedChange[]>();

/**
 * Moves the books of all changes of the transaction together: if accounts were locked for one set of changes after another, they
 * would be locked out of order.
 */
function moveBooksLater(tx: Tx, changes: readonly AppliedChange[]): void {
  const waiting = waitingBooks.get(tx);
  if (waiting) {
    waiting.push(...changes);
    return;
  }
  const all = [...changes];
  waitingBooks.set(tx, all);
  beforeCommit(tx, () => moveBooks(tx, all));
}

/** Moves money and counters. No transaction locks messages after accounts. */
const moveBooks = (tx: Tx, changes: readonly AppliedChange[]): Promise<unknown> =>
  Promise.all([
    lockAccounts(
      tx,
      changes.map(({ message }) => message.accountId),
    ),
    postMoney(
      tx,
      changes.flatMap((change) => change.moves),
    ),
    moveCounters(tx, changes),
    uncountLater(tx, changes),
  ]);

/** Takes refunded messages out of what counts towards the cap of a day after that of their acceptance, if they were scheduled. */
async function uncountLater(tx: Tx, changes: readonly AppliedChange[]): Promise<void> {
  const refunded = changes.flatMap(({ message, isRefunded }) =>
    isRefunded && message.scheduledAt !== null ? [message] : [],
  );
  if (refunded.length > 0) await uncountDue(tx, refunded);
}

/** The last value that one of the steps carries, or null. */
const lastOf = <Value>(steps: readonly Step[], read: (step: Step) => Value | undefined): Value | null =>
  steps.reduce<Value | null>((found, step) => read(step) ?? found, null);

const timeOf = ({ message, steps }: AppliedChange, status: MessageStatus, other = status): string | null =>
  lastOf(steps, (step) =>
    step.to === status || step.to === other ? timeOfStep(message, step).toISOString() : undefined,
  );

const APPLIED = unnest<AppliedChange>({
  id: ["text", ({ message }) => message.id],
  status: ["text", ({ status }) => status],
  provider: ["text", ({ steps }) => lastOf(steps, (step) => step.provider)],
  provider_message_id: ["text", ({ steps }) => lastOf(steps, (step) => step.providerMessageId)],
  attempts: ["int2", ({ attempts }) => attempts],
  error_code: ["text", ({ steps }) => lastOf(steps, (step) => step.error?.code)],
  error_message: ["text", ({ steps }) => lastOf(steps, (step) => step.error?.message)],
  sent_at: ["timestamptz", (change) => timeOf(change, "sent")],
  delivered_at: ["timestamptz", (change) => timeOf(change, "delivered")],
  failed_at: ["timestamptz", (change) => timeOf(change, "failed", "undelivered")],
  refunded: ["bool", ({ isRefunded }) => isRefunded],
});

async function updateMessages(tx: Tx, changes: readonly AppliedChange[]): Promise<void> {
  await tx.query({
    name: "messages.move",
    text: `UPDATE messages m SET status = u.status, provider = COALESCE(u.provider, m.provider),
             provider_message_id = COALESCE(u.provider_message_id, m.provider_message_id),
             attempts = GREATEST(m.attempts, u.attempts), error_code = COALESCE(u.error_code, m.error_code),
             error_message = COALESCE(u.error_message, m.error_message), sent_at = COALESCE(m.sent_at, u.sent_at),
             delivered_at = COALESCE(m.delivered_at, u.delivered_at), failed_at = COALESCE(m.failed_at, u.failed_at),
             cost_micros = CASE WHEN u.refunded THEN 0 ELSE m.cost_micros END
           FROM ${APPLIED.as("u")} WHERE m.id = u.id`,
    values: APPLIED.values(changes),
  });
}

/** Changes of an account's counters of one UTC day: messages by status, and events by type. */
type DayDelta = {
  accountId: string;
  day: string;
  costMicros: bigint;
  messages: Record<MessageStatus, number>;
  events: { sent: number; delivered: number; failed: number };
};

/** The event counter of a step; `undelivered` raises `message.failed`. */
const eventCounterOf = ({ to }: Step): keyof DayDelta["events"] =>
  to === "sent" || to === "delivered" ? to : "failed";

/** Sums the changes of the counters of the days on which the messages were accepted. */
function dayDeltas(changes: readonly AppliedChange[]): DayDelta[] {
  const deltas = new Map<string, DayDelta>();
  for (const { message, status, steps, isRefunded } of changes) {
    const day = utcDay(message.createdAt);
    const key = `${message.accountId} ${day}`;
    const delta = deltas.get(key) ?? {
      accountId: message.accountId,
      day,
      costMicros: 0n,
      messages: { pending: 0, sent: 0, delivered: 0, failed: 0, undelivered: 0 },
      events: { sent: 0, delivered: 0, failed: 0 },
    };
    deltas.set(key, delta);
    delta.messages[message.status] -= 1;
    delta.messages[status] += 1;
    if (isRefunded) delta.costMicros -= message.costMicros;
    for (const step of steps) delta.events[eventCounterOf(step)] += 1;
  }
  return [...deltas.values()];
}

const DAY_DELTAS = unnest<DayDelta>({
  account_id: ["text", ({ accountId }) => accountId],
  day: ["date", ({ day }) => day],
  cost: ["int8", ({ costMicros }) => costMicros],
  pending: ["int4", ({ messages }) => messages.pending],
  sent: ["int4", ({ messages }) => messages.sent],
  delivered: ["int4", ({ messages }) => messages.delivered],
  failed: ["int4", ({ messages }) => messages.failed],
  undelivered: ["int4", ({ messages }) => messages.undelivered],
  events_sent: ["int4", ({ events }) => events.sent],
  events_delivered: ["int4", ({ events }) => events.delivered],
  events_failed: ["int4", ({ events }) => events.failed],
});

async function moveCounters(tx: Tx, changes: readonly AppliedChange[]): Promise<void> {
  await tx.query({
    name: "messages.move_counters",
    text: `UPDATE usage_days u SET cost_micros = u.cost_micros + d.cost, pending = u.pending + d.pending,
             sent = u.sent + d.sent, delivered = u.delivered + d.delivered, failed = u.failed + d.failed,
             undelivered = u.undelivered + d.undelivered, events_sent = u.events_sent + d.events_sent,
             events_delivered = u.events_delivered + d.events_delivered, events_failed = u.events_failed + d.events_failed
           FROM ${DAY_DELTAS.as("d")} WHERE u.account_id = d.account_id AND u.day = d.day`,
    values: DAY_DELTAS.values(dayDeltas(changes)),
  });
}
