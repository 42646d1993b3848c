import { ensureTestAccount } from "../accounts/test-mode";
import { SHOWN_ACCOUNT_HEADER } from "../auth/sessions/shown-account";
import { signedInPerson } from "../auth/sessions/signed-in";
import { callerAddress } from "../auth/sign-in/caller-address";
import { warnOfUndeclaredProxy } from "../auth/sign-in/undeclared-proxy";
import { env } from "../core/env";
import { invalidRequest } from "../core/errors";
import { newId } from "../core/ids";
import type { Context } from "../core/trpc";
import { idempotencyOf } from "./idempotency-key";
import { admitPerson } from "./require-rate";
import { requireShown } from "./shown-account";
import { TEST_MODE_HEADER } from "./test-mode";

/**
 * The Idempotency-Key of a call. A call with a key must not be batched: the key would apply to several calls.
 * @returns a function that reads it, and throws 400 for a key that is malformed or sent with a batch.
 */
async function idempotencyOfCall(req: Request): Promise<Context["idempotency"]> {
  const key = req.headers.get("idempotency-key") ?? undefined;
  if (key === undefined) return () => null;
  const url = new URL(req.url);
  if (url.searchParams.has("batch")) {
    return () => {
      throw invalidRequest("Idempotency-Key cannot be used with a batch.", { param: "Idempotency-Key" });
    };
  }
  const body = new Uint8Array(await req.clone().arrayBuffer());
  return () => idempotencyOf(key, url.pathname, body, undefined);
}

/**
 * The context of a procedure called by the console; `actor` is the signed-in user, or null.
 * @param pageHeaders headers of a subscription: browsers send none of their own with one.
 */
export async function sessionContext(
  req: Request,
  pageHeaders?: Readonly<Record<string, string | undefined>> | null,
): Promise<Context> {
  const header = (name: string) => req.headers.get(name);
  const address = callerAddress(header, env().TRUSTED_PROXIES);
  const session = await signedInPerson(header("cookie") ?? undefined, address);
  const pageHeader = (name: string) => header(name) ?? pageHeaders?.[name] ?? null;
  const isTestMode = pageHeader(TEST_MODE_HEADER) === "true";
  if (session && isTestMode) await ensureTestAccount(session.accountId);
  const idempotency = await idempotencyOfCall(req);
  warnOfUndeclaredProxy(header);
  const userAgent = header("user-agent") ?? "";
  return {
    actor: session && {
      kind: "session",
      accountId: session.accountId,
      userId: session.userId,
      isOperator: session.isOperator,
      role: session.role,
      sessionId: session.sessionId,
      isConfirmed: session.isConfirmed,
      origin: { address, userAgent },
    },
    isTestMode,
    requestId: newId("request"),
    address,
    userAgent,
    idempotency,
    isAbandoned: () => req.signal.aborted,
    responseHeaders: {},
    admit: async () => {
      if (!session) return;
      requireShown(pageHeader(SHOWN_ACCOUNT_HEADER), session.accountId);
      await admitPerson(session);
    },
  };
}
