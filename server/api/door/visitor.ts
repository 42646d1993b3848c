/** The caller of a page or console call, as far as its limits depend on it. */
import type { IncomingMessage } from "node:http";
import { clientAddress } from "../../addresses/client-address";
import { networkOf } from "../../addresses/counted-network";
import { personOfSession } from "../../auth/sessions/person-of-session";
import { sessionOfCookies } from "../../auth/sessions/session-cookie";
import { warnOfUndeclaredPeer } from "../../auth/sign-in/undeclared-proxy";
import { wholeSeconds } from "../../core/clock";
import { env } from "../../core/env";
import { type ApiError, rateLimitedFor } from "../../core/errors";
import { defineProcessValue } from "../../core/process";
import { openBuckets, type TakeTokens } from "./caller-limits";

/**
 * `network` of the caller's address; `sessionId` of the session cookie, null for anonymous visitors. `person`: whose limits count, however
 * many sessions they have; the session's own until its person is known, and null, for those of the network, once it has ended.
 */
export type Visitor = { network: string; sessionId: string | null; person: string | null };

/** The owner whose places in a gate are limited together. */
export const ownerOf = ({ person, network }: Visitor): string => person ?? network;

const CALLERS_MAX = 20_000;

/** Limits per process: anonymous visitors of a network share one, a signed-in person has their own. */
const LIMITS = {
  strangerCalls: { burst: 120, perSecond: 10, callersMax: CALLERS_MAX },
  strangerViews: { burst: 120, perSecond: 20, callersMax: CALLERS_MAX },
  personCalls: { burst: 600, perSecond: 60, callersMax: CALLERS_MAX },
  personViews: { burst: 300, perSecond: 15, callersMax: CALLERS_MAX },
  /** Scripts and styles: a page loads thirty of them. */
  files: { burst: 3_000, perSecond: 300, callersMax: CALLERS_MAX },
  /** Guides, API document and Postman collection: a crawler takes thirty of them. */
  documents: { burst: 120, perSecond: 10, callersMax: CALLERS_MAX },
} as const;

const buckets = defineProcessValue("door.buckets", () => new Map<keyof typeof LIMITS, TakeTokens>());

function bucketsOf(kind: keyof typeof LIMITS): TakeTokens {
  const known = buckets().get(kind) ?? openBuckets(LIMITS[kind]);
  buckets().set(kind, known);
  return known;
}

const networkAt = (peer: string, forwardedFor: string | undefined): string =>
  networkOf(clientAddress({ peer, forwardedFor, trustedProxies: env().TRUSTED_PROXIES }));

export const peerOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? "";

export const forwardedForOf = ({ headers }: IncomingMessage): string | undefined =>
  [headers["x-forwarded-for"]].flat().join(", ") || undefined;

export async function visitorOf(request: IncomingMessage): Promise<Visitor> {
  const network = networkAt(peerOf(request), forwardedForOf(request));
  const sessionId = await sessionOfCookies(request.headers.cookie);
  if (sessionId === null) return { network, sessionId, person: null };
  const person = personOfSession(sessionId);
  return { network, sessionId, person: person === undefined ? sessionId : person };
}

/** Counts a visitor's requests. @returns the refusal beyond the limit. */
export function countVisit(
  request: IncomingMessage,
  { network, person }: Visitor,
  kind: "Calls" | "Views",
  cost: number,
): ApiError | null {
  const waitMs =
    person === null
      ? bucketsOf(`stranger${kind}`)(network, cost, performance.now())
      : bucketsOf(`person${kind}`)(person, cost, performance.now());
  return waitMs === 0 ? null : tooMany(peerOf(request), forwardedForOf(request), waitMs);
}

/** Counts a file that every page needs. @returns the refusal beyond the limit. */
export const countFile = (request: IncomingMessage): ApiError | null =>
  countOfNetwork("files", peerOf(request), forwardedForOf(request));

/** Counts a text of the documentation. @returns the refusal beyond the limit. */
export const countDocument = (peer: string, forwardedFor: string | undefined): ApiError | null =>
  countOfNetwork("documents", peer, forwardedFor);

function countOfNetwork(kind: keyof typeof LIMITS, peer: string, forwardedFor: string | undefined): ApiError | null {
  const waitMs = bucketsOf(kind)(networkAt(peer, forwardedFor), 1, performance.now());
  return waitMs === 0 ? null : tooMany(peer, forwardedFor, waitMs);
}

function tooMany(peer: string, forwardedFor: string | undefined, waitMs: number): ApiError {
  // Behind an undeclared proxy all callers share one address, so anonymous visitors use up each other's requests.
  warnOfUndeclaredPeer(peer, forwardedFor);
  return rateLimitedFor(wholeSeconds(waitMs), "Too many requests.", { reason: "too_many_visits" });
}
