/**
 * Idempotent creation outside the send path: the operation and the response for its Idempotency-Key are committed
 * together, so a repeated request gets the first response even if the process died before sending it.
 */
import { keepAuthority } from "../../auth/authority";
import type { AccountActor, Actor } from "../../core/actor";
import { pool, type Tx, transaction } from "../../core/db";
import type { Idempotency } from "../../core/trpc";
import { inAccountQueue } from "../account-queue";
import { type LockedAccount, lockAdmission } from "../store";
import { requireUnsuspended } from "../unsuspended";
import { type IdempotentRequest, markReplayed, requireCaller } from "./request";
import { readResponses, storeResponses } from "./stored-responses";

type Operation<Result> = {
  /**
   * A slow check that may refuse the request, such as a DNS lookup. Runs before the lock is taken. Ignored when a
   * response exists, so that a completed request is not refused when it is repeated.
   */
  check?: () => Promise<void>;
  /** Whether the response contains a secret; it is then repeated only to its own caller, not to the account's other keys. */
  showsSecret?: boolean;
  /**
   * Whether a suspended account may do it: true of operations that protect it or its recipients and create nothing.
   */
  whileSuspended?: boolean;
  carryOut: (tx: Tx) => Promise<Result>;
};

/**
 * `accountId`: the account that owns the lock and the key. `caller`: the key or person; only they get a response with a secret
 * again. `actor`: who must still be allowed to act when the operation is carried out or its response is given again.
 */
type Owner = { accountId: string; caller: string; actor: Actor };

/** Owns the Idempotency-Keys of operators' commands that concern no account or a new one. No account has this id. */
export const OPERATORS = { accountId: "operators", caller: "admin" } as const;

const ownerOf = (actor: AccountActor): Owner => ({
  accountId: actor.accountId,
  caller: actor.kind === "apiKey" ? actor.keyId : actor.userId,
  actor,
});

/** The key, with hashes that match only requests of this caller. */
function ofCaller({ key, requestHash, valueHash }: Idempotency, caller: string): Idempotency {
  const own = (hash: string) => `${hash} ${caller}`;
  return { key, requestHash: own(requestHash), valueHash: valueHash && own(valueHash) };
}

/** The error that `check` throws; null when it passes. */
async function refusalOf(check: () => Promise<void>): Promise<{ thrown: unknown } | null> {
  try {
    await check();
    return null;
  } catch (thrown) {
    return { thrown };
  }
}

/** A transaction that holds the account's admission lock. A wait for the lock holds a connection, so each account has one at a time. */
const inOwnTransaction = <Result>(
  { accountId, actor }: Pick<Owner, "accountId" | "actor">,
  work: (tx: Tx, account: LockedAccount | undefined) => Promise<Result>,
): Promise<Result> =>
  inAccountQueue(accountId, () =>
    transaction(async (tx) => {
      // Pipelined in this order: the authority of a key is kept by the admission lock.
      const [accounts] = await Promise.all([lockAdmission(tx, [accountId]), keepAuthority(tx, actor)]);
      return work(tx, accounts.get(accountId));
    }),
  );

/**
 * Carries out an operation in a transaction that holds the account's admission lock. With an Idempotency-Key it is carried out once
 * in 24 hours; repeats get the first response, which is stored encrypted because it may contain secrets.
 * @throws 400 when the key was used with another request, or when the caller of a request with a key has hung up; 403
 *   `account_not_active` when the account is suspended and the operation creates something; 401 or 403 when the actor may no longer act;
 *   429 `too_many_at_once` when too many operations of the account wait; errors of the operation. All of them leave the key unused.
 */
export const createOnce = <Result>(
  actor: AccountActor,
  request: IdempotentRequest,
  operation: Operation<Result>,
): Promise<Result> => createOnceFor(ownerOf(actor), request, operation);

/** {@link createOnce} for another account than the caller's, as when an operator changes it. */
export async function createOnceFor<Result>(
  { accountId, caller, actor }: Owner,
  request: IdempotentRequest,
  { check, showsSecret = false, whileSuspended = false, carryOut }: Operation<Result>,
): Promise<Result> {
  const idempotency = request.idempotency();
  const requireOpen = (account: LockedAccount | undefined) => {
    if (!whileSuspended) requireUnsuspended(account);
  };
  if (!idempotency) {
    await check?.();
    return inOwnTransaction({ accountId, actor }, async (tx, account) => {
      requireOpen(account);
      return carryOut(tx);
    });
  }
  const keyed = {
    accountId,
    idempotency: showsSecret ? ofCaller(idempotency, caller) : idempotency,
  };
  const replay = ({ response }: { response: unknown }): Result => {
    markReplayed(request);
    return response as Result;
  };
  // Reading without the lock avoids the check; a response stored meanwhile is found under the lock.
  const early = check ? (await readResponses(pool(), [keyed])).find(keyed) : null;
  const refusal = check && !early ? await refusalOf(check) : null;
  return inOwnTransaction({ accountId, actor }, async (tx, account) => {
    const known = early ?? (await readResponses(tx, [keyed])).find(keyed);
    if (known) return replay(known);
    requireOpen(account);
    if (refusal) throw refusal.thrown;
    requireCaller(request);
    const response = await carryOut(tx);
    await storeResponses(tx, [{ ...keyed, response, isSealed: true }]);
    return response;
  });
}
