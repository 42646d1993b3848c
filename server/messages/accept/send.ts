import { type IdempotentRequest, markReplayed } from "../../accounts/idempotency/request";
import type { AccountActor } from "../../core/actor";
import { now } from "../../core/clock";
import type { ApiError } from "../../core/errors";
import { newId } from "../../core/ids";
import type { Idempotency } from "../../core/trpc";
import { givenMetadata } from "../metadata";
import { type MessageRow, presentMessage } from "../present";
import type { BulkResult, Message, SendBulkInput, SendMessageInput } from "../schema";
import { accept } from "./accept";
import type { NewMessage } from "./insert";
import { prepareSend, type RequestInput } from "./prepared-send";
import { sendingKey } from "./quotas";
import { asReplayed, findWithText } from "./replayed";

/**
 * Accepts one message. Its cost is reserved and its dispatch is queued in one transaction before this returns.
 * @throws 400 sender, route, provider or idempotency key; 401 when the key or the session has ended meanwhile; 402 balance; 403 account;
 *   429 limits.
 */
export async function sendMessage(
  actor: AccountActor,
  input: SendMessageInput,
  request: IdempotentRequest,
): Promise<Message> {
  const { response, replayed } = await acceptRequest<Message>(actor, input, request, {
    makeRows: (makeRow) => [makeRow(input.to, input.reference ?? null, 0)],
    respond: ([row]) => row && presentMessage(row),
  });
  return replayed ? asReplayed(response, input.reference ?? null, await findWithText([response])) : response;
}

/**
 * Accepts one message per recipient. A recipient that is not a phone number, has no route, or is blocked by a suppression or
 * a limit of the account fails alone.
 * @throws as {@link sendMessage}; then nothing of the request was accepted.
 */
export async function sendBulk(
  actor: AccountActor,
  input: SendBulkInput,
  request: IdempotentRequest,
): Promise<BulkResult> {
  const { response, replayed } = await acceptRequest<BulkResult>(actor, input, request, {
    makeRows: (makeRow) => input.recipients.map((to, at) => makeRow(to, null, at)),
    respond: presentBulk,
  });
  if (!replayed) return response;
  const withText = await findWithText(response.messages);
  return { ...response, messages: response.messages.map((message) => asReplayed(message, null, withText)) };
}

function presentBulk(rows: MessageRow[]): BulkResult {
  const failed = rows.filter((row) => row.status === "failed").length;
  return {
    object: "bulk_result",
    total: rows.length,
    sent: rows.length - failed,
    failed,
    messages: rows.map(presentMessage),
  };
}

/** `at`: the recipient's position in the request. */
type MakeRow = (to: string, reference: string | null, at: number) => NewMessage;

/** The parts of an acceptance in which single and bulk sends differ. */
type Sends = {
  makeRows: (makeRow: MakeRow) => NewMessage[];
  respond: (rows: MessageRow[]) => unknown;
};

/** Accepts the messages of a request. `replayed`: an earlier one was accepted with its key, and this is that response. */
async function acceptRequest<Response>(
  actor: AccountActor,
  input: SendMessageInput | SendBulkInput,
  request: IdempotentRequest,
  { makeRows, respond }: Sends,
): Promise<{ response: Response; replayed: boolean }> {
  const idempotency = request.idempotency();
  const { refusal, makeRow } = await prepareRows(actor, input, idempotency);
  const { response, replayed } = await accept({
    accountId: actor.accountId,
    actor,
    key: sendingKey(actor),
    messages: refusal ? [] : makeRows(makeRow),
    refusal,
    ignoresQuietHours: input.quiet_hours === "ignore",
    idempotency,
    isAbandoned: request.isAbandoned,
    respond,
  });
  if (replayed) markReplayed(request);
  return { response: response as Response, replayed };
}

/**
 * Checks a request and returns the factory of its rows: pending with their cost, or failed at once and free.
 * @returns also the refusal of a request with an Idempotency-Key, which may have been carried out before.
 * @throws the refusal of a request without one.
 */
async function prepareRows(
  actor: AccountActor,
  input: RequestInput & Partial<Pick<SendBulkInput, "recipients" | "variables" | "metadata">>,
  idempotency: Idempotency | null,
): Promise<{ refusal: ApiError | null; makeRow: MakeRow }> {
  const { from, scheduledAt, refusals, resolve } = await prepareSend(actor.accountId, input);
  const refusal = refusals[0] ?? null;
  if (refusal && !idempotency) throw refusal;
  const metadata = givenMetadata(input.metadata);
  // One time for all, so that a request counts on one day: that by which its cost is compared with the cap.
  const createdAt = now();
  const makeRow: MakeRow = (to, reference, at) => {
    const { routing, refusal: failure, text, ...destination } = resolve(to, at);
    return {
      id: newId("message"),
      accountId: actor.accountId,
      apiKeyId: actor.kind === "apiKey" ? actor.keyId : null,
      toNumber: destination.to,
      fromSender: from,
      ...text,
      status: routing ? "pending" : "failed",
      costMicros: destination.costMicros,
      // Set to the account's currency when the message is accepted.
      currency: "",
      routeId: routing?.routeId ?? null,
      chain: routing?.chain ?? [],
      provider: null,
      providerMessageId: null,
      attempts: 0,
      errorCode: failure?.code ?? null,
      errorMessage: failure?.message ?? null,
      reference,
      metadata,
      createdAt,
      sentAt: null,
      deliveredAt: null,
      failedAt: routing ? null : createdAt,
      sendAt: scheduledAt,
      scheduledAt: routing ? scheduledAt : null,
      validityS: input.validity_period ?? null,
    };
  };
  return { refusal, makeRow };
}
