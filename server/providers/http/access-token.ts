/**
 * OAuth 2.0 access tokens of client credentials (RFC 6749, 4.4), one per adapter, which all processes share. A token is
 * obtained before an attempt begins, so that a failing token server leaves the message unsent instead of its outcome unknown.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { SECOND_MS } from "../../core/clock";
import { hasStalledSince, stalledMs } from "../../core/deadline";
import { messageWithParts } from "../../core/log";
import { ownFailureOf } from "../../core/own-failures";
import { isEgressProxyError } from "../../egress/proxy-error";
import type { WireRequest, WireResponse } from "../port";
import {
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  type NotAccepted,
  ofOurStall,
  outcomeOf,
  outcomeOfEgress,
} from "./response";

/** Remaining lifetime at which a token is renewed, and at which it is no longer used. */
export const RENEW_BEFORE_MS = 120 * SECOND_MS;
const UNUSED_BEFORE_MS = 10 * SECOND_MS;
/** Lifetime for a server that gives none; RFC 6749 only recommends the field. */
const LIFETIME_S = 300;
/** Pause before the next check for a token that another process is requesting. */
const LOOK_AGAIN_MS = 250;

const granted = z.object({
  // Only characters that a header can have (RFC 6749, A.12): an error for any other would be blamed on our settings.
  access_token: z.string().regex(/^[\x20-\x7e]+$/),
  expires_in: z.coerce.number().positive().catch(LIFETIME_S),
});

const UNREACHABLE: Meaning = ["provider", "The provider's token server could not be reached.", "no_provider"];

export type AccessTokens = {
  /** A valid token, or why there is none; then nothing was sent. */
  get: () => Promise<{ token: string } | { refusal: NotAccepted }>;
  /** Drops a token that the API did not accept, unless it has been replaced already. */
  drop: (token: string) => void;
};

/** The token that all processes share. If the store does not respond, a process requests a token for itself. */
export type TokenStore = {
  /**
   * `stored`: the stored token, or none yet; another process requests one, or it is too early. `leased`: this process is
   * to request one, and must then {@link keep} the token or {@link release} the lease.
   */
  take: () => Promise<{ kind: "stored" | "leased"; token: string | null; leftMs: number }>;
  keep: (token: string, lifetimeMs: number) => Promise<void>;
  release: () => Promise<void>;
  /** Drops this token, unless it has been replaced already. */
  drop: (token: string) => Promise<void>;
};

/** `endsAtMs`: by the clock that the functions below are given. */
type Token = { token: string; endsAtMs: number };

/** If the store fails, processes share no token; messages are still sent. */
const forgiving = <T>(work: Promise<T> | undefined): Promise<T | null> =>
  work === undefined ? Promise.resolve(null) : work.catch(() => null);

/** Asks a token server for a token. As in the vendors' own SDKs the credentials are not form-encoded (RFC 6749, 2.3.1). */
export const tokenRequest = (url: string, clientId: string, clientSecret: string): WireRequest => ({
  method: "POST",
  url,
  headers: {
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  },
  body: "grant_type=client_credentials",
});

/** Nothing was sent without a token, so after any failure the message may go to the next provider. */
function refusalOf({ status, body }: WireResponse): NotAccepted {
  const { error, error_description } = z
    .object({ error: z.string().catch(""), error_description: z.string().catch("") })
    .catch({ error: "", error_description: "" })
    .parse(jsonOrNull(body));
  // Token servers refuse a client with 400, too (RFC 6749, 5.2).
  const fault = status === 400 ? "account" : faultOfStatus(status);
  return outcomeOf(
    `token_http_${status}`,
    [fault, "The provider did not grant access.", "unknown"],
    error,
    error_description,
  );
}

/**
 * Access tokens signed by us, each used until shortly before it expires.
 * @param nowMs milliseconds of a clock that never goes back.
 */
