/** Logs failed calls of the console. */
import type { TRPCError } from "@trpc/server";
import { toApiError } from "../core/errors";
import { errorFields, log } from "../core/log";
import type { Context } from "../core/trpc";

/** Logs denials, which reveal attempts on other accounts, and failures; never the input. */
export function reportCall(error: TRPCError, procedure: string | undefined, context: Context | undefined): void {
  const { status, wire } = toApiError(error);
  const actor = context?.actor;
  const fields = {
    request_id: context?.requestId ?? null,
    procedure: procedure ?? null,
    status,
    reason: wire.details.reason ?? wire.code,
    user_id: actor?.kind === "session" ? actor.userId : null,
    address: context?.address ?? null,
  };
  if (status >= 500) log("error", "trpc.failed", { ...fields, ...errorFields(error.cause ?? error) });
  // The console reacts to this one by asking for the password.
  else if (status === 403 && fields.reason !== "confirmation_required") log("warn", "trpc.denied", fields);
  else log("debug", "trpc.refused", fields);
}
