/** Gives scheduled messages another time, as long as they are not due. */
import { lockAccounts, readAccounts } from "../../accounts/store";
import { transactionBy } from "../../auth/authority";
import type { AccountActor } from "../../core/actor";
import { addJob, addScheduledJobs } from "../../core/add-jobs";
import { now, SECOND_MS } from "../../core/clock";
import { onCommit, type Tx } from "../../core/db";
import { type ApiError, invalidRequest } from "../../core/errors";
import { noteChange } from "../../core/live";
import { loadPutOffCheck } from "../accept/put-off";
import { sendAtRefusals } from "../accept/send-at";
import { uncountDue } from "../due/due-spending";
import { findMessage } from "../history";
import { type MessageRow, presentMessage } from "../present";
import { isDue } from "../scheduled";
import type { Message, RescheduleInput } from "../schema";
import { lockMessages } from "../transitions";

/** When a message is to be sent, with regard to quiet hours. `at` null: at once. */
type Target = { at: Date | null; refusal: null } | { at: null; refusal: ApiError };

/**
 * Gives a scheduled message another time, by the rules of a send: quiet hours put it off, and its validity period counts from the
 * new time. A message that has this time already is returned unchanged, and so is one that was to be sent at once and is due or was
 * sent: the request may be repeated.
 * @throws 404; 400 for the time, also if the validity period would end before the recipient's quiet hours do; 400 `not_reschedulable`
 *   when the message is due, was never scheduled or has ended.
 */
export async function rescheduleMessage(actor: AccountActor, id: string, asked: Asked): Promise<Message> {
  await findMessage(actor, id);
  const row = await transactionBy(actor, async (tx) => {
    await lockMessages(tx, [id]);
    const found = await findMessage(actor, id, tx);
    const target = await targetOf(tx, found, asked);
    const state = await readState(tx, id);
    const sendAt = sendAtOf(asked);
    if (isDoneAlready(found, { ...target, sendAt }, state)) return found;
    if (!state.isAhead) throw notReschedulable(found);
    // Only now: a repeated request may arrive after its time.
    const [refusal = target.refusal] = sendAt ? sendAtRefusals(sendAt) : [];
    if (refusal) throw refusal;
    await move(tx, found, { at: target.at, sendAt });
    onCommit(tx, () => noteChange(actor.accountId, "messages"));
    return findMessage(actor, id, tx);
  });
  return presentMessage(row);
}

type Asked = Omit<RescheduleInput, "id">;

const sendAtOf = ({ send_at }: Asked): Date | null => (send_at === null ? null : new Date(send_at));

async function targetOf(tx: Tx, { accountId, toNumber, validityS }: MessageRow, asked: Asked): Promise<Target> {
  const sendAt = sendAtOf(asked);
  const account = (await readAccounts(tx, [accountId])).get(accountId);
  if (!account || asked.quiet_hours === "ignore") return { at: sendAt, refusal: null };
  const check = await loadPutOffCheck([account]);
  const putOff = check(account, { toNumber, sendAt, validityS }, now());
  return putOff?.refusal
    ? { at: null, refusal: invalidRequest(putOff.refusal.message, { param: "send_at", reason: "quiet_hours" }) }
    : { at: putOff?.scheduledAt ?? sendAt, refusal: null };
}

/** `isAhead`: it is scheduled for later, and was given to no provider. */
type State = { isAhead: boolean; expiresAt: Date | null };

/** Reads the state of the message, whose row is locked. */
async function readState(tx: Tx, id: string): Promise<State> {
  const { rows } = await tx.query<State>({
    name: "messages.is_ahead",
    text: `SELECT m.status = 'pending' AND NOT ${isDue("m")}
             AND NOT EXISTS (SELECT 1 FROM message_attempts a WHERE a.message_id = m.id) AS "isAhead", m.expires_at AS "expiresAt"
           FROM messages m WHERE m.id = $1`,
    values: [id],
  });
  return rows[0] ?? { isAhead: false, expiresAt: null };
}

/** Whether the message has its new time already, and the end of its validity period, which quiet hours do not put off. */
function isDoneAlready(
  { status, scheduledAt, validityS }: MessageRow,
  { at, sendAt, refusal }: Target & { sendAt: Date | null },
  { isAhead, expiresAt }: State,
): boolean {
  if (refusal || scheduledAt === null || status === "failed") return false;
  if (at === null) return !isAhead;
  if (at.getTime() !== scheduledAt.getTime()) return false;
  return validityS === null || (sendAt !== null && expiresAt?.getTime() === sendAt.getTime() + validityS * SECOND_MS);
}

/**
 * Moves the message and its place in the list of pending ones, and adds a job for its new time, unless only its validity period
 * changes. The job of its earlier time finds it not due, or sent.
 * @param times `at` null: at once. `sendAt`: the time from which its validity period counts; null: now.
 */
async function move(
  tx: Tx,
  { id, accountId, scheduledAt }: MessageRow,
  { at, sendAt }: { at: Date | null; sendAt: Date | null },
): Promise<void> {
  await tx.query({
    name: "messages.reschedule",
    text: `UPDATE messages SET scheduled_at = COALESCE($2::timestamptz, clock_timestamp()),
             expires_at = COALESCE($3::timestamptz, clock_timestamp()) + validity_s * interval '1 second'
           WHERE id = $1`,
    values: [id, at?.toISOString() ?? null, sendAt?.toISOString() ?? null],
  });
  await tx.query({
    name: "messages.reschedule_pending",
    // Only the primary key fits a comparison of rows. While few messages are pending, other indexes seem as good, and hold the dead
    // versions of all accounts beside a transaction that stays open.
    text: `UPDATE pending_messages p SET created_at = m.scheduled_at, expires_at = m.expires_at FROM messages m
           WHERE m.id = $1 AND m.account_id = $2 AND p.account_id = $2
             AND (p.account_id, p.message_id) >= ($2, $1) AND (p.account_id, p.message_id) <= ($2, $1)`,
    values: [id, accountId],
  });
  const payload = { messageIds: [id] };
  if (at?.getTime() === scheduledAt?.getTime()) return;
  // Its timeline shows when it was to be sent first.
  await tx.query({
    name: "messages.note_reschedule",
    text: `INSERT INTO rescheduled_messages AS r (message_id, first_scheduled_at, rescheduled_at, times)
           VALUES ($1, $2::timestamptz, clock_timestamp(), 1)
           ON CONFLICT (message_id) DO UPDATE SET rescheduled_at = excluded.rescheduled_at, times = r.times + 1`,
    values: [id, scheduledAt?.toISOString()],
  });
  if (at) await addScheduledJobs(tx, "dispatch_messages", [{ payload, dueAt: at }]);
  else await addJob(tx, "dispatch_messages", payload);
  // While this transaction is open, the message is due at its earlier time for all others, and may have been let through on that day.
  await lockAccounts(tx, [accountId]);
  await uncountDue(tx, [{ id, accountId }]);
}

function notReschedulable({ status, scheduledAt }: MessageRow): ApiError {
  const text =
    status !== "pending"
      ? `The message is ${status}: only a pending one can be rescheduled.`
      : scheduledAt
        ? "The message is due: it is about to be sent, and can no longer be rescheduled."
        : "The message was not scheduled: it is sent as soon as possible.";
  return invalidRequest(text, { param: "id", reason: "not_reschedulable", details: { status } });
}
