import type { MemberRole } from "../core/actor";

/** Every role, from the one that may least. */
export const ROLES = ["viewer", "developer", "owner"] as const satisfies readonly MemberRole[];
