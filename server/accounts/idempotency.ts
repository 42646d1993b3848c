/**
 * Idempotent creation outside the send path: the operation and the response for its Idempotency-Key are committed
 * together, so a repeated request gets the first response even if the process died before sending it.
 */
import type { AccountActor } from "../core/actor";
import { pool, type Queryable, type Tx, transaction } from "../core/db";
import { env, secretKeys } from "../core/env";
import { forbidden, invalidRequest } from "../core/errors";
import { seal, unseal } from "../core/seal";
import type { Context } from "../core/trpc";
import { isSameRequest, type StoredHashes, storedValueHash } from "./same-request";
import { type LockedAccount, lockAccounts } from "./store";
import { inTurn } from "./turns";

/** The part of a request that creating operations need. */
export type IdempotentRequest = Pick<Context, "idempotency" | "responseHeaders">;

/** A request without an Idempotency-Key, such as the console's or our own. */
export const plainRequest = (): IdempotentRequest => ({ idempotency: () => null, responseHeaders: {} });

const REPLAYED = "Idempotency-Replayed";
const PURPOSE = "idempotent answer";

/** Marks the response as a repetition of an earlier one. */
export function markReplayed(request: IdempotentRequest): void {
  request.responseHeaders[REPLAYED] = "true";
}

/** 400: the key was used with another request. */
export const keyReused = () =>
  invalidRequest("This Idempotency-Key was used before with another request.", {
    param: "Idempotency-Key",
    reason: "idempotency_key_reused",
  });

type Operation<Result> = {
  /**
   * A slow check that may refuse the request, such as a DNS lookup. Runs before the account is locked. Ignored when a
   * response exists, so that a completed request is not refused when it is repeated.
   */
  check?: () => Promise<void>;
  /** Whether the response contains a secret; it is then repeated only to its own caller, not to the account's other keys. */
  showsSecret?: boolean;
  /** Whether a suspended account may do it too: what protects it or its recipients, and adds nothing to it. */
  whileSuspended?: boolean;
  carryOut: (tx: Tx) => Promise<Result>;
};

const callerOf = (actor: AccountActor): string => (actor.kind === "apiKey" ? actor.keyId : actor.userId);

/** The error that `check` throws; null when it passes. */
async function refusalOf(check: () => Promise<void>): Promise<{ thrown: unknown } | null> {
  try {
    await check();
    return null;
  } catch (thrown) {
    return { thrown };
  }
}

/** The identity of a request, stored with its response. */
type Kept = { accountId: string; key: string; requestHash: string; valueHash: string | undefined };

/** The first response to a request; null when there is none. @throws 400 when its key was used with another request. */
async function readResponse<Result>(
  db: Queryable,
  kept: Kept,
  request: IdempotentRequest,
): Promise<{ response: Result } | null> {
  const { rows } = await db.query<StoredHashes & { response: string }>(
    `SELECT request_hash AS "requestHash", value_hash AS "valueHash", response FROM idempotency_keys
     WHERE account_id = $1 AND key = $2 AND created_at > now() - interval '24 hours'`,
    [kept.accountId, kept.key],
  );
  const [known] = rows;
  if (!known) return null;
  if (!isSameRequest(known, kept)) throw keyReused();
  markReplayed(request);
  return { response: JSON.parse(unseal(secretKeys(), PURPOSE, known.response)) as Result };
}

async function storeResponse(tx: Tx, kept: Kept, response: unknown): Promise<void> {
  const { accountId, key, requestHash } = kept;
  await tx.query(
    `INSERT INTO idempotency_keys (account_id, key, request_hash, value_hash, response, created_at)
     VALUES ($1, $2, $3, $4, $5, now())
     ON CONFLICT (account_id, key) DO UPDATE
       SET request_hash = excluded.request_hash, value_hash = excluded.value_hash, response = excluded.response,
         created_at = excluded.created_at`,
    [accountId, key, requestHash, storedValueHash(kept), seal(env().SECRET_KEY, PURPOSE, JSON.stringify(response))],
  );
}

const suspended = () =>
  forbidden("This account is suspended: it can make nothing new.", { reason: "account_not_active" });

/** A transaction that holds the account's lock. Who waits for it holds a connection, so each account has one at a time. */
const inOwnTransaction = <Result>(
  { accountId }: AccountActor,
  work: (tx: Tx, account: LockedAccount | undefined) => Promise<Result>,
): Promise<Result> =>
  inTurn(accountId, () => transaction(async (tx) => work(tx, (await lockAccounts(tx, [accountId])).get(accountId))));

/**
 * Carries out an operation in a transaction that holds the account's lock. With an Idempotency-Key it is carried out once
 * in 24 hours; repeats get the first response, which is stored encrypted because it may contain secrets.
 * @throws 400 when the key was used with another request; 403 `account_not_active` when the account is suspended and the
 *   operation creates something; 429 `too_many_at_once` when too many operations of the account wait; errors of the
 *   operation. All of them leave the key unused.
 */
export async function createOnce<Result>(
  actor: AccountActor,
  request: IdempotentRequest,
  { check, showsSecret = false, whileSuspended = false, carryOut }: Operation<Result>,
): Promise<Result> {
  const idempotency = request.idempotency();
  const { accountId } = actor;
  const requireOpen = (account: LockedAccount | undefined) => {
    if (!whileSuspended && account?.status !== "active") throw suspended();
  };
  if (!idempotency) {
    await check?.();
    return inOwnTransaction(actor, async (tx, account) => {
      requireOpen(account);
      return carryOut(tx);
    });
  }
  const { key, requestHash, valueHash } = idempotency;
  const own = (hash: string) => (showsSecret ? `${hash} ${callerOf(actor)}` : hash);
  const kept = { accountId, key, requestHash: own(requestHash), valueHash: valueHash && own(valueHash) };
  // Reading without the lock avoids the check; a response stored meanwhile is found under the lock.
  const known = check ? await readResponse<Result>(pool(), kept, request) : null;
  if (known) return known.response;
  const refusal = check ? await refusalOf(check) : null;
  return inOwnTransaction(actor, async (tx, account) => {
    const found = await readResponse<Result>(tx, kept, request);
    if (found) return found.response;
    requireOpen(account);
    if (refusal) throw refusal.thrown;
    const response = await carryOut(tx);
    await storeResponse(tx, kept, response);
    return response;
  });
}
