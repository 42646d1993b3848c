/**
 * Idempotent creation outside the send path: the operation and the response for its Idempotency-Key are committed
 * together, so a repeated request gets the first response even if the process died before sending it.
 */
import type { AccountActor } from "../core/actor";
import { pool, type Queryable, type Tx, transaction } from "../core/db";
import { env } from "../core/env";
import { invalidRequest } from "../core/errors";
import { seal, unseal } from "../core/seal";
import type { Context } from "../core/trpc";
import { lockAccounts } from "./store";

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
type Kept = { accountId: string; key: string; requestHash: string };

/** The first response to a request; null when there is none. @throws 400 when its key was used with another request. */
async function readResponse<Result>(
  db: Queryable,
  kept: Kept,
  request: IdempotentRequest,
): Promise<{ response: Result } | null> {
  const { rows } = await db.query<{ requestHash: string; response: string }>(
    `SELECT request_hash AS "requestHash", response FROM idempotency_keys
     WHERE account_id = $1 AND key = $2 AND created_at > now() - interval '24 hours'`,
    [kept.accountId, kept.key],
  );
  const [known] = rows;
  if (!known) return null;
  if (known.requestHash !== kept.requestHash) throw keyReused();
  markReplayed(request);
  return { response: JSON.parse(unseal(env().SECRET_KEY, PURPOSE, known.response)) as Result };
}

async function storeResponse(tx: Tx, { accountId, key, requestHash }: Kept, response: unknown): Promise<void> {
  await tx.query(
    `INSERT INTO idempotency_keys (account_id, key, request_hash, response, created_at) VALUES ($1, $2, $3, $4, now())
     ON CONFLICT (account_id, key) DO UPDATE
       SET request_hash = excluded.request_hash, response = excluded.response, created_at = excluded.created_at`,
    [accountId, key, requestHash, seal(env().SECRET_KEY, PURPOSE, JSON.stringify(response))],
  );
}

/**
 * Carries out an operation in a transaction that holds the account's lock. With an Idempotency-Key it is carried out once
 * in 24 hours; repeats get the first response, which is stored encrypted because it may contain secrets.
 * @throws 400 when the key was used with another request; errors of the operation, which leave the key unused.
 */
export async function createOnce<Result>(
  actor: AccountActor,
  request: IdempotentRequest,
  { check, showsSecret = false, carryOut }: Operation<Result>,
): Promise<Result> {
  const idempotency = request.idempotency();
  const { accountId } = actor;
  if (!idempotency) {
    await check?.();
    return transaction(async (tx) => {
      await lockAccounts(tx, [accountId]);
      return carryOut(tx);
    });
  }
  const { key, requestHash: hash } = idempotency;
  const kept = { accountId, key, requestHash: showsSecret ? `${hash} ${callerOf(actor)}` : hash };
  // Reading without the lock avoids the check; a response stored meanwhile is found under the lock.
  const known = check ? await readResponse<Result>(pool(), kept, request) : null;
  if (known) return known.response;
  const refusal = check ? await refusalOf(check) : null;
  return transaction(async (tx) => {
    await lockAccounts(tx, [accountId]);
    const found = await readResponse<Result>(tx, kept, request);
    if (found) return found.response;
    if (refusal) throw refusal.thrown;
    const response = await carryOut(tx);
    await storeResponse(tx, kept, response);
    return response;
  });
}
