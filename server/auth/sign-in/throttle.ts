/**
 * Slows the guessing of passwords. Each limit is a leaky bucket in the database, so that all web processes share it: a
 * subject may use up `burst` attempts at once, and gets one back every `everyS` seconds.
 *
 * An attempt is taken before the (slow) check of the password and given back when it was right: however many guesses
 * come at once, only as many as the limit allows are checked.
 */
import { networkOf } from "../../addresses/counted-network";
import { pool, type Queryable, transaction } from "../../core/db";
import { rateLimitedFor } from "../../core/errors";

type Limit = { subject: string; burst: number; everyS: number };

/** Limit for one email from one network. */
const STRICT = { burst: 5, everyS: 180 };
/** Limit for one email from all networks, and for one network with all emails: 100 at once, then 100 an hour. */
const LENIENT = { burst: 100, everyS: 36 };
const SIGN_UPS = { burst: 10, everyS: 360 };
const RESETS = { burst: 10, everyS: 360 };
/** Challenges for passkeys. Generous, because an office shares a network, and closing the browser's dialog uses one up. */
const CHALLENGES = { burst: 300, everyS: 6 };
/** Invitations of one account. */
const INVITATIONS = { burst: 50, everyS: 72 };

/**
 * An attempt to sign in: the caller and the email, which is null where a passkey alone names the person. `address` is empty when it
 * is not known; `deviceId` names a device that has signed in with this email before.
 */
export type Attempt = { email: string | null; address: string; deviceId: string | null };

/** Attempts for one email are counted per known device, else per network. Null: without an email, there is nothing to guess. */
function strictSubject({ email, address, deviceId }: Attempt): string | null {
  if (deviceId !== null) return `device:${deviceId}`;
  return email === null ? null : `pair:${email} ${networkOf(address)}`;
}

/**
 * A known device has a limit of its own: attempts by others do not lock it out. Sorted by subject, the order in which rows are
 * locked. Callers with unknown addresses do not share a limit: one could lock out all.
 */
function limitsOf(attempt: Attempt): Limit[] {
  const { email, address, deviceId } = attempt;
  const subject = strictSubject(attempt);
  const strict = subject === null ? [] : [{ subject, ...STRICT }];
  if (deviceId !== null) return strict;
  const ofEmail = email === null ? [] : [{ subject: `email:${email}`, ...LENIENT }];
  const ofNetwork = address === "" ? [] : [{ subject: `network:${networkOf(address)}`, ...LENIENT }];
  return [...ofEmail, ...ofNetwork, ...strict];
}

/** Burst beyond the first attempt, in seconds of the bucket's leak. */
const slackOf = ({ burst, everyS }: Limit): number => (burst - 1) * everyS;

/**
 * SQL: whether the bucket `l` is fuller than possible: it dates from before the database's clock was set back, and counts as
 * empty.
 */
const isSetBack = (everyS: string, slackS: string): string =>
  `l.busy_until > clock_timestamp() + make_interval(secs => ${everyS} + ${slackS} + 60)`;

/** `busy_until`: when the bucket will be empty. Read when the row is locked: `now()` would be when the wait for it began. */
const TAKE_SQL = `
  INSERT INTO sign_in_limits AS l (subject, busy_until) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
  ON CONFLICT (subject) DO UPDATE
    SET busy_until = CASE WHEN ${isSetBack("$2", "$3")} THEN clock_timestamp() ELSE greatest(l.busy_until, clock_timestamp()) END
      + make_interval(secs => $2)
    WHERE l.busy_until <= clock_timestamp() + make_interval(secs => $3) OR ${isSetBack("$2", "$3")}`;

/**
 * Takes one attempt from every limit.
 * @returns whether each had one left; if not, the transaction must be rolled back.
 */
async function takeAll(tx: Queryable, limits: readonly Limit[]): Promise<boolean> {
  const taken = await Promise.all(
    limits.map((limit) => tx.query(TAKE_SQL, [limit.subject, limit.everyS, slackOf(limit)])),
  );
  return taken.every(({ rowCount }) => rowCount === 1);
}

/** Whole seconds until every limit has an attempt left; 0 when each has one now. */
async function secondsUntilFree(db: Queryable, limits: readonly Limit[]): Promise<number> {
  const { rows } = await db.query<{ waitS: number | null }>(
    `SELECT ceil(extract(epoch FROM max(l.busy_until - make_interval(secs => t.slack_s)) - clock_timestamp()))::int AS "waitS"
     FROM unnest($1::text[], $2::float8[], $3::float8[]) AS t (subject, slack_s, every_s) JOIN sign_in_limits l USING (subject)
     WHERE NOT ${isSetBack("t.every_s", "t.slack_s")}`,
    [limits.map(({ subject }) => subject), limits.map(slackOf), limits.map(({ everyS }) => everyS)],
  );
  return Math.max(0, rows[0]?.waitS ?? 0);
}

