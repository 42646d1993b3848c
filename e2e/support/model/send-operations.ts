/** Sends, bulk sends and estimates. */
import { expect } from "@playwright/test";
import type { Estimate } from "@/server/messages/accept/estimate-schema";
import type { BulkResult, Message } from "@/server/messages/schema";
import { encodingOf, expectStatus, none, observe, passes, type Refusal, type Refusals } from "./agreement";
import { type Prepared, prepareCreation } from "./creation";
import {
  bare,
  Disagreement,
  isSuppressed,
  type Key,
  leftOf,
  limitedBy,
  type ModelMessage,
  PERIODS,
  PRICE_MICROS,
  type Route,
  type Side,
  type State,
  spent,
  units,
  type Way,
  waysNow,
} from "./model-state";
import { countedTexts, refusalsOfFields, smartened, type TextInput, textFields, textsOf } from "./texts";

/** Time at which a message is to be sent; `soon` is within the sequence. */
export type When = "now" | "soon" | "later" | "latest" | "past" | "beyond";

/** Input of a send. `to` has one recipient for a single send. `own`: by the route of the sequence. */
export type SendStep = TextInput & {
  from: string;
  when: When;
  route: "none" | "own" | "unknown";
  provider: "sandbox" | "unconfigured" | null;
  reference: string | null;
  metadata: Record<string, string> | null;
  validity: number | null;
};

const LIMIT_REASONS = { day: "daily_limit", month: "monthly_limit" };
const DAY_MS = 86_400_000;
const E164 = /^\+[1-9]\d{6,14}$/;
const UNKNOWN_ROUTE = 2_000_000_000;
/** Further from a limit than a request takes. */
const MARGIN_MS = 60_000;
const SOON_MS = 2_500;

const MS_AHEAD: Record<Exclude<When, "now">, number> = {
  soon: SOON_MS,
  later: 3 * DAY_MS,
  latest: 30 * DAY_MS - MARGIN_MS,
  past: -MARGIN_MS,
  beyond: 30 * DAY_MS + MARGIN_MS,
};

/** The time as it is sent, or null for now. */
export const timeOf = (when: When): string | null =>
  when === "now" ? null : new Date(Date.now() + MS_AHEAD[when]).toISOString();

/** Refusals of the time. */
export function refusalsOfTime(when: When): Refusals {
  const refusals = none();
  const param = "send_at";
  if (when === "past") refusals.certain.push({ status: 400, reason: "send_at_in_the_past", param });
  if (when === "beyond") refusals.certain.push({ status: 400, reason: "send_at_too_far_ahead", param });
  if (when === "soon") refusals.possible.push({ status: 400, reason: "send_at_in_the_past", param });
  return refusals;
}

const bodyOf = (step: SendStep, route: Route, sendAt: string | null) => ({
  from: step.from,
  ...textFields(step),
  ...(sendAt === null ? {} : { send_at: sendAt }),
  ...(step.route === "none" ? {} : { route_id: step.route === "own" ? route.id : UNKNOWN_ROUTE }),
  ...(step.provider === null ? {} : { provider: step.provider === "sandbox" ? "sandbox" : "twilio" }),
  ...(step.metadata === null ? {} : { metadata: step.metadata }),
  ...(step.validity === null ? {} : { validity_period: step.validity }),
});

/** The fate of a recipient: the price of its text, or the codes of errors with which its message may fail at once. */
function fateOf(
  side: Side,
  step: SendStep,
  to: string,
  text: string,
  route: Route,
): { costMicros: number; codes: string[] } {
  if (!E164.test(to)) return { costMicros: 0, codes: ["invalid_recipient"] };
  const isCovered = to.startsWith(`+${route.prefix}`);
  const codes = [
    ...(step.route === "own" && !isCovered ? ["no_route"] : []),
    ...(isSuppressed(side, to, registered(side, step.from)) ? ["blocklisted"] : []),
  ];
  if (codes.length > 0) return { costMicros: 0, codes };
  const priceMicros = isCovered ? route.priceMicros : PRICE_MICROS;
  return { costMicros: side.isLive ? encodingOf(text).segments * priceMicros : 0, codes };
}

