import { messageTexts } from "@/app/_texts/messages/detail";
import type { MessageDetail } from "@/server/messages/schema";

/** One entry of a message's timeline. */
export type TimelineEntry = { key: string; at: string } & (
  | { kind: "accepted" }
  | { kind: "rescheduled"; scheduledAt: string; times: number }
  | { kind: "attempt"; attempt: MessageDetail["attempts"][number] }
  | { kind: "receipt"; receipt: MessageDetail["receipts"][number] }
  | { kind: "ledger"; move: MessageDetail["ledger"][number] }
  | { kind: "sent" }
  | { kind: "delivered" }
  | { kind: "failed" }
  | { kind: "delivery"; delivery: MessageDetail["deliveries"][number] }
);

/** Order within the same millisecond: the cause before its effect. */
const ORDER: Readonly<Record<TimelineEntry["kind"], number>> = {
  accepted: 0,
  rescheduled: 2,
  attempt: 3,
  sent: 4,
  receipt: 5,
  delivered: 6,
  failed: 6,
  ledger: 7,
  delivery: 8,
};
/** Money is reserved in the transaction of acceptance, so its entry comes right after. */
const RESERVED = 1;

const rank = (entry: TimelineEntry) =>
  entry.kind === "ledger" && entry.move.kind === "reserve" ? RESERVED : ORDER[entry.kind];

/** All that is known of a message as one list, oldest first. */
export function timelineOf({
  message,
  rescheduled,
  attempts,
  receipts,
  ledger,
  deliveries,
}: MessageDetail): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    { key: "accepted", at: message.created_at, kind: "accepted" },
    ...attempts.map(
      (attempt): TimelineEntry => ({
        key: `attempt-${attempt.seq}`,
        at: attempt.started_at,
        kind: "attempt",
        attempt,
      }),
    ),
    // The index, because two receipts may be equal in every field.
    ...receipts.map(
      (receipt, at): TimelineEntry => ({
        key: `receipt-${at}`,
        at: receipt.received_at,
        kind: "receipt",
        receipt,
      }),
    ),
    ...ledger.map((move): TimelineEntry => ({ key: `ledger-${move.kind}`, at: move.created_at, kind: "ledger", move })),
    ...deliveries.map(
      (delivery): TimelineEntry => ({
        key: delivery.id,
        at: delivery.created_at,
        kind: "delivery",
        delivery,
      }),
    ),
  ];
  if (rescheduled && message.scheduled_at) {
    const { at, times } = rescheduled;
    entries.push({ key: "rescheduled", at, kind: "rescheduled", scheduledAt: message.scheduled_at, times });
  }
  if (message.sent_at) entries.push({ key: "sent", at: message.sent_at, kind: "sent" });
  if (message.delivered_at) entries.push({ key: "delivered", at: message.delivered_at, kind: "delivered" });
  if (message.failed_at) entries.push({ key: "failed", at: message.failed_at, kind: "failed" });
  return entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || rank(a) - rank(b));
}

/** An entry with the money moves and webhooks that it caused. */
export type FoldedEntry = { entry: TimelineEntry; folded: TimelineEntry[] };

const isConsequence = ({ kind }: TimelineEntry) => kind === "ledger" || kind === "delivery";

/** The history of a message, oldest first; money and webhooks stand below the entry that they follow. */
export function foldedTimeline(detail: MessageDetail): FoldedEntry[] {
  const entries: FoldedEntry[] = [];
  for (const entry of timelineOf(detail)) {
    const cause = entries.at(-1);
    if (cause && isConsequence(entry)) cause.folded.push(entry);
    else entries.push({ entry, folded: [] });
  }
  return entries;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Time from `from` to `to`, both ISO 8601: `+12 ms`, `+1.2 s`, `+3 min 20 s`, `+12 h 5 min`; never negative. */
export function elapsed(from: string, to: string): string {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  return `+${lasting(ms)}`;
}

function lasting(ms: number): string {
  const texts = messageTexts.lapse;
  if (ms < SECOND_MS) return texts.milliseconds(ms);
  if (ms < MINUTE_MS) return texts.seconds((Math.floor(ms / 100) / 10).toFixed(1));
  if (ms < HOUR_MS) return texts.minutes(Math.floor(ms / MINUTE_MS), Math.floor((ms % MINUTE_MS) / SECOND_MS));
  return texts.hours(Math.floor(ms / HOUR_MS), Math.floor((ms % HOUR_MS) / MINUTE_MS));
}
