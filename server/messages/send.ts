import { type DeedRequest, markReplayed } from "../accounts/answers";
import type { AccountActor } from "../core/actor";
import { now } from "../core/clock";
import { invalidRequest } from "../core/errors";
import { newId } from "../core/ids";
import { isRoutable } from "../providers/registry";
import { openRouting, type Routing, routeExists } from "../routing/service";
import { approvedSender } from "../senders/service";
import { isE164 } from "./phone";
import { type MessageRow, presentMessage } from "./present";
import type { BulkResult, Message, SendBulkInput, SendMessageInput } from "./schema";
import { segmentText } from "./segments";
import { accept } from "./store";

const RECIPIENT_SHOWN_MAX = 64;

/**
 * Accepts one message. Its cost is reserved and its dispatch is queued in one transaction before this returns.
 * @throws 400 sender, route or provider; 402 balance; 403 account; 409 idempotency key; 429 limits.
 */
export async function sendMessage(
  actor: AccountActor,
  input: SendMessageInput,
  request: DeedRequest,
): Promise<Message> {
  const makeRow = await openDraft(actor, input);
  const accepted = await accept({
    accountId: actor.accountId,
    key: keyOf(actor),
    messages: [makeRow(input.to, input.reference ?? null)],
    idempotency: request.idempotency(),
    respond: ([row]) => row && presentMessage(row),
  });
  if (accepted.replayed) markReplayed(request);
  return accepted.response as Message;
}

/**
 * Accepts one message per recipient; a recipient that is not a phone number, or to which no route leads, fails alone.
 * @throws as {@link sendMessage}; then nothing of the request was accepted.
 */
export async function sendBulk(actor: AccountActor, input: SendBulkInput, request: DeedRequest): Promise<BulkResult> {
  const makeRow = await openDraft(actor, input);
  const accepted = await accept({
    accountId: actor.accountId,
    key: keyOf(actor),
    messages: input.recipients.map((to) => makeRow(to, null)),
    idempotency: request.idempotency(),
    respond: presentBulk,
  });
  if (accepted.replayed) markReplayed(request);
  return accepted.response as BulkResult;
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

const keyOf = (actor: AccountActor) =>
  actor.kind === "apiKey" ? { id: actor.keyId, daily: actor.limits.daily, monthly: actor.limits.monthly } : null;

type Common = Pick<SendMessageInput, "from" | "body" | "route_id" | "provider">;

/** Checks what all messages of a request share, and returns what makes the row of one recipient. */
async function openDraft(actor: AccountActor, input: Common) {
  if (!(await approvedSender(actor.accountId, input.from))) {
    throw invalidRequest("`from` is not an approved sender of this account.", {
      param: "from",
      reason: "sender_not_approved",
    });
  }
  if (input.provider && !isRoutable(input.provider)) {
    throw invalidRequest(`The provider ${input.provider} is not configured on this installation.`, {
      param: "provider",
      reason: "provider_not_configured",
    });
  }
  if (input.route_id && !(await routeExists(input.route_id))) {
    throw invalidRequest(`There is no active route ${input.route_id}.`, { param: "route_id", reason: "unknown_route" });
  }
  const route = await openRouting({ routeId: input.route_id ?? null, provider: input.provider ?? null });
  const { encoding, segments } = segmentText(input.body);
  const common = { actor, from: input.from, body: input.body, encoding, segments };
  return (to: string, reference: string | null): MessageRow => {
    if (!isE164(to)) {
      const shown = to.slice(0, RECIPIENT_SHOWN_MAX).toWellFormed().replaceAll("\0", "");
      return draft(common, shown, reference, null, {
        code: "invalid_recipient",
        message: "The recipient is not a phone number in E.164 form, such as +14155550123.",
      });
    }
    const routing = route(to);
    return draft(common, to, reference, routing, {
      code: "no_route",
      message: "No route of this installation leads to this number.",
    });
  };
}

type Draft = { actor: AccountActor; from: string; body: string; encoding: string; segments: number };

/** A row about to be accepted: pending with its cost, or, without a routing, failed at once and free of charge. */
function draft(
  { actor, from, body, encoding, segments }: Draft,
  to: string,
  reference: string | null,
  routing: Routing | null,
  refusal: { code: string; message: string },
): MessageRow {
  const createdAt = now();
  return {
    id: newId("message"),
    accountId: actor.accountId,
    apiKeyId: actor.kind === "apiKey" ? actor.keyId : null,
    toNumber: to,
    fromSender: from,
    body,
    encoding,
    segments,
    status: routing ? "pending" : "failed",
    costMicros: routing ? routing.priceMicros * BigInt(segments) : 0n,
    // Set to the account's currency when the message is accepted.
    currency: "",
    routeId: routing?.routeId ?? null,
    chain: routing?.chain ?? [],
    provider: null,
    providerMessageId: null,
    attempts: 0,
    errorCode: routing ? null : refusal.code,
    errorMessage: routing ? null : refusal.message,
    reference,
    createdAt,
    sentAt: null,
    deliveredAt: null,
    failedAt: routing ? null : createdAt,
  };
}
