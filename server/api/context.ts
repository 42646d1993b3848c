import { callerAddress } from "../auth/caller-address";
import { currentSession } from "../auth/session";
import { env } from "../core/env";
import { newId } from "../core/ids";
import type { Context } from "../core/trpc";

/** The context of a procedure called by the console; `actor` is the signed-in user, or null. */
export async function sessionContext(req: Request): Promise<Context> {
  const session = await currentSession();
  return {
    actor: session && {
      kind: "session",
      accountId: session.accountId,
      userId: session.userId,
      isOperator: session.isOperator,
    },
    requestId: newId("request"),
    address: callerAddress((name) => req.headers.get(name), env().TRUSTED_PROXIES),
    idempotency: () => null,
    responseHeaders: {},
  };
}