const throttled = (waitS: number) =>
  rateLimitedFor(waitS, "Too many failed sign-ins.", { reason: "sign_in_throttled" });

/**
 * Takes an attempt from every limit, or from none, before the password is checked.
 * @throws 429 `sign_in_throttled` when a limit has none left.
 */
export async function reserveAttempt(attempt: Attempt): Promise<void> {
  const limits = limitsOf(attempt);
  // Most refusals lock nothing.
  const waitS = await secondsUntilFree(pool(), limits);
  if (waitS > 0) throw throttled(waitS);
  await transaction(async (tx) => {
    if (!(await takeAll(tx, limits))) throw throttled(Math.max(1, await secondsUntilFree(tx, limits)));
  });
}

/**
 * After the right password: gives back what {@link reserveAttempt} took, and resets the strict limit. The lenient limits are
 * not reset: otherwise an attacker could sign in to an account of their own from time to time and keep guessing.
 * `isSuccess: false`: only the attempt is undone, because the person has a second factor and gave no proof of it.
 */
export async function giveBack(attempt: Attempt, { isSuccess = true } = {}): Promise<void> {
  const strict = strictSubject(attempt);
  const undone = limitsOf(attempt).filter(({ subject }) => !isSuccess || subject !== strict);
  await transaction(async (tx, defer) => {
    for (const { subject, everyS } of undone) {
      defer(
        tx.query("UPDATE sign_in_limits SET busy_until = busy_until - make_interval(secs => $2) WHERE subject = $1", [
          subject,
          everyS,
        ]),
      );
    }
    if (isSuccess && strict !== null) defer(tx.query("DELETE FROM sign_in_limits WHERE subject = $1", [strict]));
  });
}

/** @returns the seconds to wait; 0 if the attempt was counted. */
async function countFrom(what: string, address: string, limit: Omit<Limit, "subject">): Promise<number> {
  const counted = { subject: `${what}:${networkOf(address)}`, ...limit };
  if (await takeAll(pool(), [counted])) return 0;
  return Math.max(1, await secondsUntilFree(pool(), [counted]));
}

/**
 * Counts an attempt to sign up. Callers whose address is not known share one limit: refusing them locks nobody out of an
 * account.
 * @throws 429 `sign_up_throttled` after ten from one network, and then until six minutes have passed for each.
 */
export async function countSignUp(address: string): Promise<void> {
  const waitS = await countFrom("sign-up", address, SIGN_UPS);
  if (waitS === 0) return;
  throw rateLimitedFor(waitS, "Too many accounts were created from this network.", { reason: "sign_up_throttled" });
}

/**
 * Counts a request for a link to reset a password, as {@link countSignUp} does.
 * @throws 429 `reset_throttled` after ten from one network, and then until six minutes have passed for each.
 */
export async function countResetRequest(address: string): Promise<void> {
  const waitS = await countFrom("reset", address, RESETS);
  if (waitS === 0) return;
  throw rateLimitedFor(waitS, "Too many links were asked for from this network.", { reason: "reset_throttled" });
}

/**
 * Counts an invitation of an account, or of an operator for other accounts, in the transaction of `tx`, which is rolled back when it is refused.
 * @throws 429 `invitation_throttled` after fifty, and then until 72 seconds have passed for each.
 */
export async function countInvitation(tx: Queryable, inviterId: string): Promise<void> {
  const counted = { subject: `invitations:${inviterId}`, ...INVITATIONS };
  if (await takeAll(tx, [counted])) return;
  const waitS = Math.max(1, await secondsUntilFree(tx, [counted]));
  throw rateLimitedFor(waitS, `At most ${INVITATIONS.burst} people may be invited at once.`, {
    reason: "invitation_throttled",
  });
}

/**
 * Counts a challenge for a sign-in with a passkey, as {@link countSignUp} does.
 * @throws 429 `sign_in_throttled` after 300 from one network, and then until six seconds have passed for each.
 */
export async function countChallenge(address: string): Promise<void> {
  const waitS = await countFrom("passkeys", address, CHALLENGES);
  if (waitS > 0) throw throttled(waitS);
}
