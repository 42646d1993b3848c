/** Builds the timeline of one message from its rows. */
import { fromMicros, isoOrNull } from "../core/wire";
import type { MessageRow } from "./present";
import { hasFailed, type MessageStatus } from "./status";
import type { Timeline, TimelineEntry } from "./timeline-schema";

/** All rows of one message. Each list is in the order in which its rows were written. */
export type MessageHistory = {
  message: MessageRow;
  /** Null: it never was, or by a version that did not store it. */
  rescheduled: { firstScheduledAt: Date; rescheduledAt: Date; times: number } | null;
  ledger: { kind: string; amountMicros: bigint; reservedMicros: bigint; createdAt: Date }[];
  attempts: {
    seq: number;
    provider: string;
    outcome: string | null;
    code: string | null;
    detail: string | null;
    latencyMs: number | null;
    startedAt: Date;
  }[];
  receipts: { status: string; code: string | null; detail: string | null; applied: boolean; receivedAt: Date }[];
  events: { id: string; type: string; status: string; createdAt: Date }[];
  deliveries: {
    id: string;
    eventId: string;
    endpointId: string;
    url: string;
    status: string;
    attempts: number;
    createdAt: Date;
    tries: {
      round: number;
      attempt: number;
      statusCode: number | null;
      latencyMs: number;
      error: string | null;
      createdAt: Date;
    }[];
  }[];
};

type Of<Kind extends TimelineEntry["kind"]> = Extract<TimelineEntry, { kind: Kind }>;

/** Order of entries of the same millisecond: acceptance, reserve, rescheduling, attempt, receipt, then their effects. */
const RANKS = { accepted: 0, rescheduled: 2, attempt: 3, receipt: 4, event: 6, webhook_try: 7 } as const;
const RESERVE_RANK = 1;
const SETTLEMENT_RANK = 5;

const rankOf = (entry: TimelineEntry): number => {
  if (entry.kind !== "money") return RANKS[entry.kind];
  return entry.details.kind === "reserve" ? RESERVE_RANK : SETTLEMENT_RANK;
};

/** The entries of a message, oldest first, a cause before its effect. */
export function timelineOf(history: MessageHistory): Timeline {
  const entries: TimelineEntry[] = [
    acceptedEntry(history),
    ...rescheduledEntries(history),
    ...history.ledger.map((row) => moneyEntry(row, history.message.currency)),
    ...history.attempts.map(attemptEntry),
    ...history.receipts.map(receiptEntry),
    ...history.events.map((row) => eventEntry(row, history.message)),
    ...history.deliveries.flatMap((delivery) => delivery.tries.map((made) => tryEntry(made, delivery, history.events))),
  ];
  // Sorting is stable: entries of equal time and rank stay in the order in which they were written.
  entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at) || rankOf(one) - rankOf(other));
  return { object: "timeline", message_id: history.message.id, entries };
}

function acceptedEntry({ message: row, rescheduled }: MessageHistory): Of<"accepted"> {
  const size = `${row.segments} ${row.segments === 1 ? "segment" : "segments"} in ${row.encoding}`;
  const scheduledAt = rescheduled?.firstScheduledAt ?? row.scheduledAt;
  const due = scheduledAt ? `, to be sent at ${scheduledAt.toISOString()}` : "";
  return {
    at: row.createdAt.toISOString(),
    kind: "accepted",
    summary: `Accepted from ${row.fromSender} to ${row.toNumber || "nobody"}: ${size}${due}.`,
    details: {
      to: row.toNumber,
      from: row.fromSender,
      encoding: row.encoding as Of<"accepted">["details"]["encoding"],
      segments: row.segments,
      scheduled_at: isoOrNull(scheduledAt),
    },
  };
}

function rescheduledEntries({ message, rescheduled }: MessageHistory): Of<"rescheduled">[] {
  if (!rescheduled || !message.scheduledAt) return [];
  const { rescheduledAt, times } = rescheduled;
  const due = message.scheduledAt.toISOString();
  return [
    {
      at: rescheduledAt.toISOString(),
      kind: "rescheduled",
      summary:
        times === 1
          ? `Rescheduled, to be sent at ${due}.`
          : `Rescheduled ${times} times, most recently to be sent at ${due}.`,
      details: { scheduled_at: due, times },
    },
  ];
}

