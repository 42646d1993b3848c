import { fromMicros, isoOrNull } from "../core/wire";
import { failureReason } from "../providers/failure-reason";
import { attemptsSoFar } from "./attempts-so-far";
import type { Message, MessageError } from "./schema";
import type { MessageStatus } from "./status";

/** A row of `messages` with its columns named as in prisma/schema/message.prisma. */
export type MessageRow = {
  id: string;
  accountId: string;
  apiKeyId: string | null;
  toNumber: string;
  fromSender: string;
  body: string;
  encoding: string;
  segments: number;
  status: string;
  costMicros: bigint;
  currency: string;
  routeId: number | null;
  chain: string[];
  provider: string | null;
  providerMessageId: string | null;
  attempts: number;
  errorCode: string | null;
  errorMessage: string | null;
  reference: string | null;
  /** Pairs of text, as stored; null: none. */
  metadata: unknown;
  createdAt: Date;
  sentAt: Date | null;
  deliveredAt: Date | null;
  failedAt: Date | null;
  scheduledAt: Date | null;
  validityS: number | null;
};

/** An error of the service's own, before any provider was given the message. */
export const presentFailure = ({ code, message }: { code: string; message: string }): MessageError => ({
  code,
  message,
  reason: failureReason(null, { code, detail: message, isRefusal: true }),
});

/** The reason is derived, so that older messages have it too. */
function errorOf({ provider, errorCode: code, errorMessage, sentAt }: MessageRow): MessageError | null {
  if (code === null) return null;
  const message = errorMessage ?? code;
  return { code, message, reason: failureReason(provider, { code, detail: message, isRefusal: sentAt === null }) };
}

/** Row to wire. The route is not shown. */
export const presentMessage = (row: MessageRow): Message => ({
  id: row.id,
  object: "message",
  to: row.toNumber,
  from: row.fromSender,
  body: row.body,
  encoding: row.encoding as Message["encoding"],
  segments: row.segments,
  reference: row.reference,
  metadata: row.metadata as Message["metadata"],
  status: row.status as MessageStatus,
  cost: fromMicros(row.costMicros),
  currency: row.currency,
  provider: row.provider ?? row.chain[0] ?? "",
  provider_message_id: row.providerMessageId ?? "",
  attempts: row.attempts,
  error: errorOf(row),
  created_at: row.createdAt.toISOString(),
  sent_at: isoOrNull(row.sentAt),
  delivered_at: isoOrNull(row.deliveredAt),
  failed_at: isoOrNull(row.failedAt),
  scheduled_at: isoOrNull(row.scheduledAt),
  validity_period: row.validityS,
});

/**
 * The row as it was when it reached `status`. After `sent` only a final status can follow, so nothing else of the row has
 * changed since, unless its text was deleted.
 */
export const messageAt = (row: MessageRow, status: MessageStatus): MessageRow =>
  status === "sent"
    ? { ...row, status, deliveredAt: null, failedAt: null, errorCode: null, errorMessage: null }
    : { ...row, status };

const columns = (
  attempts: string,
): string => `m.id, m.account_id AS "accountId", m.api_key_id AS "apiKeyId", m.to_number AS "toNumber",
  m.from_sender AS "fromSender", m.body, m.encoding, m.segments, m.status, m.cost_micros AS "costMicros", m.currency,
  m.route_id AS "routeId", m.chain, m.provider, m.provider_message_id AS "providerMessageId", ${attempts} AS attempts,
  m.error_code AS "errorCode", m.error_message AS "errorMessage", m.reference, m.metadata, m.created_at AS "createdAt",
  m.sent_at AS "sentAt", m.delivered_at AS "deliveredAt", m.failed_at AS "failedAt",
  m.scheduled_at AS "scheduledAt", m.validity_s AS "validityS"`;

/** Columns of a {@link MessageRow} for hand-written SQL, as they are stored; `m` is the table's alias. */
export const MESSAGE_COLUMNS = columns("m.attempts");

/** The same, with the attempts of a pending message, which are not stored with it yet. */
export const SHOWN_COLUMNS = columns(attemptsSoFar("m"));