/** The fates of all recipients. Where the variables do not fit, `body` is counted as it is. */
function fatesOf(side: Side, step: SendStep, route: Route) {
  const texts = countedTexts(step);
  return step.to.map((to, at) => fateOf(side, step, to, texts[at] ?? "", route));
}

/** A sender ID in its registered spelling: a number may be given with its plus or without. */
export const registered = (side: Side, from: string): string =>
  side.senders.find(({ senderId }) => bare(senderId) === bare(from))?.senderId ?? from;

/** Refusals of the operation: sender, route, provider, time, limits of keys, balance. */
function refusalsOf(side: Side, key: Key, step: SendStep, route: Route): Refusals {
  const { certain, possible } = refusalsOfTime(step.when);
  const sender = side.senders.find(({ senderId }) => senderId === registered(side, step.from));
  const unapproved = { status: 400, reason: "sender_not_approved", param: "from" };
  if (!sender) certain.push(unapproved);
  // Senders of a run are approved by themselves after some seconds.
  else if (sender.status === "pending") possible.push(unapproved);
  if (step.route === "unknown") certain.push({ status: 400, reason: "unknown_route", param: "route_id" });
  if (step.provider === "unconfigured") {
    certain.push({ status: 400, reason: "provider_not_configured", param: "provider" });
  }
  if (textsOf(step) === null) certain.push({ status: 400, reason: "invalid_variables" });
  const fates = fatesOf(side, step, route);
  const accepted = fates.filter(({ codes }) => codes.length === 0).length;
  for (const period of PERIODS) {
    const left = leftOf(side, key, period);
    if (left !== null && accepted > Math.max(0, left))
      certain.push({ status: 429, reason: LIMIT_REASONS[period], param: null });
  }
  const cost = fates.reduce((sum, { costMicros }) => sum + costMicros, 0);
  const { least, most } = spent(side);
  const poor: Refusal = { status: 402, reason: null };
  if (cost > 0 && cost > side.creditMicros - least) certain.push(poor);
  else if (cost > 0 && cost > side.creditMicros - most) possible.push(poor);
  return { certain, possible };
}

/** Compares an accepted message with the model, and keeps it there. */
function keep(
  state: State,
  side: Side,
  key: Key,
  step: SendStep,
  sendAt: string | null,
  at: number,
  shown: Message,
): void {
  const [to = "", body = ""] = [step.to[at], textsOf(step)?.[at]];
  const { costMicros, codes } = fateOf(side, step, to, body, state.route);
  const failedAtOnce = codes.length > 0;
  const { reference, metadata, validity } = step;
  const from = registered(side, step.from);
  const input = { to: to.slice(0, 64), from, body, reference, metadata, validity };
  const sender = side.senders.find(({ senderId }) => senderId === from);
  if (sender) sender.status = "approved";
  const isDue = step.when === "now" || step.when === "soon";
  const failed: Way = { statuses: ["failed"], codes, isRefunded: true };
  const waiting: Way = { statuses: ["pending"], codes: null, isRefunded: false };
  const counted = (period: "day" | "month") => (failedAtOnce ? [] : limitedBy(side, key, period).map(({ id }) => id));
  const message: ModelMessage = {
    id: shown.id,
    input,
    keyId: key.id,
    // One that fails at once counts for no limit.
    countsFor: { day: counted("day"), month: counted("month") },
    costMicros,
    scheduledAt: failedAtOnce ? null : sendAt,
    isDue,
    failedAtOnce,
    isRedacted: false,
    ways: failedAtOnce ? [failed] : isDue ? waysNow(side, input) : [waiting],
    seen: { ...shown, status: failedAtOnce ? "failed" : "pending", currency: "USD" },
    passages: {},
  };
  if (side.messages.some(({ id }) => id === shown.id)) throw new Disagreement(`${shown.id} was accepted before.`);
  if (failedAtOnce) expect(shown.failed_at).toBe(shown.created_at);
  observe(state, message, shown);
  if (!failedAtOnce) expect(shown.status).toBe("pending");
  side.messages.push(message);
}

