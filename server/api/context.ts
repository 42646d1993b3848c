import { callerAddress } from "../auth/caller-address";
import { currentSession } from "../auth/session";
import { warnOfUndeclaredProxy } from "../auth/undeclared-proxy";
import { env } from "../core/env";
import { newId } from "../core/ids";
import type { Context } from "../core/trpc";

/** The context of a procedure called by the console; `actor` is the signed-in user, or null. */
export async function sessionContext(req: Request): Promise<Context> {
  const session = await currentSession();
  const header = (name: string) => req.headers.get(name);
  warnOfUndeclaredProxy(header);
  return {
    actor: session && {
      kind: "session",
      accountId: session.accountId,
      userId: session.userId,
      isOperator: session.isOperator,
      sessionId: session.sessionId,
      isConfirmed: session.isConfirmed,
    },
    requestId: newId("request"),
    address: callerAddress(header, env().TRUSTED_PROXIES),
    idempotency: () => null,
    responseHeaders: {},
  };
}
