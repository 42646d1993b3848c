import type { AccountActor } from "../core/actor";
import { pool, prisma } from "../core/db";
import { type ApiError, isApiError } from "../core/errors";
import { fromMicros } from "../core/wire";
import { openQuotas, requireActive, requireBalance, sendingKey } from "./admission";
import { type Destination, openDraft } from "./draft";
import type { Estimate, EstimateInput } from "./estimate-schema";
import { nonGsmCharacters, segmentText } from "./segments";
import { gsmSubstitutes, toGsmPunctuation } from "./smart-encoding";

const NON_GSM_SHOWN_MAX = 100;

/**
 * What a send would cost and what would refuse it, judged by the same code as the send. Charges and stores nothing, so
 * what happens in between (another send, a changed price) is not foreseen.
 */
export async function estimateSend(actor: AccountActor, input: EstimateInput): Promise<Estimate> {
  const key = sendingKey(actor);
  const [draft, account, quotas] = await Promise.all([
    openDraft(actor.accountId, input),
    prisma().account.findUniqueOrThrow({ where: { id: actor.accountId } }),
    openQuotas(pool(), [key]),
  ]);
  const recipients = recipientsOf(input).map(draft.resolve);
  const costMicros = recipients.reduce((sum, recipient) => sum + recipient.costMicros, 0n);
  const billed = recipients.filter((recipient) => recipient.routing).length;
  const { units } = segmentText(draft.body);
  return {
    object: "estimate",
    encoding: draft.encoding,
    segments: draft.segments,
    characters: [...draft.body].length,
    units,
    non_gsm: nonGsmOf(input.body),
    smart: smartOf(input.body),
    cost: fromMicros(costMicros),
    currency: account.currency,
    balance: fromMicros(account.balanceMicros),
    sufficient: costMicros <= account.balanceMicros,
    recipients: recipients.map(presentDestination),
    refusals: [
      ...draft.refusals,
      ...refusalOf(() => requireActive(account)),
      ...refusalOf(() => requireBalance(costMicros, account.balanceMicros, account.currency)),
      ...quotas.refusals(key, billed),
    ].map(presentRefusal),
  };
}

const recipientsOf = ({ recipients, to }: EstimateInput): string[] => recipients ?? (to === undefined ? [] : [to]);

/** What `check` throws, when it is a refusal. */
function refusalOf(check: () => unknown): ApiError[] {
  try {
    check();
    return [];
  } catch (thrown) {
    if (!isApiError(thrown)) throw thrown;
    return [thrown];
  }
}

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

const presentDestination = ({ to, routing, costMicros, refusal }: Destination): Estimate["recipients"][number] => ({
  to,
  route_id: routing?.routeId ?? null,
  provider: routing?.chain[0] ?? null,
  price_per_segment: routing && fromMicros(routing.priceMicros),
  cost: fromMicros(costMicros),
  refusal,
});

const presentRefusal = ({ status, wire }: ApiError): Estimate["refusals"][number] => ({
  status,
  code: wire.code,
  reason: typeof wire.details.reason === "string" ? wire.details.reason : wire.code,
  message: wire.message,
  param: wire.param,
});