/** POST /messages/send. */
export function prepareSend(state: State, keyId: string, step: SendStep, idempotencyKey: string | null): Prepared {
  const sendAt = timeOf(step.when);
  const [to = ""] = step.to;
  const single = { ...step, to: [to], variables: null };
  const reference = step.reference === null ? {} : { reference: step.reference };
  return prepareCreation({
    ...{ keyId, idempotencyKey, path: "/messages/send", scope: "sms:send" },
    body: { to, ...bodyOf(single, state.route, sendAt), ...reference },
    input: [...(E164.test(to) ? [] : [{ status: 400, reason: null, param: "to" }]), ...refusalsOfFields(single)],
    refusals: (side, key, now) => refusalsOf(side, key, single, now.route),
    create: (side, key, data, now) => keep(now, side, key, single, sendAt, 0, data as Message),
  });
}

/** POST /messages/bulk. */
export function prepareBulk(state: State, keyId: string, given: SendStep, idempotencyKey: string | null): Prepared {
  const sendAt = timeOf(given.when);
  const step = { ...given, reference: null };
  return prepareCreation({
    ...{ keyId, idempotencyKey, path: "/messages/bulk", scope: "sms:bulk" },
    body: { recipients: step.to, ...bodyOf(step, state.route, sendAt) },
    input: refusalsOfFields(step),
    refusals: (side, key, now) => refusalsOf(side, key, step, now.route),
    create: (side, key, data, now) => {
      const result = data as BulkResult;
      const { length: total } = step.to;
      const failed = fatesOf(side, step, now.route).filter(({ codes }) => codes.length > 0).length;
      expect(result).toMatchObject({ object: "bulk_result", total, failed, sent: total - failed });
      expect(result.messages).toHaveLength(total);
      for (const [at, message] of result.messages.entries()) keep(now, side, key, step, sendAt, at, message);
    },
  });
}

/** An estimate reports what the send would be refused for, and costs what the send would cost. */
export function prepareEstimate(state: State, keyId: string, step: SendStep): Prepared {
  const sendAt = timeOf(step.when);
  const body = { recipients: step.to, ...bodyOf(step, state.route, sendAt) };
  return {
    keyId,
    ask: { method: "POST", path: "/messages/estimate", body },
    judge: (now, response) => {
      const caller = passes(now, keyId, response, ["sms:bulk"], refusalsOfFields(step));
      if (!caller) return;
      expectStatus(response, 200);
      const { side, key } = caller;
      const estimate = response.body.data as Estimate;
      const { certain, possible } = refusalsOf(side, key, step, now.route);
      const reasonOf = ({ status, reason }: Refusal) => `${status} ${reason ?? "insufficient_balance"}`;
      const reported = estimate.refusals.map((refusal) => reasonOf(refusal));
      // Without a route no message is counted and none has a price, and so nothing is too much or too expensive.
      const hasPrice = step.route !== "unknown" && step.provider !== "unconfigured";
      const toReport = certain.filter(({ status }) => hasPrice || (status !== 402 && status !== 429));
      expect(reported).toEqual(expect.arrayContaining(toReport.map(reasonOf)));
      const allowed = [...certain, ...possible].map(reasonOf);
      expect(reported.filter((reason) => !allowed.includes(reason))).toEqual([]);
      const fates = fatesOf(side, step, now.route);
      const texts = countedTexts(step);
      if (!hasPrice) return;
      // The text before placeholders are filled in.
      const text = step.smart ? smartened(step.body) : step.body;
      const smart = encodingOf(smartened(step.body));
      expect(estimate).toMatchObject({
        ...encodingOf(text),
        characters: [...text].length,
        smart: { ...smart, saved_segments: encodingOf(step.body).segments - smart.segments },
        cost: units(fates.reduce((sum, { costMicros }) => sum + costMicros, 0)),
        recipients: fates.map(({ costMicros, codes }, at) => ({
          to: step.to[at]?.slice(0, 64),
          segments: encodingOf(texts[at] ?? "").segments,
          cost: units(costMicros),
          refusal: codes.length > 0 ? { code: expect.stringMatching(new RegExp(`^(${codes.join("|")})$`)) } : null,
        })),
      });
    },
  };
}