const MONEY_WORDS = { reserve: "was reserved", settle: "was charged", refund: "was refunded" } as const;

function moneyEntry(row: MessageHistory["ledger"][number], currency: string): Of<"money"> {
  const kind = row.kind as Of<"money">["details"]["kind"];
  // Settling leaves the balance unchanged, so the sum is taken from the reserved money.
  const sum = fromMicros(row.reservedMicros < 0n ? -row.reservedMicros : row.reservedMicros);
  return {
    at: row.createdAt.toISOString(),
    kind: "money",
    summary: `${sum} ${currency} ${MONEY_WORDS[kind]}.`,
    details: { kind, amount: fromMicros(row.amountMicros), currency },
  };
}

const ATTEMPT_WORDS = {
  accepted: "took the message",
  refused: "refused the message",
  retryable: "could not take the message",
  unknown: "gave no clear response",
} as const;

function attemptEntry(row: MessageHistory["attempts"][number]): Of<"attempt"> {
  const outcome = row.outcome as Of<"attempt">["details"]["outcome"];
  const words = outcome ? ATTEMPT_WORDS[outcome] : "was called and has not responded yet";
  const took = row.latencyMs === null ? "" : ` after ${row.latencyMs} ms`;
  return {
    at: row.startedAt.toISOString(),
    kind: "attempt",
    summary: sentence(`Attempt ${row.seq}: ${row.provider} ${words}${took}`, outcome === "accepted" ? null : row),
    details: {
      seq: row.seq,
      provider: row.provider,
      outcome,
      code: row.code,
      detail: row.detail,
      latency_ms: row.latencyMs,
    },
  };
}

function receiptEntry(row: MessageHistory["receipts"][number]): Of<"receipt"> {
  const unapplied = row.applied ? "" : ", which changed nothing";
  return {
    at: row.receivedAt.toISOString(),
    kind: "receipt",
    summary: sentence(`The carrier reported ${row.status}${unapplied}`, row),
    details: {
      status: row.status as Of<"receipt">["details"]["status"],
      code: row.code,
      detail: row.detail,
      applied: row.applied,
    },
  };
}

function eventEntry(row: MessageHistory["events"][number], message: MessageRow): Of<"event"> {
  const reason = hasFailed(row.status as MessageStatus)
    ? { code: message.errorCode, detail: message.errorMessage }
    : null;
  return {
    at: row.createdAt.toISOString(),
    kind: "event",
    summary: sentence(`The message became ${row.status}`, reason),
    details: {
      event_id: row.id,
      type: row.type as Of<"event">["details"]["type"],
      status: row.status as Of<"event">["details"]["status"],
    },
  };
}

function tryEntry(
  row: MessageHistory["deliveries"][number]["tries"][number],
  { endpointId, eventId, url }: MessageHistory["deliveries"][number],
  events: MessageHistory["events"],
): Of<"webhook_try"> {
  const type = events.find((event) => event.id === eventId)?.type ?? "an event";
  // Round 0 is the first schedule, and needs no name.
  const round = row.round > 0 ? ` of round ${row.round}` : "";
  const start = `Try ${row.attempt}${round} to post ${type} to ${endpointId}`;
  const end = row.error === null ? "was acknowledged" : "failed";
  return {
    at: row.createdAt.toISOString(),
    kind: "webhook_try",
    summary: sentence(`${start} ${end} after ${row.latencyMs} ms`, { code: null, detail: row.error }),
    details: {
      event_id: eventId,
      endpoint_id: endpointId,
      url,
      round: row.round,
      attempt: row.attempt,
      status_code: row.statusCode,
      latency_ms: row.latencyMs,
      error: row.error,
    },
  };
}

/** `text`, followed by the reason's detail or else its code, with one full stop at the end. */
function sentence(text: string, reason: { code: string | null; detail: string | null } | null): string {
  const why = reason?.detail || reason?.code;
  const whole = why ? `${text}: ${why}` : text;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
