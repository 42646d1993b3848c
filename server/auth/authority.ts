/**
 * The authority of callers: an API key, or a session with the role or the right that their call needs. It was checked when the request
 * arrived, but may end while that is under way. So every change looks at it again in its own transaction, and as a rule keeps it from
 * ending until that is over.
 */
import { holdKeys, readEnded } from "../api-keys/endings";
import { type Actor, isAtLeast, type MemberRole, notAnOperator, roleTooLow, type SessionActor } from "../core/actor";
import { type Defer, pool, type Tx, transaction } from "../core/db";
import type { ApiError } from "../core/errors";
import { liveAccountOf } from "../core/ids";
import { sessionHasEnded } from "./sessions/ended";

type Member = { accountId: string; userId: string; role: MemberRole };

const memberOf = ({ accountId, userId }: { accountId: string; userId: string }): string => `${accountId} ${userId}`;

/** Appended to a statement. */
type Lock = "" | "FOR NO KEY UPDATE";

/** Statements with and without a lock are two. */
const named = (name: string, text: string, lock: Lock, values: unknown[]) => ({
  name: lock === "" ? name : `${name}_locked`,
  text: `${text} ${lock}`,
  values,
});

/** @returns the roles of persons whose call needs one. */
async function readRoles(tx: Tx, persons: readonly SessionActor[], lock: Lock): Promise<Map<string, MemberRole>> {
  const needing = persons.filter(({ needs }) => needs !== undefined && needs !== "operator");
  if (needing.length === 0) return new Map();
  const { rows } = await tx.query<Member>(
    named(
      "auth.roles",
      `SELECT account_id AS "accountId", user_id AS "userId", role FROM account_members
       WHERE (account_id, user_id) IN (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY account_id, user_id`,
      lock,
      [needing.map(({ accountId }) => liveAccountOf(accountId)), needing.map(({ userId }) => userId)],
    ),
  );
  return new Map(rows.map((row) => [memberOf(row), row.role]));
}

/** @returns the ids of those who operate the installation. */
async function readOperators(tx: Tx, persons: readonly SessionActor[], lock: Lock): Promise<Set<string>> {
  const ids = persons.filter(({ needs }) => needs === "operator").map(({ userId }) => userId);
  if (ids.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string }>(
    named("auth.operators", "SELECT id FROM users WHERE id = ANY($1::text[]) AND is_operator ORDER BY id", lock, [ids]),
  );
  return new Set(rows.map(({ id }) => id));
}

/** @returns the person of each session that is open, by its id. */
async function readSessions(tx: Tx, persons: readonly SessionActor[], lock: Lock): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ id: string; userId: string }>(
    named(
      "auth.sessions",
      `SELECT id, user_id AS "userId" FROM sessions
       WHERE id = ANY($1::text[]) AND revoked_at IS NULL AND expires_at > clock_timestamp() ORDER BY id`,
      lock,
      [persons.map(({ sessionId }) => sessionId)],
    ),
  );
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}

/** @returns the refusal of a person, if they may no longer act. */
async function readPersons(
  tx: Tx,
  persons: readonly SessionActor[],
  lock: Lock,
): Promise<(person: SessionActor) => ApiError | null> {
  // In the order in which members are removed and passwords changed. Shared locks would let others pass those who wait to end a session.
  const [roles, operators, sessions] = await Promise.all([
    readRoles(tx, persons, lock),
    readOperators(tx, persons, lock),
    readSessions(tx, persons, lock),
  ]);
  return ({ accountId, userId, needs, sessionId = "" }) => {
    if (sessions.get(sessionId) !== userId) return sessionHasEnded();
    if (needs === undefined) return null;
    if (needs === "operator") return operators.has(userId) ? null : notAnOperator();
    const role = roles.get(memberOf({ accountId: liveAccountOf(accountId), userId }));
    if (role === undefined) return sessionHasEnded();
    return isAtLeast(role, needs) ? null : roleTooLow(needs);
  };
}

/** A person in a session. Without one, a command acts in the person's name. */
const isInSession = (actor: Actor): actor is SessionActor => actor.kind === "session" && actor.sessionId !== undefined;

/**
 * Reads whether actors may still act. Takes no lock: what a key acts by stays under the admission lock of its account, that of a person
 * may end while the transaction commits. For transactions in which others must not wait for a person's own changes.
 * @returns the refusal of an actor; null: they may. 401 `key_invalid`, `key_expired` or `no_session`; 403 `role_too_low` or
 *   `not_an_operator`.
 */
export async function readAuthority(
  tx: Tx,
  actors: readonly Actor[],
  lock: Lock = "",
): Promise<(actor: Actor) => ApiError | null> {
  const keys = actors.flatMap((actor) => (actor.kind === "apiKey" ? [actor.keyId] : []));
  const persons = actors.filter(isInSession);
  const [ended, refusalOf] = await Promise.all([
    keys.length > 0 ? readEnded(tx, keys) : null,
    persons.length > 0 ? readPersons(tx, persons, lock) : null,
  ]);
  return (actor) => {
    if (actor.kind === "apiKey") return ended?.get(actor.keyId) ?? null;
    return isInSession(actor) ? (refusalOf?.(actor) ?? null) : null;
  };
}

async function requireOf(tx: Tx, actor: Actor, lock: Lock): Promise<void> {
  const refusal = (await readAuthority(tx, [actor], lock))(actor);
  if (refusal) throw refusal;
}

/**
 * Keeps what the actor acts by until the transaction ends: that of a key only under the admission lock of its account, or after
 * {@link holdKeys}. Locks a membership, an operator and a session, in this order, after the admission lock.
 * @throws the refusal that {@link readAuthority} returns.
 */
export const keepAuthority = (tx: Tx, actor: Actor): Promise<void> => requireOf(tx, actor, "FOR NO KEY UPDATE");

/** As {@link keepAuthority}, without a lock. For what is done outside the database, just before it, and for long transactions, at their end. */
export const requireAuthority = (actor: Actor, tx: Tx = pool()): Promise<void> => requireOf(tx, actor, "");

/**
 * Runs `work` in a {@link transaction} in which the actor may still act. For changes that need no admission lock: under that lock, after
 * it, {@link keepAuthority} does the same.
 * @throws as {@link keepAuthority}, with nothing done, and as {@link transaction}.
 */
export const transactionBy = <Result>(actor: Actor, work: (tx: Tx, defer: Defer) => Promise<Result>): Promise<Result> =>
  transaction(async (tx, defer) => {
    // Pipelined in this order: with BEGIN they take one round trip.
    await Promise.all([actor.kind === "apiKey" ? holdKeys(tx, actor.accountId) : null, keepAuthority(tx, actor)]);
    return work(tx, defer);
  });
