import { forbidden } from "./errors";
import { testAccountOf } from "./ids";

/** Where a caller is, for the audit log; empty: not known. */
export type Origin = { address: string; userAgent: string };

/** The caller: a closed union, and the first argument of every service function. */
export type Actor =
  | {
      kind: "apiKey";
      accountId: string;
      keyId: string;
      scopes: readonly string[];
      limits: KeyLimits;
      /** The key under whose id its messages are counted; absent: its own. */
      countedAs?: string;
      /** The key's ancestors that have limits: its messages count against those too. */
      ancestors?: readonly KeyQuota[];
      origin?: Origin;
    }
  | SessionActor
  | { kind: "system"; name: string; origin?: Origin };

/** Roles of people in an account. Each role may do everything that the ones before it may. */
export const MEMBER_ROLES = ["viewer", "developer", "owner"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * A person. `sessionId`: the session in which they act; absent where an operator's command acts in their name. `isConfirmed`:
 * they entered their password in that session within the last minutes. `role`: their role in the account when the request began;
 * absent where a command acts as an owner. `needs`: the role, or the right, that their call needs, which may be withdrawn while it is
 * under way; absent: none but the session.
 */
export type SessionActor = {
  kind: "session";
  accountId: string;
  userId: string;
  isOperator: boolean;
  role?: MemberRole;
  needs?: MemberRole | "operator";
  sessionId?: string;
  isConfirmed?: boolean;
  origin?: Origin;
};

/** Messages that a key may send per UTC day and month; null: no limit. */
type KeyLimits = { daily: number | null; monthly: number | null };

/** The {@link KeyLimits} of a key, and the id under which its messages are counted. */
export type KeyQuota = KeyLimits & { id: string };

/** An actor that acts for one account. */
export type AccountActor = Exclude<Actor, { kind: "system" }>;

/** The same actor in test mode: it acts on the twin of its account. */
export const inTestMode = <Someone extends AccountActor>(actor: Someone): Someone => ({
  ...actor,
  accountId: testAccountOf(actor.accountId),
});

/** Refuses a key that has none of `scopes`; people have roles instead. @throws 403 */
export function requireScope(actor: AccountActor, ...scopes: readonly string[]): void {
  if (actor.kind !== "apiKey" || scopes.some((scope) => actor.scopes.includes(scope))) return;
  throw forbidden(`This API key lacks the permission ${scopes.join(" or ")}.`, {
    reason: "missing_scope",
    details: { required: scopes[0] },
  });
}

/** Whether `role` may do what `least` may. */
export const isAtLeast = (role: MemberRole, least: MemberRole): boolean =>
  MEMBER_ROLES.indexOf(role) >= MEMBER_ROLES.indexOf(least);

/** The lowest role that may change what belongs to an account; lower ones may only read it. */
export const CHANGING_ROLE: MemberRole = "developer";

/** 403: the person's role in the account does not suffice. */
export const roleTooLow = (least: MemberRole) =>
  forbidden(
    `Your role in this account does not allow this. Ask an owner to make you ${least === "owner" ? "an" : "a"} ${least}.`,
    {
      reason: "role_too_low",
      details: { required: least },
    },
  );

/** Refuses people whose role in the account is below `least`. Keys have scopes instead. @throws 403 `role_too_low` */
export function requireRole(actor: AccountActor, least: MemberRole): void {
  if (actor.kind === "session" && !isAtLeast(actor.role ?? "owner", least)) throw roleTooLow(least);
}

/** 403: the person does not operate the installation. */
export const notAnOperator = () =>
  forbidden("Only an operator of this installation may do this.", { reason: "not_an_operator" });

/** Refuses everyone but operators of the installation. @throws 403 */
export function requireOperator(actor: Actor): void {
  if (actor.kind === "system") return;
  if (actor.kind === "session" && actor.isOperator) return;
  throw notAnOperator();
}

/** The same actor, whose call needs this role or right of a person. */
export const needing = <Someone extends AccountActor>(actor: Someone, needs: SessionActor["needs"]): Someone =>
  actor.kind === "session" ? { ...actor, needs } : actor;

/** Requires a recent password confirmation of a console session, which may have been left open. @throws 403 */
export function requireConfirmed(actor: Actor): void {
  if (actor.kind !== "session" || actor.sessionId === undefined || actor.isConfirmed) return;
  throw forbidden("Confirm your password first.", { reason: "confirmation_required" });
}

/** Name of the actor in log lines. */
export const nameOf = (actor: Actor): string => (actor.kind === "session" ? actor.userId : actor.kind);
