/** Sends deliveries that an endpoint missed again, in steps. */
import { filterEquals, type Tx } from "../../core/db";
import { isEvent } from "../derived-ids";
import { findForgottenTexts } from "./forgotten-texts";
import { queueAgain, SEND_AGAIN, type SentAgain } from "./send-again";

type Missed = Position & { messageId: string };
/** The last delivery of the previous step, in the order of `createdAt`, then id. */
export type Position = { createdAt: Date; id: string };

/** `count`: deliveries that are sent again; `last`: the last one that was read, null when there was none. */
export type Step = { count: number; last: Position | null };

const DELIVERIES_PER_STEP = 1_000;

/** SQL: a delivery that the pause $5 has parked; a trigger writes `held_at`. In the form of the index of these alone. */
const PARKED_BY_PAUSE = `${filterEquals("d.status", "held")} AND d.held_at = $5::timestamptz`;

/**
 * Sends the next 1,000 parked or abandoned deliveries of an endpoint again, with their jobs, in the transaction that holds its
 * lock. Events of messages whose text was deleted are left alone, unless a pause has parked them: they waited as for a later try, and
 * are sent with an empty text.
 * @param pause only those that this pause has parked, by the `resume_from` of its endpoint.
 */
export async function sendMissedAgain(
  tx: Tx,
  endpointId: string,
  after: Position,
  pause: Date | null = null,
): Promise<Step> {
  const position = [endpointId, after.createdAt.toISOString(), after.id, DELIVERIES_PER_STEP];
  const missed = await tx.query<Missed>({
    name: pause ? "webhooks.deliveries_parked_by" : "webhooks.missed_deliveries",
    text: `SELECT d.id, d.created_at AS "createdAt", e.message_id AS "messageId"
           FROM webhook_deliveries d
           CROSS JOIN LATERAL (SELECT message_id FROM events e WHERE ${isEvent("e", "d.account_id", "d.event_id")} OFFSET 0) e
           WHERE d.endpoint_id = $1 AND ${pause ? PARKED_BY_PAUSE : "d.status IN ('held', 'abandoned')"}
             AND (d.created_at, d.id) > ($2::timestamptz, $3)
           ORDER BY d.created_at, d.id LIMIT $4`,
    values: pause ? [...position, pause.toISOString()] : position,
  });
  // Also keeps the messages until the jobs are committed.
  const forgotten = await findForgottenTexts(tx, [...new Set(missed.rows.map(({ messageId }) => messageId))]);
  const isLeft = ({ messageId }: Missed) => pause === null && forgotten.has(messageId);
  const { rows } = await tx.query<SentAgain>({
    name: "webhooks.recover_deliveries",
    // Written this way, the status matches no partial index, which would be searched once for each of its deliveries.
    text: `WITH former AS (
             SELECT * FROM webhook_deliveries WHERE id = ANY($1::text[]) AND status || '' IN ('held', 'abandoned')
           ), ${SEND_AGAIN}`,
    values: [missed.rows.flatMap((each) => (isLeft(each) ? [] : [each.id]))],
  });
  const recovered = rows.sort(
    (one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1),
  );
  await queueAgain(tx, recovered);
  return { count: recovered.length, last: missed.rows.at(-1) ?? null };
}
