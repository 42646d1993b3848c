/** Comparing responses with the model: refusals in the documented order, and messages field by field. */
import { expect } from "@playwright/test";
import type { Message } from "@/server/messages/schema";
import { encodeGsm7, splitText } from "../../../test/model/sms-parts";
import type { CheckedResponse } from "../checked-api";
import { ISO } from "../follow";
import {
  Disagreement,
  expiryOf,
  type Key,
  keyOf,
  type ModelMessage,
  RANKS,
  type Side,
  type State,
  units,
} from "./model-state";

/** A refusal: its status, `error.details.reason` (null: none) and `error.param`. Omitted fields may have any value. */
export type Refusal = { status: number; reason?: string | null; param?: string | null };

/** Refusals that must come, and ones that may. */
export type Refusals = { certain: Refusal[]; possible: Refusal[] };

/** No refusal. */
export const none = (): Refusals => ({ certain: [], possible: [] });

const shown = ({ status, body }: CheckedResponse): string =>
  `${status} ${JSON.stringify(body.error ?? body.data)?.slice(0, 600)}`;

function fits({ status, reason, param }: Refusal, response: CheckedResponse): boolean {
  const { error } = response.body;
  if (response.status !== status || !error) return false;
  if (reason !== undefined && (error.details.reason ?? null) !== reason) return false;
  return param === undefined || error.param === param;
}

/** Whether the request was refused. @throws Disagreement if it was not as it should have been, or was and should not have been. */
export function isRefused(response: CheckedResponse, { certain, possible }: Refusals): boolean {
  const { success } = response.body;
  const all = [...certain, ...possible];
  if (success && certain.length === 0) return false;
  if (!success && all.some((refusal) => fits(refusal, response))) return true;
  const wanted = all.length > 0 ? JSON.stringify(all) : "a success";
  throw new Disagreement(`The response is ${shown(response)}, expected: ${wanted}`);
}

/** The address that the requests of a sequence come from. */
const OWN_ADDRESSES = ["127.0.0.1", "127.0.0.0/8"];

const EXPIRED: Refusal = { status: 401, reason: "key_expired", param: null };

/** The refusals of a key, and of what it may not do. */
function refusalsOfKey(state: State, key: Key, scopes: readonly string[]): Refusals {
  const refusals = none();
  const expiry = expiryOf(key, state);
  const isHeld = scopes.length === 0 || scopes.some((scope) => key.permissions.includes(scope));
  if (!key.isActive) refusals.certain.push({ status: 401, reason: "key_invalid", param: null });
  else if (expiry === "expired") refusals.certain.push(EXPIRED);
  else if (key.allowedIps !== null && !key.allowedIps.some((each) => OWN_ADDRESSES.includes(each))) {
    refusals.certain.push({ status: 403, reason: "ip_not_allowed", param: null });
  } else if (!isHeld) refusals.certain.push({ status: 403, reason: "missing_scope", param: null });
  if (key.isActive && expiry === "expires") refusals.possible.push(EXPIRED);
  return refusals;
}

/**
 * The checks before the operation: the key, its address and its permission (one of `scopes`; none: every key), then the input.
 * @returns the key and its account, or null after a refusal.
 */
export function passes(
  state: State,
  keyId: string,
  response: CheckedResponse,
  scopes: readonly string[],
  input: Refusal[] = [],
): { side: Side; key: Key } | null {
  const { side, key } = keyOf(state, keyId);
  const refusals = refusalsOfKey(state, key, scopes);
  if (refusals.possible.some((refusal) => fits(refusal, response))) return null;
  if (refusals.certain.length === 0) refusals.certain.push(...input);
  return refusals.certain.length > 0 && isRefused(response, refusals) ? null : { side, key };
}

/** @throws Disagreement if the response has another status. */
export function expectStatus(response: CheckedResponse, status: number): void {
  if (response.status !== status) throw new Disagreement(`The response is ${shown(response)}, expected: ${status}`);
}

/** The refusal of an id that is unknown, was deleted, or belongs to another account. */
export const NOT_FOUND: Refusal = { status: 404, reason: null, param: "id" };

/** Encoding of a text, and the number of its segments. */
export const encodingOf = (body: string): { encoding: "GSM-7" | "UCS-2"; segments: number } => ({
  encoding: encodeGsm7(body) === null ? "UCS-2" : "GSM-7",
  segments: splitText(body).length,
});

/** A field that is set once: as it was seen before. */
const kept = (before: string | null | undefined, isSet: boolean) => (isSet ? (before ?? ISO) : null);

/** The message as the API must show it in the status that it is in. */
function wireOf(message: ModelMessage, { status, attempts }: Message, isRefunded: boolean, codes: string[] | null) {
  const { input, seen, failedAtOnce } = message;
  const isTaken = status === "sent" || status === "delivered" || status === "undelivered";
  const isOver = RANKS[status] === 2;
  const isFailed = isOver && status !== "delivered";
  return {
    id: message.id,
    object: "message",
    to: input.to,
    from: input.from,
    body: message.isRedacted ? "" : input.body,
    ...encodingOf(input.body),
    reference: input.reference,
    metadata: input.metadata,
    status,
    cost: isOver && isRefunded ? 0 : units(message.costMicros),
    currency: seen.currency,
    provider: failedAtOnce ? "" : "sandbox",
    provider_message_id: isTaken ? expect.stringMatching(/^sbx_/) : "",
    attempts: isTaken ? 1 : attempts,
    error: isFailed
      ? {
          code: expect.stringMatching(new RegExp(`^(${codes?.join("|")})$`)),
          message: expect.any(String),
          reason: expect.any(String),
        }
      : null,
    created_at: seen.created_at,
    sent_at: kept(seen.sent_at, isTaken),
    delivered_at: kept(seen.delivered_at, status === "delivered"),
    failed_at: kept(seen.failed_at, isFailed),
    scheduled_at: message.scheduledAt,
    validity_period: input.validity,
  };
}

/** Compares a message with the model, which then knows what it showed. @throws Disagreement */
export function observe(state: State, message: ModelMessage, given: unknown): void {
  const now = given as Message;
  const rank = RANKS[now.status];
  if (rank < RANKS[message.seen.status]) {
    throw new Disagreement(`${now.id} went back from ${message.seen.status} to ${now.status}.`);
  }
  const ways = message.ways.filter(({ statuses, codes }) => {
    const isEnd = statuses.at(-1) === now.status && rank === 2;
    return statuses.includes(now.status) && (!isEnd || codes === null || codes.includes(now.error?.code ?? ""));
  });
  const [way] = ways;
  if (!way) {
    const courses = JSON.stringify(message.ways);
    throw new Disagreement(`${now.id} is ${now.status} with ${JSON.stringify(now.error)}, expected one of ${courses}`);
  }
  expect(now).toEqual(wireOf(message, now, way.isRefunded, way.codes));
  if (now.attempts < message.seen.attempts) throw new Disagreement(`${now.id} has lost an attempt.`);
  if (rank === 0 && !message.isDue && now.attempts > 0) throw new Disagreement(`${now.id} was tried before its time.`);
  const { passages } = message;
  const note = (name: "sent" | "end", isPassed: boolean) => {
    passages[name] ??= { after: -1, before: null };
    const passage = passages[name];
    if (!isPassed) passage.after = state.step;
    else passage.before ??= state.step;
  };
  note("sent", rank >= 1);
  note("end", rank === 2);
  message.ways = ways;
  message.seen = now;
}
