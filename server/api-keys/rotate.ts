import { createOnce } from "../accounts/idempotency/create-once";
import { type IdempotentRequest, plainRequest } from "../accounts/idempotency/request";
import { recordAudit } from "../audit/store";
import { requireConfirmed, type SessionActor } from "../core/actor";
import { now } from "../core/clock";
import type { Tx } from "../core/db";
import { isTestAccount, newId } from "../core/ids";
import { isoOrNull } from "../core/wire";
import { invalidateKey } from "./authenticate";
import { presentApiKey } from "./present";
import type { CreatedApiKey, RotateApiKeyInput } from "./schema";
import { hashKey, keyHint, newPlainKey } from "./secret";
import { auditOf, PLAIN_KEY_NOTICE } from "./service";
import { insertKey, type LockedKey, lockKey } from "./store";

/**
 * Ends a key after some hours, at the latest when it would have expired anyway; 0: now.
 * @returns when it expires.
 */
async function endKey(tx: Tx, id: string, graceHours: RotateApiKeyInput["grace_hours"]): Promise<Date | null> {
  const { rows } = await tx.query<{ end: Date }>(
    graceHours === 0
      ? "UPDATE api_keys SET revoked_at = now() WHERE id = $1 RETURNING expires_at AS end"
      : `UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(hours => ${graceHours}))
         WHERE id = $1 RETURNING expires_at AS end`,
    [id],
  );
  return rows[0]?.end ?? null;
}

/**
 * Replaces an active key by a new one of the same name, permissions and limits, which only this response contains. The
 * old key goes on working for `grace_hours`, with a daily and monthly quota that it shares with the new one; keys that it created are
 * not touched, and share that quota too. With an Idempotency-Key it is replaced once, and repeats get the same new key.
 * @throws 404; 400 `key_limit` beyond 100 active keys; 429 `key_creation_limit` beyond 1,000 new keys in a UTC day; 403
 *   `confirmation_required` for a person who has not given their password lately.
 */
export async function rotateApiKey(
  actor: SessionActor,
  { id, grace_hours: graceHours }: RotateApiKeyInput,
  request: IdempotentRequest = plainRequest(),
): Promise<CreatedApiKey> {
  requireConfirmed(actor);
  const { accountId } = actor;
  const plainKey = newPlainKey(isTestAccount(accountId));
  const at = now();
  const carryOut = async (tx: Tx) => {
    const current: LockedKey = await lockKey(tx, actor, id);
    const row = {
      ...current,
      id: newId("apiKey"),
      accountId,
      countedAs: current.countedAs ?? id,
      keyHash: hashKey(plainKey),
      keyHint: keyHint(plainKey),
      revokedAt: null,
      lastUsedAt: null,
      createdAt: at,
    };
    const end = await endKey(tx, id, graceHours);
    await insertKey(tx, row);
    await recordAudit(tx, actor, { action: "api_key.created", accountId, subjectId: row.id, after: auditOf(row) });
    await recordAudit(tx, actor, {
      action: graceHours === 0 ? "api_key.revoked" : "api_key.updated",
      accountId,
      subjectId: id,
      before: { expires_at: isoOrNull(current.expiresAt) },
      after: { expires_at: isoOrNull(end) },
    });
    const created = { ...presentApiKey(row, at), plain_key: plainKey, plain_key_notice: PLAIN_KEY_NOTICE };
    return { created, formerHash: current.keyHash };
  };
  const { created, formerHash } = await createOnce(actor, request, { showsSecret: true, carryOut });
  invalidateKey(formerHash);
  return created;
}
