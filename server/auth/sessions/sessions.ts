/**
 * Sessions: a row per sign-in, named by the cookie and looked up at every request, so that a revoked session is
 * refused at once by every process. Times are the database's.
 */
import { recordAudit } from "../../audit/store";
import type { MemberRole, Origin, SessionActor } from "../../core/actor";
import { pool, type Queryable, repeatWhenLost, type Tx, transaction } from "../../core/db";
import { notFound } from "../../core/errors";
import { liveAccountOf, newId } from "../../core/ids";
import { errorFields, log } from "../../core/log";
import { keepAuthority } from "../authority";
import { lockPersons } from "../lock-persons";
import { presentSession, type SessionRow } from "../present";
import type { Session, SessionPath, SessionsRevoked } from "../schema";
import { ACTING_ACCOUNT } from "./acting-account";
import { deviceName } from "./device-name";

/** A session that is unused for this long has expired. */
const IDLE_S = 7 * 24 * 60 * 60;
/** Longest lifetime of a session, however much it is used. */
export const SESSION_LIFETIME_S = 30 * 24 * 60 * 60;
/** Use is noted no more often than this. */
const NOTED_EVERY_S = 60;
/** Time after the password was entered in which operations that require it are allowed. */
const CONFIRMED_S = 10 * 60;
const LISTED_MAX = 100;

/** The person of a session, and which session it is. */
export type SignedIn = {
  sessionId: string;
  userId: string;
  /** The account that the session acts in, and the person's role there. */
  accountId: string;
  role: MemberRole;
  isOperator: boolean;
  /** Whether the password was given within the last ten minutes. */
  isConfirmed: boolean;
  name: string;
  email: string;
};

/** Opens a session for an authenticated person, in their account. @returns its id, for the cookie. */
export async function startSession(userId: string, from: Origin, db: Queryable = pool()): Promise<string> {
  const id = newId("session");
  await db.query(
    `INSERT INTO sessions (id, user_id, account_id, address, device, expires_at)
     VALUES ($1, $2, (SELECT account_id FROM users WHERE id = $2), $3, $4, now() + make_interval(secs => $5))`,
    [id, userId, from.address, deviceName(from.userAgent), IDLE_S],
  );
  return id;
}

/** SQL: whether the session `s` is open. */
export const LIVE_SESSION = "s.revoked_at IS NULL AND s.expires_at > now()";

/**
 * The current person of a session; null when the session has ended, or the person was removed or is no longer a member of the
 * account that it acts in.
 * @param address of the caller, kept with the session; empty when it is not known.
 */
export async function findSignedIn(sessionId: string, address: string): Promise<SignedIn | null> {
  const { rows } = await pool().query<SignedIn & { isNoted: boolean }>(
    `SELECT s.id AS "sessionId", u.id AS "userId", ${ACTING_ACCOUNT.columns}, u.is_operator AS "isOperator",
       u.name, u.email, s.last_seen_at > now() - make_interval(secs => $2) AS "isNoted",
       s.confirmed_at > now() - make_interval(secs => $3) AS "isConfirmed"
     FROM sessions s JOIN users u ON u.id = s.user_id ${ACTING_ACCOUNT.join} WHERE s.id = $1 AND ${LIVE_SESSION}`,
    [sessionId, NOTED_EVERY_S, CONFIRMED_S],
  );
  const [row] = rows;
  if (!row) return null;
  const { isNoted, ...signedIn } = row;
  if (!isNoted) await noteUse(sessionId, address);
  return signedIn;
}

/**
 * Whether a person's session is still open, and they are a member of the account, which the session may have left for another.
 * Does not count as using it. Without a session there is none to end.
 */
export async function isSessionOpen({ sessionId, userId, accountId }: SessionActor): Promise<boolean> {
  if (sessionId === undefined) return true;
  const { rowCount } = await pool().query({
    name: "sessions.is_open_for_account",
    text: `SELECT 1 FROM sessions s JOIN account_members m ON m.user_id = s.user_id AND m.account_id = $3
           WHERE s.id = $1 AND s.user_id = $2 AND ${LIVE_SESSION}`,
    values: [sessionId, userId, liveAccountOf(accountId)],
  });
  return rowCount === 1;
}

