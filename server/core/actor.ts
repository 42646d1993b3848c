import { forbidden } from "./errors";

/** The caller: a closed union, and the first argument of every service function. */
export type Actor =
  | { kind: "apiKey"; accountId: string; keyId: string; scopes: readonly string[]; limits: KeyLimits }
  | { kind: "session"; accountId: string; userId: string; isOperator: boolean }
  | { kind: "system"; name: string };

/** Messages that a key may send per UTC day and month; null: no limit. */
type KeyLimits = { daily: number | null; monthly: number | null };

/** An actor that acts for one account. */
export type AccountActor = Exclude<Actor, { kind: "system" }>;

/** Refuses a key that has none of `scopes`; a signed-in owner has all of them. @throws 403 */
export function requireScope(actor: AccountActor, ...scopes: readonly string[]): void {
  if (actor.kind !== "apiKey" || scopes.some((scope) => actor.scopes.includes(scope))) return;
  throw forbidden(`This API key lacks the permission ${scopes.join(" or ")}.`, {
    reason: "missing_scope",
    details: { required: scopes[0] },
  });
}

/** Refuses everyone but operators of the installation. @throws 403 */
export function requireOperator(actor: Actor): void {
  if (actor.kind === "system") return;
  if (actor.kind === "session" && actor.isOperator) return;
  throw forbidden("Only an operator of this installation may do this.", { reason: "not_an_operator" });
}

/** Name of the actor in log lines. */
export const nameOf = (actor: Actor): string => (actor.kind === "session" ? actor.userId : actor.kind);
