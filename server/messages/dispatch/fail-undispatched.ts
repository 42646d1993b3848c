/** Fails accepted messages that must not, or cannot, go to any provider; they cost nothing. */
import type { Tx } from "../../core/db";
import { WITHDRAWN } from "../attempts-so-far";
import type { Refusal } from "../failure";
import { isDue } from "../scheduled";
import { applyChanges, type Change, lockMessages, withSuperseded } from "../transitions";
import { dltOf } from "./dlt";

/** The permission that a message lost after its acceptance: its account's or its sender's. */
export type Revoked = "account" | "sender" | null;

/**
 * SQL for whether the permission of a message was revoked.
 * @param message alias of `messages` in the statement.
 * @param accountStatus SQL of the status of the message's account, if the statement knows it; otherwise it is joined.
 * @returns `joins` for its FROM clause, the `column`, a {@link Revoked}, and `dlt` of an OutboundMessage.
 */
export const revokedOf = (
  message: string,
  accountStatus: string | null = null,
): { joins: string; column: string; dlt: string } => ({
  joins: `${accountStatus ? "" : `JOIN accounts sending_account ON sending_account.id = ${message}.account_id`}
    LEFT JOIN senders sending_sender ON sending_sender.account_id = ${message}.account_id
      AND sending_sender.sender_id = ${message}.from_sender`,
  column: `CASE WHEN ${accountStatus ?? "sending_account.status"} <> 'active' THEN 'account'
    WHEN sending_sender.status IS DISTINCT FROM 'approved' THEN 'sender' END`,
  dlt: dltOf("sending_sender"),
});

/** Errors of messages whose account was suspended, or whose sender lost its approval or was deleted, while they waited. */
export const REVOKED_REFUSALS: Readonly<Record<NonNullable<Revoked>, Refusal>> = {
  account: { code: "account_not_active", message: "The account was suspended before this message was sent." },
  sender: { code: "sender_not_approved", message: "The sender lost its approval before this message was sent." },
};

/** The error of a message whose validity period ended before an attempt began. */
export const EXPIRED: Refusal = {
  code: "expired",
  message: "The validity period was over before a provider took the message. The cost was refunded.",
};

/** SQL: whether the validity period of a message is over. `message`: alias of `messages` in the statement. */
export const isExpired = (message: string): string => `COALESCE(${message}.expires_at <= clock_timestamp(), false)`;

/**
 * SQL: whether no attempt of the message `id` is open or of unknown outcome. The look-up counts, and compares no outcome as a partial index
 * does: otherwise all attempts of the installation that are may be read, if the statistics know of few.
 */
export const isUntaken = (id: string): string =>
  `(SELECT count(*) FROM message_attempts o WHERE o.message_id = ${id} AND COALESCE(o.outcome, 'unknown') = 'unknown') = 0`;

/** A message that is to fail, unless it is under way. */
type Undispatched = { messageId: string; error: Refusal };

/**
 * Fails and refunds pending messages that no provider has, or may have. One with an open attempt, or one of unknown outcome,
 * stays as it is. A message is either failed here or claimed for an attempt, never both: a row takes the number of the
 * attempt that would come next, and the primary key lets only one of the two in.
 * @param options `isAnyTime`: also those that are not due. Otherwise they stay: they may have got another time since they were found due.
 * @returns the ids of those that failed.
 */
export async function failUndispatched(
  tx: Tx,
  rows: readonly Undispatched[],
  at: Date,
  { isAnyTime } = { isAnyTime: false },
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const errors = new Map(rows.map(({ messageId, error }) => [messageId, error]));
  const messages = await lockMessages(tx, errors.keys());
  const pending = [...messages.values()].filter(({ status }) => status === "pending");
  const attemptsOf = await withdraw(
    tx,
    pending.map(({ id }) => id),
    isAnyTime,
  );
  const changes = pending.flatMap((message): Change[] => {
    const [attempts, error] = [attemptsOf.get(message.id), errors.get(message.id)];
    return attempts === undefined || !error ? [] : [{ message, attempts, steps: [{ to: "failed", at, error }] }];
  });
  await applyChanges(tx, await withSuperseded(tx, changes));
  return new Set(attemptsOf.keys());
}

/**
 * Withdraws locked messages from dispatch and from the throttle queue.
 * @returns by id, the number of attempts made so far of those that could be withdrawn.
 */
async function withdraw(tx: Tx, ids: readonly string[], isAnyTime: boolean): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await tx.query<{ id: string; attempts: number }>({
    name: "attempts.withdraw",
    text: `INSERT INTO message_attempts (message_id, seq, provider, outcome, started_at, finished_at)
           SELECT m.id, (SELECT COALESCE(max(a.seq), 0) + 1 FROM message_attempts a WHERE a.message_id = m.id), '',
             '${WITHDRAWN}', clock_timestamp(), clock_timestamp()
           FROM unnest($1::text[]) AS m (id)
           WHERE ${isUntaken("m.id")}
             AND ($2 OR (SELECT ${isDue("r")} FROM messages r WHERE r.id = m.id))
           ON CONFLICT (message_id, seq) DO NOTHING RETURNING message_id AS id, seq - 1 AS attempts`,
    values: [ids, isAnyTime],
  });
  await tx.query({
    name: "waiting.withdraw",
    // A row that another transaction has locked is about to leave the queue, and its message is not claimed.
    text: `DELETE FROM waiting_messages WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM waiting_messages WHERE message_id = ANY($1::text[]) FOR UPDATE SKIP LOCKED))`,
    values: [rows.map(({ id }) => id)],
  });
  return new Map(rows.map(({ id, attempts }) => [id, attempts]));
}
