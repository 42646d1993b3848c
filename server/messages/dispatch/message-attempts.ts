/** The rows of attempts: reads those of messages, and ends them. */
import type { Tx } from "../../core/db";
import { groupBy } from "../../core/group-by";
import { unnest } from "../../core/unnest";
import { ownPartId } from "../receipts/parts";
import type { SharedIds } from "../receipts/shared-ids";
import { storedCode, storedDetail } from "../stored-text";
import type { AttemptResult } from "./attempt-result";
import type { StoredAttempt } from "./decide-next";

/** All attempts of locked messages, by message and in their order. */
export async function readAttempts(tx: Tx, ids: readonly string[]): Promise<Map<string, StoredAttempt[]>> {
  const { rows } = await tx.query<StoredAttempt & { id: string }>({
    name: "attempts.of_messages",
    text: `SELECT message_id AS id, seq, provider, outcome, fault, claim,
             CASE WHEN fault = 'throttled' THEN extract(epoch FROM clock_timestamp() - started_at)::float8 * 1000 END
               AS "throttledForMs"
           FROM message_attempts
           WHERE message_id = ANY($1::text[]) ORDER BY seq`,
    values: [ids],
  });
  return groupBy(rows, ({ id }) => id);
}

const RESULTS = unnest<AttemptResult & { sharedIds: ReadonlySet<string> | undefined }>({
  message_id: ["text", ({ attempt }) => attempt.message.id],
  seq: ["int2", ({ attempt }) => attempt.seq],
  outcome: ["text", ({ outcome }) => outcome.kind],
  provider_message_id: [
    "text",
    ({ attempt, outcome, sharedIds }) => {
      const [id] = outcome.kind === "accepted" ? outcome.providerMessageIds : [];
      return id && sharedIds?.has(id) ? ownPartId(id, attempt.message.id) : id || null;
    },
  ],
  code: ["text", ({ outcome }) => (outcome.kind === "accepted" ? null : storedCode(outcome.code))],
  detail: ["text", ({ outcome }) => (outcome.kind === "accepted" ? null : storedDetail(outcome.detail))],
  latency_ms: ["int4", ({ latencyMs }) => Math.round(latencyMs)],
  provider_detail: [
    "text",
    ({ outcome }) =>
      outcome.kind !== "accepted" && outcome.providerDetail ? storedDetail(outcome.providerDetail) : null,
  ],
  fault: ["text", ({ outcome }) => (outcome.kind === "retryable" ? outcome.fault : null)],
  claim: ["uuid", ({ attempt }) => attempt.claim],
});

/**
 * Ends attempts. An attempt that another worker has claimed since ends only if the outcome is that a provider took the message.
 */
export async function finishAttempts(tx: Tx, results: readonly AttemptResult[], shared: SharedIds): Promise<void> {
  await tx.query({
    name: "attempts.finish",
    text: `UPDATE message_attempts a SET outcome = u.outcome, provider_message_id = u.provider_message_id, code = u.code,
             detail = u.detail, latency_ms = u.latency_ms, provider_detail = u.provider_detail, fault = u.fault,
             finished_at = clock_timestamp()
           FROM ${RESULTS.as("u")}
           WHERE a.message_id = u.message_id AND a.seq = u.seq
             AND (u.outcome = 'accepted'
               OR a.claim IS NOT DISTINCT FROM u.claim AND (a.outcome IS NULL OR a.outcome = 'unknown'))`,
    values: RESULTS.values(results.map((result) => ({ sharedIds: shared.get(result.attempt), ...result }))),
  });
}