/** A request is served even if the use of its session cannot be stored. */
async function noteUse(sessionId: string, address: string): Promise<void> {
  try {
    await pool().query(
      `UPDATE sessions s SET last_seen_at = now(), address = coalesce(nullif($2, ''), s.address),
         expires_at = least(s.created_at + make_interval(secs => $3), now() + make_interval(secs => $4))
       WHERE s.id = $1 AND ${LIVE_SESSION} AND s.last_seen_at <= now() - make_interval(secs => $5)`,
      [sessionId, address, SESSION_LIFETIME_S, IDLE_S, NOTED_EVERY_S],
    );
  } catch (thrown) {
    log("warn", "auth.session_use_not_noted", errorFields(thrown));
  }
}

/** Records that the password was just given in this session. */
export async function confirmSession(sessionId: string): Promise<void> {
  await repeatWhenLost(() => pool().query("UPDATE sessions SET confirmed_at = now() WHERE id = $1", [sessionId]));
}

/** Sign-out: a copy of the cookie is signed out too. */
export async function endSession(sessionId: string): Promise<void> {
  const end = async (tx: Queryable) => {
    if ((await revoke(tx, "id = $1", [sessionId])) === 0) return;
    const { rows } = await tx.query<{ userId: string; accountId: string }>(
      `SELECT u.id AS "userId", ${ACTING_ACCOUNT.id} AS "accountId" FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1`,
      [sessionId],
    );
    for (const person of rows) {
      const actor = { kind: "session", isOperator: false, sessionId, ...person } as const;
      await recordAudit(tx, actor, { action: "session.ended", accountId: person.accountId, subjectId: sessionId });
    }
  };
  await repeatWhenLost(() => transaction(end));
}

/** @returns how many sessions this ended. */
async function revoke(tx: Queryable, which: string, values: string[]): Promise<number> {
  const { rowCount } = await tx.query(
    `UPDATE sessions SET revoked_at = now() WHERE ${which} AND revoked_at IS NULL AND expires_at > now()`,
    values,
  );
  return rowCount ?? 0;
}

/** Ends every session of a person but the one named. The person must be locked, so that two who end each other's wait. */
export const revokeSessionsOf = (tx: Queryable, userId: string, exceptId = ""): Promise<number> =>
  revoke(tx, "user_id = $1 AND id <> $2", [userId, exceptId]);

/** The person's open sessions, last used first; at most 100. */
export async function listSessions(actor: SessionActor): Promise<Session[]> {
  const { rows } = await pool().query<SessionRow>(
    `SELECT id, address, device, created_at AS "createdAt", last_seen_at AS "lastSeenAt", expires_at AS "expiresAt"
     FROM sessions s WHERE user_id = $1 AND ${LIVE_SESSION} ORDER BY last_seen_at DESC, id DESC LIMIT ${LISTED_MAX}`,
    [actor.userId],
  );
  return rows.map((row) => presentSession(row, actor.sessionId));
}

/** Locks the person, then their session: two sessions that each held itself would wait for each other. @throws as {@link keepAuthority} */
async function keepOwnSession(tx: Tx, actor: SessionActor): Promise<void> {
  await lockPersons(tx, actor.userId);
  await keepAuthority(tx, actor);
}

/** Ends one of the person's own sessions. @throws 404 when there is no such open session. */
export async function revokeSession(actor: SessionActor, { id }: SessionPath): Promise<SessionsRevoked> {
  const revoked = await transaction(async (tx) => {
    await keepOwnSession(tx, actor);
    const ended = await revoke(tx, "id = $1 AND user_id = $2", [id, actor.userId]);
    if (ended === 0) throw notFound("There is no such session, or it is over already.");
    await recordAudit(tx, actor, { action: "session.revoked", accountId: actor.accountId, subjectId: id });
    return ended;
  });
  log("info", "auth.sessions_revoked", { user_id: actor.userId, revoked });
  return { revoked };
}

/** Ends every session of the person but the one that they act through. */
export async function revokeOtherSessions(actor: SessionActor): Promise<SessionsRevoked> {
  const end = async (tx: Tx) => {
    await keepOwnSession(tx, actor);
    const ended = await revokeSessionsOf(tx, actor.userId, actor.sessionId);
    const change = { action: "session.revoked", accountId: actor.accountId, subjectId: actor.userId } as const;
    if (ended > 0) await recordAudit(tx, actor, { ...change, after: { sessions_ended: ended } });
    return ended;
  };
  const revoked = await repeatWhenLost(() => transaction(end));
  log("info", "auth.sessions_revoked", { user_id: actor.userId, revoked });
  return { revoked };
}
