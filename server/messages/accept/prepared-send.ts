/** Preparation shared by a send and its estimate: the checks of a request, its final text, and its routes. */
import { type ApiError, invalidRequest } from "../../core/errors";
import { firstCharacters } from "../../core/wire";
import { providerTable } from "../../providers/registry";
import { loadRouting, type Routing, routeExists } from "../../routing/service";
import { approvedSender } from "../../senders/approval";
import type { Refusal } from "../failure";
import { isE164 } from "../phone";
import type { SendBulkInput, SendMessageInput, SharedInput } from "../schema";
import { type FinalText, finalText, personalTexts } from "./personal-texts";
import { sendAtRefusals } from "./send-at";

/** Input that all messages of one request share. */
export type RequestInput = Pick<SendMessageInput, keyof typeof SharedInput>;

/** A recipient with its route and price, or with the error of a message that fails at once, free of charge. */
export type Destination = { to: string; costMicros: bigint; text: FinalText } & (
  | { routing: Routing; refusal: null }
  | { routing: null; refusal: Refusal }
);

type PreparedSend = {
  /** The sender ID as it is registered, whichever spelling the request has. */
  from: string;
  /** The text as it will be sent to recipients without variables. */
  text: FinalText;
  /** The time to send it at; null: at once. */
  scheduledAt: Date | null;
  /** Errors that refuse the whole request, in the order of precedence; empty: none. */
  refusals: ApiError[];
  /** `at`: the recipient's position in the request. */
  resolve: (to: string, at: number) => Destination;
};

const RECIPIENT_SHOWN_MAX = 64;

const senderNotApproved = (): ApiError =>
  invalidRequest("`from` is not an approved sender of this account: GET /senders?status=approved lists them.", {
    param: "from",
    reason: "sender_not_approved",
  });

const providerNotConfigured = (provider: string): ApiError =>
  invalidRequest(`The provider ${provider} is not configured on this installation.`, {
    param: "provider",
    reason: "provider_not_configured",
  });

const unknownRoute = (routeId: number): ApiError =>
  invalidRequest(`There is no active route ${routeId}.`, { param: "route_id", reason: "unknown_route" });

/** Checks the shared input of a request once. `resolve` then finds the route and price of a recipient. */
export async function prepareSend(
  accountId: string,
  input: RequestInput & Pick<Partial<SendBulkInput>, "recipients" | "variables">,
): Promise<PreparedSend> {
  const refusals: ApiError[] = [];
  const senderId = await approvedSender(accountId, input.from);
  if (senderId === null) refusals.push(senderNotApproved());
  const canPrefer = input.provider ? (await providerTable()).isOpenTo(input.provider, accountId) : false;
  if (input.provider && !canPrefer) refusals.push(providerNotConfigured(input.provider));
  if (input.route_id && !(await routeExists(input.route_id))) refusals.push(unknownRoute(input.route_id));
  const scheduledAt = input.send_at ? new Date(input.send_at) : null;
  // Collected, not thrown: a request that is repeated after its time has passed still gets its first response.
  if (scheduledAt) refusals.push(...sendAtRefusals(scheduledAt));
  const route = await loadRouting(accountId, {
    routeId: input.route_id ?? null,
    provider: canPrefer ? (input.provider ?? null) : null,
  });
  const { recipients, variables } = input;
  const personal = recipients && variables ? await personalTexts({ ...input, recipients, variables }) : null;
  if (personal?.refusal) refusals.push(personal.refusal);
  const text = finalText(input.body, input.smart_encoding);
  return {
    from: senderId ?? input.from,
    text,
    scheduledAt,
    refusals,
    resolve: (to, at) => resolve(to, route, personal?.texts?.[at] ?? text, input.route_id ?? null),
  };
}

function resolve(
  to: string,
  route: (to: string) => Routing | null,
  text: FinalText,
  forcedRoute: number | null,
): Destination {
  if (!isE164(to)) {
    return {
      to: firstCharacters(to, RECIPIENT_SHOWN_MAX).replaceAll("\0", ""),
      costMicros: 0n,
      text,
      routing: null,
      refusal: {
        code: "invalid_recipient",
        message: "The recipient is not a phone number in E.164 form, such as +14155550123.",
      },
    };
  }
  const routing = route(to);
  if (routing) return { to, costMicros: routing.priceMicros * BigInt(text.segments), text, routing, refusal: null };
  const refusal = {
    code: "no_route",
    message:
      forcedRoute === null
        ? "No route with a provider that is set up leads to this number."
        : `Route ${forcedRoute} does not lead to this number, or none of its providers is set up.`,
  };
  return { to, costMicros: 0n, text, routing: null, refusal };
}
