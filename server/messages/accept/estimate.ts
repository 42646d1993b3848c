import type { LockedAccount } from "../../accounts/store";
import { type AccountActor, requireScope } from "../../core/actor";
import { now, utcDay } from "../../core/clock";
import { pool, prisma } from "../../core/db";
import type { ApiError } from "../../core/errors";
import { newId } from "../../core/ids";
import { fromMicros, isoOrNull } from "../../core/wire";
import { findSuppressed } from "../../suppressions/store";
import { presentFailure } from "../present";
import { nonGsmCharacters, segmentText } from "../segments";
import { gsmSubstitutes, toGsmPunctuation } from "../smart-encoding";
import { balanceRefusal, inactiveRefusal } from "./admission";
import type { CountryLimits } from "./country-rules";
import type { Estimate, EstimateInput } from "./estimate-schema";
import { loadFailures } from "./failed-at-once";
import { type CandidateMessage, loadFraudCheck } from "./fraud-check";
import { type Destination, prepareSend } from "./prepared-send";
import { loadPutOffCheck } from "./put-off";
import { loadQuotas, sendingKey } from "./quotas";
import { loadSpending } from "./spending-cap";

const NON_GSM_SHOWN_MAX = 100;

/**
 * Estimates the cost of a send and the reasons that would refuse it, by the same code as the send. Charges and stores
 * nothing, so a later send may differ, for example after a price change.
 * @throws 403 for a key that may not make that send.
 */
export async function estimateSend(actor: AccountActor, input: EstimateInput): Promise<Estimate> {
  requireScope(actor, input.recipients ? "sms:bulk" : "sms:send");
  const key = sendingKey(actor);
  const [prepared, account, quotas] = await Promise.all([
    prepareSend(actor.accountId, input),
    prisma().account.findUniqueOrThrow({ where: { id: actor.accountId } }),
    loadQuotas(pool(), [key]),
  ]);
  const day = utcDay(now());
  const [recipients, spending, failures] = await Promise.all([
    applyQuietHours(account, input, prepared.scheduledAt, recipientsOf(input).map(prepared.resolve)).then((timed) =>
      applyFraudCheck(account, prepared.from, timed),
    ),
    loadSpending(pool(), [account], [day]),
    loadFailures(pool(), [account.id], [day]),
  ]);
  const costMicros = recipients.reduce((sum, recipient) => sum + recipient.costMicros, 0n);
  const billed = recipients.filter((recipient) => recipient.routing).length;
  const { body, encoding, segments } = prepared.text;
  const { units } = segmentText(body);
  return {
    object: "estimate",
    encoding,
    segments,
    characters: [...body].length,
    units,
    non_gsm: nonGsmOf(input.body),
    smart: smartOf(input.body),
    cost: fromMicros(costMicros),
    currency: account.currency,
    balance: fromMicros(account.balanceMicros),
    sufficient: costMicros <= account.balanceMicros,
    recipients: recipients.map(presentDestination),
    refusals: [
      ...prepared.refusals,
      inactiveRefusal(account),
      balanceRefusal(costMicros, account.balanceMicros, account.currency),
      spending.refusal(account, day, costMicros),
      failures.refusal(account.id, day, { sent: billed, failed: recipients.length - billed }),
      ...quotas.refusals(key, billed),
    ]
      .filter((refusal) => refusal !== null)
      .map(presentRefusal),
  };
}

type Account = CountryLimits &
  Pick<LockedAccount, "id" | "floodIdentical" | "floodTotal" | "quietStartsMinute" | "quietEndsMinute">;

/** A recipient with the time at which its message would be sent; null: at once. */
type TimedDestination = Destination & { scheduledAt: Date | null };

const refused = ({ to, text }: Destination, refusal: NonNullable<Destination["refusal"]>): TimedDestination => ({
  to,
  costMicros: 0n,
  text,
  routing: null,
  refusal,
  scheduledAt: null,
});

/** Puts off recipients that have quiet hours, and replaces recipients whose message would expire in them by their refusals. */
async function applyQuietHours(
  account: Account,
  { quiet_hours: choice, validity_period: validityS = null }: EstimateInput,
  sendAt: Date | null,
  recipients: Destination[],
): Promise<TimedDestination[]> {
  const check = await loadPutOffCheck(choice === "ignore" ? [] : [account]);
  const at = now();
  return recipients.map((recipient) => {
    if (!recipient.routing) return { ...recipient, scheduledAt: null };
    const putOff = check(account, { toNumber: recipient.to, sendAt, validityS }, at);
    return putOff?.refusal
      ? refused(recipient, putOff.refusal)
      : { ...recipient, scheduledAt: putOff?.scheduledAt ?? sendAt };
  });
}

/** Replaces recipients that suppressions or limits block by their refusals, in order. */
async function applyFraudCheck(account: Account, from: string, recipients: TimedDestination[]) {
  const candidateOf = new Map<TimedDestination, CandidateMessage>();
  for (const recipient of recipients) {
    const { to, text, routing } = recipient;
    if (!routing) continue;
    candidateOf.set(recipient, {
      id: newId("message"),
      accountId: account.id,
      toNumber: to,
      fromSender: from,
      body: text.body,
      chain: routing.chain,
    });
  }
  const candidates = [...candidateOf.values()];
  const isSuppressed = await findSuppressed(pool(), candidates);
  const checkFraud = await loadFraudCheck(pool(), new Map([[account.id, account]]), candidates, isSuppressed);
  const { blocked } = checkFraud(candidates);
  return recipients.map((recipient) => {
    const candidate = candidateOf.get(recipient);
    const refusal = candidate && blocked.get(candidate);
    return refusal ? refused(recipient, refusal) : recipient;
  });
}

const recipientsOf = ({ recipients, to }: EstimateInput): string[] => recipients ?? (to === undefined ? [] : [to]);

function nonGsmOf(body: string): Estimate["non_gsm"] {
  const substitutes = gsmSubstitutes(body);
  return nonGsmCharacters(body)
    .slice(0, NON_GSM_SHOWN_MAX)
    .map(({ character, codePoint, index }) => ({
      character,
      code_point: `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`,
      index,
      substitute: substitutes.get(index) ?? null,
    }));
}

function smartOf(body: string): Estimate["smart"] {
  const { encoding, segments } = segmentText(toGsmPunctuation(body).body);
  return { segments, encoding, saved_segments: segmentText(body).segments - segments };
}

const presentDestination = ({
  to,
  text,
  routing,
  costMicros,
  scheduledAt,
  refusal,
}: TimedDestination): Estimate["recipients"][number] => ({
  to,
  route_id: routing?.routeId ?? null,
  provider: routing?.chain[0] ?? null,
  price_per_segment: routing && fromMicros(routing.priceMicros),
  segments: text.segments,
  cost: fromMicros(costMicros),
  scheduled_at: isoOrNull(scheduledAt),
  refusal: refusal && presentFailure(refusal),
});

const presentRefusal = ({ status, wire }: ApiError): Estimate["refusals"][number] => ({
  status,
  code: wire.code,
  reason: typeof wire.details.reason === "string" ? wire.details.reason : wire.code,
  message: wire.message,
  param: wire.param,
});
