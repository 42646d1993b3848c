/** Responses to Idempotency-Keys of sends. */
import { type StoredHashes, storedValueHash } from "../../accounts/same-request";
import type { Tx } from "../../core/db";
import type { Idempotency } from "../../core/trpc";
import { unnest } from "../../core/unnest";

/** Identifies the response to an account's Idempotency-Key. */
export const responseKey = (accountId: string, idempotencyKey: string): string => `${accountId} ${idempotencyKey}`;

/** A stored response. `read` parses it only when its request matches: another operation may have stored another shape. */
export type KnownResponse = StoredHashes & { read: () => unknown };

type SendRequest = { accountId: string; idempotency: Idempotency | null };
type Keyed<R extends SendRequest> = R & { idempotency: Idempotency };

const isKeyed = <R extends SendRequest>(request: R): request is Keyed<R> => request.idempotency !== null;

const KEYS = unnest<Keyed<SendRequest>>({
  account_id: ["text", ({ accountId }) => accountId],
  key: ["text", ({ idempotency }) => idempotency.key],
});

/**
 * Reads the stored responses to the Idempotency-Keys of requests, by {@link responseKey}. The account locks make reading and
 * writing them atomic.
 */
export async function readResponses(tx: Tx, requests: readonly SendRequest[]): Promise<Map<string, KnownResponse>> {
  const keyed = requests.filter(isKeyed);
  if (keyed.length === 0) return new Map();
  const { rows } = await tx.query<StoredHashes & { accountId: string; key: string; response: string }>({
    name: "messages.responses",
    text: `SELECT i.account_id AS "accountId", i.key, i.request_hash AS "requestHash",
             i.value_hash AS "valueHash", i.response
           FROM idempotency_keys i JOIN ${KEYS.as("k")} USING (account_id, key)
           WHERE i.created_at > now() - interval '24 hours'`,
    values: KEYS.values(keyed),
  });
  return new Map(
    rows.map((row) => [
      responseKey(row.accountId, row.key),
      { requestHash: row.requestHash, valueHash: row.valueHash, read: () => JSON.parse(row.response) as unknown },
    ]),
  );
}

type SendResponse = SendRequest & { response: unknown };

const NEW_RESPONSES = unnest<Keyed<SendResponse>>({
  account_id: ["text", ({ accountId }) => accountId],
  key: ["text", ({ idempotency }) => idempotency.key],
  request_hash: ["text", ({ idempotency }) => idempotency.requestHash],
  value_hash: ["text", ({ idempotency }) => storedValueHash(idempotency)],
  response: ["text", ({ response }) => JSON.stringify(response)],
});

/** Stores the responses to requests with an Idempotency-Key, in place of expired ones. */
export async function storeResponses(tx: Tx, requests: readonly SendResponse[]): Promise<void> {
  const responses = requests.filter(isKeyed);
  if (responses.length === 0) return;
  await tx.query({
    name: "messages.remember_answers",
    text: `INSERT INTO idempotency_keys (account_id, key, request_hash, value_hash, response, created_at)
           SELECT *, now() FROM ${NEW_RESPONSES.sql}
           ON CONFLICT (account_id, key) DO UPDATE
             SET request_hash = excluded.request_hash, value_hash = excluded.value_hash, response = excluded.response,
               created_at = excluded.created_at`,
    values: NEW_RESPONSES.values(responses),
  });
}
