/**
 * The only place where a message's status moves. A change writes the message, its ledger entries, its counters, its
 * events with their deliveries and jobs, all in the caller's transaction.
 */
import { lockAccounts, type MoneyMove, postMoney } from "../accounts/store";
import { utcDay } from "../core/clock";
import type { Tx } from "../core/db";
import { recordEvents, type StatusEvent } from "../webhooks/outbox";
import type { MessageStatus } from "./status";
import { foldSteps } from "./steps";

/** A message locked for change. */
export type LockedMessage = {
  id: string;
  accountId: string;
  status: MessageStatus;
  costMicros: bigint;
  chain: string[];
  createdAt: Date;
};

/** Carrier of a message that moves to `sent`; error of one that fails. */
export type Step = {
  to: MessageStatus;
  at: Date;
  provider?: string;
  providerMessageId?: string;
  error?: { code: string; message: string };
};

export type Change = { message: LockedMessage; attempts: number; steps: Step[] };

/** Locks messages in the order of their ids; ids that do not exist are left out. */
export async function lockMessages(tx: Tx, ids: Iterable<string>): Promise<Map<string, LockedMessage>> {
  const { rows } = await tx.query<LockedMessage>({
    name: "messages.lock",
    text: `SELECT id, account_id AS "accountId", status, cost_micros AS "costMicros", chain, created_at AS "createdAt"
           FROM messages WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`,
    values: [[...new Set(ids)]],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

type Final = { change: Change; status: MessageStatus; steps: Step[]; refunded: boolean };

/**
 * Applies the steps of every change that are moves forward, and drops the others (late or repeated receipts).
 * Each message may appear once. @returns per change how many of its steps were applied.
 */
export async function applyChanges(tx: Tx, changes: readonly Change[]): Promise<number[]> {
  const finals: Final[] = [];
  const moves: MoneyMove[] = [];
  const events: StatusEvent[] = [];
  const applied = changes.map((change) => {
    const { status, steps, ...raised } = foldSteps(change.message, change.steps);
    moves.push(...raised.moves);
    events.push(...raised.events);
    const refunded = raised.moves.some((move) => move.kind === "refund");
    if (steps.length > 0) finals.push({ change, status, steps, refunded });
    return steps.length;
  });
  if (finals.length > 0) {
    // Pipelined: they reach the database in this order, the locks first.
    await Promise.all([
      lockAccounts(
        tx,
        finals.map((final) => final.change.message.accountId),
      ),
      updateMessages(tx, finals),
      postMoney(tx, moves),
      moveCounters(tx, finals),
      recordEvents(tx, events),
    ]);
  }
  return applied;
}

const lastOf = <Value>(steps: Step[], read: (step: Step) => Value | undefined): Value | null =>
  steps.reduce<Value | null>((found, step) => read(step) ?? found, null);

const timeOf = (steps: Step[], ...states: MessageStatus[]): string | null =>
  lastOf(steps, (step) => (states.includes(step.to) ? step.at.toISOString() : undefined));

async function updateMessages(tx: Tx, finals: Final[]): Promise<void> {
  await tx.query({
    name: "messages.move",
    text: `UPDATE messages m SET status = u.status, provider = COALESCE(u.provider, m.provider),
             provider_message_id = COALESCE(u.provider_message_id, m.provider_message_id),
             attempts = GREATEST(m.attempts, u.attempts), error_code = COALESCE(u.error_code, m.error_code),
             error_message = COALESCE(u.error_message, m.error_message), sent_at = COALESCE(m.sent_at, u.sent_at),
             delivered_at = COALESCE(m.delivered_at, u.delivered_at), failed_at = COALESCE(m.failed_at, u.failed_at),
             cost_micros = CASE WHEN u.refunded THEN 0 ELSE m.cost_micros END
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int2[], $6::text[], $7::text[],
             $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::bool[])
           AS u (id, status, provider, provider_message_id, attempts, error_code, error_message, sent_at, delivered_at,
             failed_at, refunded)
           WHERE m.id = u.id`,
    values: [
      finals.map((final) => final.change.message.id),
      finals.map((final) => final.status),
      finals.map((final) => lastOf(final.steps, (step) => step.provider)),
      finals.map((final) => lastOf(final.steps, (step) => step.providerMessageId)),
      finals.map((final) => final.change.attempts),
      finals.map((final) => lastOf(final.steps, (step) => step.error?.code)),
      finals.map((final) => lastOf(final.steps, (step) => step.error?.message)),
      finals.map((final) => timeOf(final.steps, "sent")),
      finals.map((final) => timeOf(final.steps, "delivered")),
      finals.map((final) => timeOf(final.steps, "failed", "undelivered")),
      finals.map((final) => final.refunded),
    ],
  });
}

const COUNTED = ["pending", "sent", "delivered", "failed", "undelivered"] as const;

type DayDelta = { accountId: string; day: string; cost: bigint; counts: number[]; events: [number, number, number] };

/** Moves the messages between the counters of the day on which they were accepted. */
async function moveCounters(tx: Tx, finals: Final[]): Promise<void> {
  const days = new Map<string, DayDelta>();
  for (const { change, status, steps, refunded } of finals) {
    const { message } = change;
    const day = utcDay(message.createdAt);
    const id = `${message.accountId} ${day}`;
    const delta = days.get(id) ?? {
      accountId: message.accountId,
      day,
      cost: 0n,
      counts: [0, 0, 0, 0, 0],
      events: [0, 0, 0],
    };
    days.set(id, delta);
    const add = (at: MessageStatus, by: number) => {
      const index = COUNTED.indexOf(at);
      delta.counts[index] = (delta.counts[index] ?? 0) + by;
    };
    add(message.status, -1);
    add(status, 1);
    if (refunded) delta.cost -= message.costMicros;
    for (const step of steps) delta.events[step.to === "sent" ? 0 : step.to === "delivered" ? 1 : 2] += 1;
  }
  const deltas = [...days.values()];
  await tx.query({
    name: "messages.move_counters",
    text: `UPDATE usage_days u SET cost_micros = u.cost_micros + d.cost, pending = u.pending + d.pending,
             sent = u.sent + d.sent, delivered = u.delivered + d.delivered, failed = u.failed + d.failed,
             undelivered = u.undelivered + d.undelivered, events_sent = u.events_sent + d.events_sent,
             events_delivered = u.events_delivered + d.events_delivered, events_failed = u.events_failed + d.events_failed
           FROM unnest($1::text[], $2::date[], $3::int8[], $4::int4[], $5::int4[], $6::int4[], $7::int4[], $8::int4[],
             $9::int4[], $10::int4[], $11::int4[])
           AS d (account_id, day, cost, pending, sent, delivered, failed, undelivered, events_sent, events_delivered,
             events_failed)
           WHERE u.account_id = d.account_id AND u.day = d.day`,
    values: [
      deltas.map((delta) => delta.accountId),
      deltas.map((delta) => delta.day),
      deltas.map((delta) => String(delta.cost)),
      ...COUNTED.map((_, at) => deltas.map((delta) => delta.counts[at])),
      ...[0, 1, 2].map((at) => deltas.map((delta) => delta.events[at])),
    ],
  });
}