export function signedTokens(
  sign: () => { token: string; lifetimeMs: number },
  nowMs = () => performance.now(),
): AccessTokens {
  let cached: Token | null = null;
  return {
    get: async () => {
      if (!cached || cached.endsAtMs - nowMs() < RENEW_BEFORE_MS) {
        const { token, lifetimeMs } = sign();
        cached = { token, endsAtMs: nowMs() + lifetimeMs };
      }
      return { token: cached.token };
    },
    drop: (token) => {
      if (cached?.token === token) cached = null;
    },
  };
}

/**
 * Requests a token.
 * @param call may throw: the server was not reached, or did not respond in time.
 * @param keep is given the token.
 */
async function requestToken(
  call: () => Promise<WireResponse>,
  nowMs: () => number,
  keep: (token: Token) => void,
): ReturnType<AccessTokens["get"]> {
  // The lifetime counts from before the request, because the server's count began some time after.
  const askedAtMs = nowMs();
  const markMs = stalledMs();
  const markingStall = (refusal: NotAccepted) => (hasStalledSince(markMs) ? ofOurStall(refusal) : refusal);
  let response: WireResponse;
  try {
    response = await call();
  } catch (thrown) {
    if (isEgressProxyError(thrown)) return { refusal: markingStall(outcomeOfEgress(thrown)) };
    const ours = ownFailureOf(thrown);
    const refusal = outcomeOf(
      "token_unreachable",
      UNREACHABLE,
      ours ?? (thrown instanceof Error ? messageWithParts(thrown) : null),
    );
    return { refusal: ours === null ? markingStall(refusal) : ofOurStall(refusal) };
  }
  if (!isSuccess(response.status)) return { refusal: refusalOf(response) };
  const { data } = granted.safeParse(jsonOrNull(response.body));
  if (!data)
    return {
      refusal: outcomeOf("token_malformed", ["provider", "The provider granted no readable token.", "no_provider"]),
    };
  keep({ token: data.access_token, endsAtMs: askedAtMs + data.expires_in * SECOND_MS });
  return { token: data.access_token };
}

/**
 * @param call asks the token server. It may throw: the server was not reached, or did not respond in time.
 * @param store shares the token between processes; null: this process has its own.
 * @param nowMs milliseconds of a clock that never goes back.
 */
export function accessTokens(
  call: () => Promise<WireResponse>,
  store: TokenStore | null = null,
  nowMs = () => performance.now(),
): AccessTokens {
  let cached: Token | null = null;
  let renewal: ReturnType<AccessTokens["get"]> | null = null;
  let dropping: Promise<unknown> = Promise.resolve();
  /** Until then this process does not renew early, because another process is requesting a token. */
  let lookAtMs = 0;

  const ask = () =>
    requestToken(call, nowMs, (token) => {
      cached = token;
    });

  /** The shared token, requested by the process that holds the lease. */
  async function share(shared: TokenStore): ReturnType<AccessTokens["get"]> {
    for (;;) {
      await dropping;
      const found = await forgiving(shared.take());
      if (found === null) return ask();
      if (found.kind === "leased") {
        const access = await ask();
        if ("refusal" in access) await forgiving(shared.release());
        else if (cached) await forgiving(shared.keep(access.token, cached.endsAtMs - nowMs()));
        return access;
      }
      if (found.token !== null && found.leftMs >= UNUSED_BEFORE_MS) {
        cached = { token: found.token, endsAtMs: nowMs() + found.leftMs };
        lookAtMs = nowMs() + LOOK_AGAIN_MS;
        return { token: found.token };
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }

  /** One request at a time, which all callers share. */
  function renewOnce(): ReturnType<AccessTokens["get"]> {
    renewal ??= (store ? share(store) : ask()).finally(() => {
      renewal = null;
    });
    return renewal;
  }

  return {
    get: async () => {
      const leftMs = cached ? cached.endsAtMs - nowMs() : 0;
      if (!cached || leftMs < UNUSED_BEFORE_MS) return renewOnce();
      // Nothing waits for this request; if it fails, the next caller tries again while the old token still works.
      if (leftMs < RENEW_BEFORE_MS && nowMs() >= lookAtMs) void renewOnce();
      return { token: cached.token };
    },
    drop: (token) => {
      if (cached?.token !== token) return;
      cached = null;
      dropping = forgiving(store?.drop(token));
    },
  };
}
