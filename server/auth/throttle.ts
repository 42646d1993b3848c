/**
 * Slows the guessing of passwords. Subjects are an e-mail, and the address that attempts come from; both are counted in
 * the database, so that every web process slows alike.
 *
 * An attempt looks before the (slow) check of the password and is settled after it. Settling decides: of many attempts
 * at once only as many learn their outcome as would have one after another; the rest are told that they are throttled.
 */
import ipaddr from "ipaddr.js";
import { pool, type Tx, transaction } from "../core/db";
import { rateLimited } from "../core/errors";

const FREE_FAILURES = 5;
const FIRST_BLOCK_S = 30;
const LONGEST_BLOCK_S = 900;
/** A subject without a failure for so long starts anew. */
const FORGET_AFTER_S = 3_600;
const SIGN_UPS_PER_HOUR = 10;
/** Stale rows that a failure clears away: more than one, so that they cannot pile up. */
const SWEPT_ROWS = 20;

/** Who tries to sign in as whom. */
type Attempt = { email: string; address: string };

/** Whoever has one IPv6 address has the whole /64, so the network is counted, not the address. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}

const emailSubject = (attempt: Attempt): string => `email:${attempt.email}`;
const addressSubject = (attempt: Attempt): string => `address:${networkOf(attempt.address)}`;

/** An unknown address is not counted: all callers would share it, and one could lock out every other. */
const subjectsOf = (attempt: Attempt): string[] =>
  attempt.address === "" ? [emailSubject(attempt)] : [addressSubject(attempt), emailSubject(attempt)];

const throttled = (waitS: number) =>
  rateLimited(`Too many failed sign-ins. Try again in ${waitS} s.`, {
    reason: "sign_in_throttled",
    details: { retry_after_s: waitS },
  });

async function secondsBlocked(attempt: Attempt): Promise<number> {
  const { rows } = await pool().query<{ waitS: number | null }>(
    `SELECT ceil(extract(epoch FROM max(blocked_until) - now()))::int AS "waitS"
     FROM sign_in_throttles WHERE subject = ANY($1) AND blocked_until > now()`,
    [subjectsOf(attempt)],
  );
  return rows[0]?.waitS ?? 0;
}

/** Before the password is looked at. @throws 429 `sign_in_throttled` while the e-mail or the address is blocked. */
export async function refuseThrottled(attempt: Attempt): Promise<void> {
  const waitS = await secondsBlocked(attempt);
  if (waitS > 0) throw throttled(waitS);
}

// Rows are taken in the order of their subjects, as everywhere here, so that two attempts cannot block each other.
const COUNT_FAILURE_SQL = `
  INSERT INTO sign_in_throttles AS t (subject, failures, updated_at)
  SELECT subject, 1, now() FROM unnest($1::text[]) AS subject ORDER BY subject
  ON CONFLICT (subject) DO UPDATE SET
    failures = CASE WHEN t.updated_at < now() - make_interval(secs => $2) THEN 1 ELSE t.failures + 1 END,
    blocked_until = CASE
      WHEN t.updated_at < now() - make_interval(secs => $2) OR t.failures + 1 < $3 THEN NULL
      ELSE now() + make_interval(secs => least($5::float8, $4::float8 * power(2, least(t.failures + 1 - $3, 20))))
    END,
    updated_at = now()
  WHERE t.blocked_until IS NULL OR t.blocked_until <= now()
  RETURNING subject`;

const SWEEP_SQL = `
  WITH over AS MATERIALIZED (
    SELECT subject FROM sign_in_throttles WHERE updated_at < now() - make_interval(secs => $1)
    LIMIT $2 FOR UPDATE SKIP LOCKED)
  DELETE FROM sign_in_throttles t USING over WHERE t.subject = over.subject`;

/**
 * Counts a wrong password. From the fifth on the subject is blocked, 30 s and twice as long each further time, up to
 * 15 min.
 * @throws 429 `sign_in_throttled` when others used up the free failures while this one was checked.
 */
export async function settleFailure(attempt: Attempt): Promise<void> {
  const subjects = subjectsOf(attempt);
  const limits = [FORGET_AFTER_S, FREE_FAILURES, FIRST_BLOCK_S, LONGEST_BLOCK_S];
  const { rowCount } = await pool().query(COUNT_FAILURE_SQL, [subjects, ...limits]);
  await pool().query(SWEEP_SQL, [FORGET_AFTER_S, SWEPT_ROWS]);
  if (rowCount !== subjects.length) throw throttled(Math.max(1, await secondsBlocked(attempt)));
}

type ThrottleRow = { subject: string; failures: number; waitS: number };

async function lockSubjects(tx: Tx, attempt: Attempt): Promise<ThrottleRow[]> {
  const { rows } = await tx.query<ThrottleRow>(
    `SELECT subject, failures, coalesce(ceil(extract(epoch FROM blocked_until - now())), 0)::int AS "waitS"
     FROM sign_in_throttles WHERE subject = ANY($1) ORDER BY subject FOR UPDATE`,
    [subjectsOf(attempt)],
  );
  return rows;
}

/**
 * After the right password: the e-mail starts anew, and its failures are taken off the address. Not all of the address's,
 * or whoever has one account could go on guessing others by signing in to it now and then.
 * @throws 429 `sign_in_throttled` when the subject was blocked while this attempt was checked.
 */
export async function settleSuccess(attempt: Attempt): Promise<void> {
  await transaction(async (tx) => {
    const rows = await lockSubjects(tx, attempt);
    const waitS = Math.max(0, ...rows.map((row) => row.waitS));
    if (waitS > 0) throw throttled(waitS);
    const own = rows.find((row) => row.subject === emailSubject(attempt));
    if (!own) return;
    await tx.query("DELETE FROM sign_in_throttles WHERE subject = $1", [own.subject]);
    await tx.query("UPDATE sign_in_throttles SET failures = greatest(0, failures - $2) WHERE subject = $1", [
      addressSubject(attempt),
      own.failures,
    ]);
  });
}

/**
 * Counts an attempt to sign up; `updated_at` of its row is when the running hour began. Callers whose address is not
 * known share one count: refusing them locks nobody out of an account.
 * @throws 429 `sign_up_throttled` after ten from one address within an hour.
 */
export async function countSignUp(address: string): Promise<void> {
  const { rowCount } = await pool().query(
    `INSERT INTO sign_in_throttles AS t (subject, failures, updated_at) VALUES ($1, 1, now())
     ON CONFLICT (subject) DO UPDATE SET
       failures = CASE WHEN t.updated_at <= now() - interval '1 hour' THEN 1 ELSE t.failures + 1 END,
       updated_at = CASE WHEN t.updated_at <= now() - interval '1 hour' THEN now() ELSE t.updated_at END
     WHERE t.failures < $2 OR t.updated_at <= now() - interval '1 hour'`,
    [`sign-up:${networkOf(address)}`, SIGN_UPS_PER_HOUR],
  );
  if (rowCount === 0) {
    throw rateLimited("Too many accounts were created from this address. Try again in an hour.", {
      reason: "sign_up_throttled",
    });
  }
}
