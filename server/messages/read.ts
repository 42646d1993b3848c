import type { AccountActor } from "../core/actor";
import { fromMicros } from "../core/wire";
import { estimateSend } from "./accept/estimate";
import { isInNumberingPlan } from "./accept/fraud-rules";
import { findKeyOf, findMessage, readHistory } from "./history";
import { presentMessage } from "./present";
import type { Quote, QuoteInput } from "./quote-schema";
import type { Message, MessageDetail } from "./schema";
import { timelineOf } from "./timeline";
import type { Timeline } from "./timeline-schema";

/** Returns one message of the account. @throws 404, also for another account's. */
export const getMessage = async (actor: AccountActor, id: string): Promise<Message> =>
  presentMessage(await findMessage(actor, id));

/** Console: returns a message with its history. @throws 404, also for another account's. */
export async function getMessageDetail(actor: AccountActor, id: string): Promise<MessageDetail> {
  const [{ message: row, rescheduled, attempts, receipts, ledger, events, deliveries }, apiKey] = await Promise.all([
    readHistory(actor, id),
    findKeyOf(actor, id),
  ]);
  return {
    message: presentMessage(row),
    reference: row.reference,
    api_key: apiKey,
    encoding: row.encoding as MessageDetail["encoding"],
    segments: row.segments,
    rescheduled: rescheduled && { at: rescheduled.rescheduledAt.toISOString(), times: rescheduled.times },
    attempts: attempts.map((attempt) => ({
      seq: attempt.seq,
      provider: attempt.provider,
      outcome: attempt.outcome as MessageDetail["attempts"][number]["outcome"],
      code: attempt.code,
      detail: attempt.detail,
      latency_ms: attempt.latencyMs,
      started_at: attempt.startedAt.toISOString(),
    })),
    receipts: receipts.map((receipt) => ({
      status: receipt.status,
      code: receipt.code,
      detail: receipt.detail,
      applied: receipt.applied,
      received_at: receipt.receivedAt.toISOString(),
    })),
    ledger: ledger.map((entry) => ({
      kind: entry.kind,
      amount: fromMicros(entry.amountMicros),
      created_at: entry.createdAt.toISOString(),
    })),
    deliveries: deliveries.map((delivery) => ({
      id: delivery.id,
      endpoint_id: delivery.endpointId,
      url: delivery.url,
      event_type: events.find((event) => event.id === delivery.eventId)?.type ?? "",
      status: delivery.status,
      attempts: delivery.attempts,
      created_at: delivery.createdAt.toISOString(),
    })),
  };
}

/** Returns the timeline of a message. @throws 404, also for another account's. */
export const getTimeline = async (actor: AccountActor, id: string): Promise<Timeline> =>
  timelineOf(await readHistory(actor, id));

/**
 * Console: the price of a draft message, and why it would be refused or fail, by the same code as the send.
 * `is_in_numbering_plan` false: no country has such a number, although a route may match it.
 */
export async function quoteMessage(actor: AccountActor, input: QuoteInput): Promise<Quote> {
  return { ...(await estimateSend(actor, input)), is_in_numbering_plan: isInNumberingPlan(input.to) };
}
