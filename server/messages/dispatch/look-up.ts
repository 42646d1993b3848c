/** Looks up attempts with an unknown outcome at providers that support it. */
import { MINUTE_MS, SECOND_MS } from "../../core/clock";
import { pool } from "../../core/db";
import { env } from "../../core/env";
import { errorFields, log } from "../../core/log";
import type { Adapter, OutboundMessage } from "../../providers/port";
import { receiptUrlFor } from "../../providers/receipt-url";
import { referenceTo } from "../../providers/reference";
import { providerTable } from "../../providers/registry";
import { isBegun } from "../attempts-so-far";
import type { Attempt } from "./claims";
import { dltOfMessage } from "./dlt";
import { BEGUN_WITHIN_MS, continueWith, UNRESOLVED_AFTER_MS } from "./run-attempt";

/** Concurrent look-ups per provider and process: providers allow few, and one that hangs must not accumulate them. */
const LOOK_UPS_MAX = 5;
/** The provider may still be processing a request that it has not responded to. */
const SETTLES_WITHIN_MS = 30 * SECOND_MS;
/** Pause between look-ups of one attempt, in all processes. */
const LOOK_UP_AGAIN_MS = MINUTE_MS;

type Row = OutboundMessage & {
  accountId: string;
  seq: number;
  claim: string;
  claimedAt: Date;
  tried: string[];
  afterUnknown: boolean;
};

/**
 * Looks up a few attempts at `provider` with an unknown outcome, least recently looked up first, and records what the
 * provider reports. They run concurrently, so this takes as long as one call.
 * @returns how many were looked up.
 */
export async function lookUpUnknown(provider: string): Promise<number> {
  const adapter = (await providerTable()).openAdapter(provider);
  const { lookUp } = adapter ?? {};
  if (!adapter || !lookUp) return 0;
  const due = await takeDue(provider);
  await Promise.all(
    due.map((attempt) =>
      lookUpOne(adapter.id, lookUp, attempt).catch((thrown) =>
        log("warn", "attempt.not_looked_up", { message_id: attempt.message.id, provider, ...errorFields(thrown) }),
      ),
    ),
  );
  return due.length;
}

/** Selects the attempts to look up next and marks them, so that no other process looks them up meanwhile. */
async function takeDue(provider: string): Promise<Attempt[]> {
  const timeoutMs = env().PROVIDER_TIMEOUT_MS;
  const { rows } = await pool().query<Row>({
    name: "look_up.take",
    // A begun attempt without an outcome may be under way; BEGUN_WITHIN_MS covers calls of older versions, which claimed
    // and began in one step and may still be waiting for a slot. Other rows are looked up for each attempt: a join may read all messages.
    text: `WITH due AS MATERIALIZED (
             SELECT a.message_id, a.seq FROM message_attempts a
             WHERE (a.outcome IS NULL OR a.outcome = 'unknown') AND ${isBegun("a")} AND a.provider = $1
               AND a.started_at > now() - $2 * interval '1 millisecond'
               AND CASE WHEN a.outcome IS NULL THEN COALESCE(a.begun_at, a.started_at) < now() - $3 * interval '1 millisecond'
                 ELSE a.finished_at < now() - $4 * interval '1 millisecond' END
               AND (a.looked_up_at IS NULL OR a.looked_up_at < now() - $5 * interval '1 millisecond')
               AND (SELECT m.status FROM messages m WHERE m.id = a.message_id) = 'pending'
               AND NOT EXISTS (SELECT 1 FROM message_attempts b WHERE b.message_id = a.message_id AND b.seq > a.seq OFFSET 0)
               AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = a.message_id OFFSET 0)
             ORDER BY a.looked_up_at NULLS FIRST, a.started_at LIMIT $6 FOR UPDATE OF a SKIP LOCKED)
           UPDATE message_attempts a SET looked_up_at = now() FROM due, messages m
           WHERE a.message_id = due.message_id AND a.seq = due.seq AND m.id = due.message_id
           RETURNING m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding, m.segments,
             m.expires_at AS "expiresAt", ${dltOfMessage("m")} AS dlt,
             m.account_id AS "accountId", a.seq, a.claim, a.started_at AS "claimedAt",
             ARRAY(SELECT b.provider FROM message_attempts b WHERE b.message_id = m.id AND b.seq < a.seq ORDER BY b.seq) AS tried,
             EXISTS (SELECT 1 FROM message_attempts b
               WHERE b.message_id = m.id AND b.seq < a.seq AND b.outcome = 'unknown') AS "afterUnknown"`,
    values: [
      provider,
      UNRESOLVED_AFTER_MS,
      BEGUN_WITHIN_MS + timeoutMs + SETTLES_WITHIN_MS,
      SETTLES_WITHIN_MS,
      Math.max(LOOK_UP_AGAIN_MS, 2 * timeoutMs),
      LOOK_UPS_MAX,
    ],
  });
  return rows.map(({ accountId, seq, claim, claimedAt, tried, afterUnknown, ...message }) => {
    return { message, accountId, seq, provider, claim, claimedAt, tried, afterUnknown, slot: null, begunAtMs: null };
  });
}

async function lookUpOne(id: Adapter["id"], lookUp: NonNullable<Adapter["lookUp"]>, attempt: Attempt): Promise<void> {
  const { message, seq, provider } = attempt;
  const reference = referenceTo(message.id, seq);
  const outcome = await lookUp({ message, reference, receiptUrl: receiptUrlFor(id, reference) });
  if (!outcome || outcome.kind === "unknown") return;
  log("info", "attempt.looked_up", { message_id: message.id, provider, outcome: outcome.kind });
  await continueWith(attempt, outcome);
}
