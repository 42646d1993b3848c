import type { MEMBER_ROLES } from "../core/actor";

/** Every role, from the one that may least. Pages load this file, without the errors that core/actor.ts needs. */
export const ROLES = ["viewer", "developer", "owner"] as const satisfies typeof MEMBER_ROLES;
