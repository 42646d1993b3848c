import { clientClosedRequest } from "../../core/errors";
import type { Context } from "../../core/trpc";

/** The part of a request that operations with an Idempotency-Key need. */
export type IdempotentRequest = Pick<Context, "idempotency" | "isAbandoned" | "responseHeaders">;

/** A request without an Idempotency-Key, such as the console's or our own. */
export const plainRequest = (): IdempotentRequest => ({ idempotency: () => null, responseHeaders: {} });

/**
 * Refuses to carry out a request with an Idempotency-Key whose caller has hung up: it repeats the request. If a later try was refused
 * meanwhile, the caller believes that nothing happens.
 * @throws 400 `client_closed_request`
 */
export function requireCaller({ isAbandoned }: Pick<IdempotentRequest, "isAbandoned">): void {
  if (isAbandoned?.()) throw clientClosedRequest();
}

const REPLAYED = "Idempotency-Replayed";

/** Marks the response as a repetition of an earlier one. */
export function markReplayed(request: IdempotentRequest): void {
  request.responseHeaders[REPLAYED] = "true";
}

/** Whether the response repeats an earlier one: the operation itself was not carried out again. */
export const isReplayed = (request: IdempotentRequest): boolean => request.responseHeaders[REPLAYED] === "true";
