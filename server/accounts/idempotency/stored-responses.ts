/**
 * The stored responses to Idempotency-Keys, of sends and of all other operations. A response is stored in the transaction of its
 * operation, and read under the lock of its account, so that a repeated request finds it or is the first.
 */
import type { Queryable, Tx } from "../../core/db";
import { env, secretKeys } from "../../core/env";
import { invalidRequest } from "../../core/errors";
import { seal, unseal } from "../../core/seal";
import type { Idempotency } from "../../core/trpc";
import { unnest } from "../../core/unnest";
import { deleteInSteps } from "../../retention/steps";
import { isSameRequest, type StoredHashes, storedValueHash } from "./same-request";

/** Hours for which a stored response is replayed. */
const REPEATED_HOURS = 24;
/** Responses are deleted later than they expire, so that no transaction loses one that it has just read. */
const KEPT_HOURS = REPEATED_HOURS + 1;

/** A part of the key's derivation, so it cannot be renamed. */
const PURPOSE = "idempotent answer";
/** JSON of an object or array never begins with this. */
const SEALED = /^v\d+\./;

type Request = { accountId: string; idempotency: Idempotency | null };
type Keyed<R extends Request> = R & { idempotency: Idempotency };
type NewResponse = Request & {
  response: unknown;
  /** Whether to encrypt it, because it may contain a secret. */
  isSealed: boolean;
};

const isKeyed = <R extends Request>(request: R): request is Keyed<R> => request.idempotency !== null;

const written = ({ response, isSealed }: NewResponse): string => {
  const text = JSON.stringify(response);
  return isSealed ? seal(env().SECRET_KEY, PURPOSE, text) : text;
};

/** 400: the stored response was sealed with a SECRET_KEY that is no longer in use. */
const responseLost = () =>
  invalidRequest(
    "The response to this Idempotency-Key cannot be shown again, because the service has changed its secret key since.",
    { param: "Idempotency-Key", reason: "idempotency_response_lost" },
  );

/** @throws 400 `idempotency_response_lost` when no key of the ring opens it. */
function read(stored: string): unknown {
  if (!SEALED.test(stored)) return JSON.parse(stored);
  let text: string;
  try {
    text = unseal(secretKeys(), PURPOSE, stored);
  } catch {
    throw responseLost();
  }
  return JSON.parse(text);
}

/** 400: the key was used with another request. */
export const keyReused = () =>
  invalidRequest("This Idempotency-Key was used before with another request.", {
    param: "Idempotency-Key",
    reason: "idempotency_key_reused",
  });

/** The stored responses to the keys of some requests. */
export type StoredResponses = {
  /** The first response to this request; null: there is none. @throws 400 when its key was used with another request, or its response is lost. */
  find: (request: Request) => { response: unknown } | null;
  /** Adds a response before it is stored, for repeats in the same batch. */
  add: (request: Request, response: unknown) => void;
};

/** `read` parses the response only when its request matches: another operation may have stored another shape. */
type Known = StoredHashes & { read: () => unknown };

const idOf = (accountId: string, key: string): string => `${accountId} ${key}`;

function storedResponses(known: Map<string, Known>): StoredResponses {
  return {
    find: ({ accountId, idempotency }) => {
      const found = idempotency && known.get(idOf(accountId, idempotency.key));
      if (!found) return null;
      if (!isSameRequest(found, idempotency)) throw keyReused();
      return { response: found.read() };
    },
    add: ({ accountId, idempotency }, response) => {
      if (!idempotency) return;
      const { key, requestHash } = idempotency;
      const valueHash = storedValueHash(idempotency);
      known.set(idOf(accountId, key), { requestHash, valueHash, read: () => response });
    },
  };
}

const KEYS = unnest<Keyed<Request>>({
  account_id: ["text", ({ accountId }) => accountId],
  key: ["text", ({ idempotency }) => idempotency.key],
});

/** Reads the stored responses to the Idempotency-Keys of requests; without keys it sends no statement. */
export async function readResponses(db: Queryable, requests: readonly Request[]): Promise<StoredResponses> {
  const keyed = requests.filter(isKeyed);
  if (keyed.length === 0) return storedResponses(new Map());
  const { rows } = await db.query<StoredHashes & { accountId: string; key: string; response: string }>({
    name: "accounts.stored_responses",
    text: `SELECT i.account_id AS "accountId", i.key, i.request_hash AS "requestHash",
             i.value_hash AS "valueHash", i.response
           FROM idempotency_keys i JOIN ${KEYS.as("k")} USING (account_id, key)
           WHERE i.created_at > now() - interval '${REPEATED_HOURS} hours'`,
    values: KEYS.values(keyed),
  });
  return storedResponses(
    new Map(
      rows.map(({ accountId, key, requestHash, valueHash, response }) => [
        idOf(accountId, key),
        { requestHash, valueHash, read: () => read(response) },
      ]),
    ),
  );
}

const NEW_RESPONSES = unnest<Keyed<NewResponse>>({
  account_id: ["text", ({ accountId }) => accountId],
  key: ["text", ({ idempotency }) => idempotency.key],
  request_hash: ["text", ({ idempotency }) => idempotency.requestHash],
  value_hash: ["text", ({ idempotency }) => storedValueHash(idempotency)],
  response: ["text", written],
});

/** Stores the responses to requests with an Idempotency-Key, in place of expired ones. */
export async function storeResponses(tx: Tx, requests: readonly NewResponse[]): Promise<void> {
  const responses = requests.filter(isKeyed);
  if (responses.length === 0) return;
  await tx.query({
    name: "accounts.store_responses",
    text: `INSERT INTO idempotency_keys (account_id, key, request_hash, value_hash, response, created_at)
           SELECT *, now() FROM ${NEW_RESPONSES.sql}
           ON CONFLICT (account_id, key) DO UPDATE
             SET request_hash = excluded.request_hash, value_hash = excluded.value_hash, response = excluded.response,
               created_at = excluded.created_at`,
    values: NEW_RESPONSES.values(responses),
  });
}

/** Deletes expired responses, in steps. */
export async function deleteExpiredResponses(signal?: AbortSignal): Promise<void> {
  await deleteInSteps("idempotency_keys", `created_at < now() - interval '${KEPT_HOURS} hours'`, { signal });
}
