/**
 * OAuth 2.0 access tokens of client credentials (RFC 6749, 4.4), one per adapter, which all processes share. A token is had
 * before an attempt begins, so that a token server that fails leaves the message unsent instead of its outcome unknown.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { SECOND_MS } from "../../core/clock";
import type { WireRequest, WireResponse } from "../port";
import { faultOfStatus, isSuccess, jsonOrNull, type NotAccepted, outcomeOf } from "./response";

/** A token is renewed while it is still valid for so long, and no longer used when it is nearly over. */
export const RENEW_BEFORE_MS = 120 * SECOND_MS;
const UNUSED_BEFORE_MS = 10 * SECOND_MS;
/** Lifetime for a server that gives none; RFC 6749 only recommends the field. */
const LIFETIME_S = 300;
/** Pause before another look at a token that another process is asking for. */
const LOOK_AGAIN_MS = 250;

const granted = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(LIFETIME_S),
});

export type AccessTokens = {
  /** A valid token, or why there is none; then nothing was sent. */
  get: () => Promise<{ token: string } | { refusal: NotAccepted }>;
  /** Drops a token that the API did not accept, unless it has been replaced already. */
  drop: (token: string) => void;
};

/** The token that all processes share. When nothing is known of it, because the store does not answer, a process asks alone. */
export type TokenStore = {
  /**
   * `held`: the stored token, or none yet; another process asks for one, or it is not time. `leased`: it is this process's
   * turn to ask; it must {@link keep} the token or {@link release} the turn.
   */
  take: () => Promise<{ kind: "held" | "leased"; token: string | null; leftMs: number }>;
  keep: (token: string, lifetimeMs: number) => Promise<void>;
  release: () => Promise<void>;
  /** Forgets this token, unless it has been replaced already. */
  drop: (token: string) => Promise<void>;
};

/** A store that fails costs sharing, not messages. */
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

/** Nothing is sent without a token, so whatever goes wrong the message may go to the next provider. */
function refusalOf({ status, body }: WireResponse): NotAccepted {
  const { error, error_description } = z
    .object({ error: z.string().catch(""), error_description: z.string().catch("") })
    .catch({ error: "", error_description: "" })
    .parse(jsonOrNull(body));
  // 400 is how token servers refuse a client, too (RFC 6749, 5.2).
  const fault = status === 400 ? "account" : faultOfStatus(status);
  return outcomeOf(`token_http_${status}`, [fault, "The provider did not grant access."], error, error_description);
}

/**
 * Access tokens that are signed here, each used until it is nearly over.
 * @param nowMs milliseconds of a clock that never goes back.
 */
export function signedTokens(
  sign: () => { token: string; lifetimeMs: number },
  nowMs = () => performance.now(),
): AccessTokens {
  let held: { token: string; endsAtMs: number } | null = null;
  return {
    get: async () => {
      if (!held || held.endsAtMs - nowMs() < RENEW_BEFORE_MS) {
        const { token, lifetimeMs } = sign();
        held = { token, endsAtMs: nowMs() + lifetimeMs };
      }
      return { token: held.token };
    },
    drop: (token) => {
      if (held?.token === token) held = null;
    },
  };
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
  let held: { token: string; endsAtMs: number } | null = null;
  let renewal: ReturnType<AccessTokens["get"]> | null = null;
  let dropping: Promise<unknown> = Promise.resolve();
  /** Before this time nobody looks ahead for a new token, as another process is asking for it. */
  let lookAtMs = 0;

  /** The shared token, asked for by whichever process has its turn. */
  async function share(shared: TokenStore): ReturnType<AccessTokens["get"]> {
    for (;;) {
      await dropping;
      const found = await forgiving(shared.take());
      if (found === null) return ask();
      if (found.kind === "leased") {
        const access = await ask();
        if ("refusal" in access) await forgiving(shared.release());
        else if (held) await forgiving(shared.keep(access.token, held.endsAtMs - nowMs()));
        return access;
      }
      if (found.token !== null && found.leftMs >= UNUSED_BEFORE_MS) {
        held = { token: found.token, endsAtMs: nowMs() + found.leftMs };
        lookAtMs = nowMs() + LOOK_AGAIN_MS;
        return { token: found.token };
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async function ask(): ReturnType<AccessTokens["get"]> {
    // The lifetime counts from before the request: the server's count began at some time after.
    const askedAtMs = nowMs();
    let response: WireResponse;
    try {
      response = await call();
    } catch {
      return {
        refusal: outcomeOf("token_unreachable", ["provider", "The provider's token server could not be reached."]),
      };
    }
    if (!isSuccess(response.status)) return { refusal: refusalOf(response) };
    const { data } = granted.safeParse(jsonOrNull(response.body));
    if (!data)
      return { refusal: outcomeOf("token_malformed", ["provider", "The provider granted no readable token."]) };
    held = { token: data.access_token, endsAtMs: askedAtMs + data.expires_in * SECOND_MS };
    return { token: data.access_token };
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
      const leftMs = held ? held.endsAtMs - nowMs() : 0;
      if (!held || leftMs < UNUSED_BEFORE_MS) return renewOnce();
      // Nobody waits for this one; if it fails, the next caller tries again while the old token still works.
      if (leftMs < RENEW_BEFORE_MS && nowMs() >= lookAtMs) void renewOnce();
      return { token: held.token };
    },
    drop: (token) => {
      if (held?.token !== token) return;
      held = null;
      dropping = forgiving(store?.drop(token));
    },
  };
}
